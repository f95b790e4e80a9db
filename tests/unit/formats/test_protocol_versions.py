"""One table has the versions of the protocols; everything that repeats them agrees with it."""

from pathlib import Path

import pytest

from psreg.formats.protocol_versions import (
    PROTOCOLS,
    latest_version,
    nearest_version,
    version_numbers,
)
from psreg.formats.schema import document
from psreg.protocols import PROTOCOLS as ROWS
from psreg.protocols.plsp.system_prompt import system_prompt

DOCS = Path(__file__).parents[3] / "site/docs/protocols/index.md"


@pytest.mark.parametrize(
    ("declared", "known", "version"),
    [
        ("1.4", ["1.4"], "1.4"),
        ("1.4.7", ["1.4"], "1.4"),
        ("1.9", ["1.2", "1.10", "1.4"], "1.4"),
        ("1.11", ["1.2", "1.10", "1.4"], "1.10"),
        ("1.1", ["1.2", "1.10"], "1.2"),
        ("2.0", ["1.4"], None),
        ("0.4", ["1.4"], None),
        ("v1.4", ["1.4"], None),
        ("1", ["1.4"], None),
        ("1.4", [], None),
    ],
)
def test_the_nearest_lower_version_applies(declared, known, version):
    assert nearest_version(declared, known) == version


def test_versions_have_two_numbers():
    assert version_numbers("1.10.3") == (1, 10)
    assert version_numbers("1.4-x") is None


def test_there_is_a_row_for_each_version_of_a_protocol():
    versions = [(name, version) for name, known in PROTOCOLS.items() for version in known]
    assert [(row.name, row.version) for row in ROWS] == versions
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_latest_version_is_last(name):
    assert latest_version(name) == max(PROTOCOLS[name], key=version_numbers)
    assert list(PROTOCOLS[name]) == sorted(PROTOCOLS[name], key=version_numbers)


def test_rules_cite_the_specification_of_a_version_of_their_protocol():
    for row in ROWS:
        cited = {spec.partition("/")[0] for rule in row.rules for spec in rule.spec.split()}
        specs = {f"{row.name}-{version}" for version in PROTOCOLS[row.name]}
        assert set() < cited - {"registry"} <= specs


def test_schemas_name_the_same_protocols():
    assert document("release")["properties"]["protocols"]["properties"].keys() == PROTOCOLS.keys()
    for name in ("transcript", "conform"):
        assert set(document(name)["properties"]["protocol"]["enum"]) == PROTOCOLS.keys()


def test_the_docs_name_the_same_versions():
    table = DOCS.read_text(encoding="utf-8")
    for name, versions in PROTOCOLS.items():
        assert f"| {name.upper()} {', '.join(versions)} |" in table


def test_assistants_are_told_the_version():
    assert f"(PLSP), version {latest_version('plsp')}." in system_prompt()
