"""The tables of error codes and of version steps: every row, from the rows themselves."""

import re

import pytest

from psreg.catalogue.pages.html import text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.catalogue.pages.reference_tables import (
    error_table,
    error_texts,
    floor_table,
    platform_options,
)
from psreg.compatibility.version_floor import FLOOR_GROUPS, FLOOR_TABLE
from psreg.core.error_codes import ERROR_CODES, SUBJECTS


@pytest.fixture(scope="module")
def errors():
    return error_table(SUBJECTS)


@pytest.fixture(scope="module")
def floor():
    return floor_table(FLOOR_GROUPS)


def test_every_code_has_an_anchor_its_exit_code_a_meaning_and_a_remedy(errors):
    rows = dict(re.findall(r'<tr><td><a id="(\w+)"(.*?)</tr>', errors))
    assert list(rows) == list(ERROR_CODES)
    for code, row in ERROR_CODES.items():
        ends = "–" if row.exit_code is None else row.exit_code
        cells = f"<td>{ends}</td><td>{inline_html(row.meaning)}<br>{inline_html(row.remedy)}</td>"
        assert rows[code].endswith(cells)
        assert row.page == f"errors/#{code}"


def test_every_subject_can_be_linked_to(errors):
    anchors = re.findall(r'<section id="([a-z-]+)"', errors)
    assert len(set(anchors)) == len(SUBJECTS)
    assert "files-and-folders" in anchors


def test_codes_are_in_the_search_of_the_documentation():
    found = dict(error_texts(SUBJECTS))
    assert set(found) == {f"errors/#{code}" for code in ERROR_CODES}
    assert "<h1>NO_HOME</h1>" in found["errors/#NO_HOME"]
    assert "<code>PSREG_HOME</code>" in found["errors/#NO_HOME"]


def test_every_row_has_its_step_an_anchor_and_a_reason(floor):
    assert floor.count("<tr><td>") == len(FLOOR_TABLE)
    for row in FLOOR_TABLE:
        before, _, after = floor.partition(f'id="{row.id}"')
        assert f"<strong>{row.step}</strong>" in before.rpartition("<tr>")[2]
        assert ("please read" in before.rpartition("<tr>")[2]) is row.behaviour
        assert f"</td><td>{text(row.reason)[:12]}" in after


def test_every_group_can_be_linked_to(floor):
    for anchor in ("pbe", "prompt", "release-toml", "the-release-as-a-whole"):
        assert f'<section id="{anchor}">' in floor


def test_the_platforms_of_the_policy_follow_those_of_psreg():
    options = platform_options(("our-own<", "jan"))
    assert options.startswith('<option value="chatgpt">ChatGPT</option>')
    assert options.endswith('<option value="our-own&lt;">our-own&lt;</option>')
    assert options.count('value="jan"') == 1
