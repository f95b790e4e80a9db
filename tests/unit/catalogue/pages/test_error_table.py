"""The table of error codes as it is published: every row, from the rows themselves."""

import json
import re

from psreg.catalogue.pages.error_table import error_search, error_table
from psreg.catalogue.pages.json_api import search_index
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.core.error_codes import ERROR_CODES, SUBJECTS

PAGE = error_table(SUBJECTS)


def test_every_code_has_an_anchor_its_exit_code_a_meaning_and_a_remedy():
    rows = dict(re.findall(r'<tr><td><a id="(\w+)"(.*?)</tr>', PAGE))
    assert list(rows) == list(ERROR_CODES)
    for code, row in ERROR_CODES.items():
        ends = "–" if row.exit_code is None else row.exit_code
        cells = f"<td>{ends}</td><td>{inline_html(row.meaning)}<br>{inline_html(row.remedy)}</td>"
        assert rows[code].endswith(cells)
        assert row.page == f"errors/#{code}"


def test_every_subject_can_be_linked_to():
    anchors = re.findall(r'<section class="ps-section" id="([a-z-]+)"', PAGE)
    assert len(set(anchors)) == len(SUBJECTS)
    assert "files-and-folders" in anchors


def test_codes_are_in_the_search_of_the_documentation():
    index = json.loads(search_index(b'{"docs": []}', error_search(SUBJECTS)))
    found = {doc["title"]: doc for doc in index["docs"]}
    assert set(found) == set(ERROR_CODES)
    assert found["NO_HOME"]["location"] == "errors/#NO_HOME"
    assert "<code>PSREG_HOME</code>" in found["NO_HOME"]["text"]
