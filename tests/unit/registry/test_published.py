"""Opening what is published: nothing is shown that differs from its signed record."""

import json
from pathlib import PurePosixPath

import pytest

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.formats.json.canonical import canonical
from psreg.registry.build import build
from psreg.registry.published import check_drift, entries, signed_records
from support.catalogue import tree
from support.publishing import NOW

TREE = tree()
RECORDS = {
    name: canonical(record.to_json()) for name, record in build(TREE, {}, NOW).records.items()
}
ARTIFACT = "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"


def opened(packages=RECORDS, **changed):
    """Open `packages`; keywords replace files of the tree (None removes one)."""
    content = {str(path): data for path, data in TREE.items()} | changed
    drift = []
    return list(entries(signed_records(packages), content.get, drift)), drift


def changed_record(change):
    value = json.loads(RECORDS["listener"])
    change(value)
    return {"listener": canonical(value)}


def test_every_entry_is_opened_in_order_of_names():
    found, drift = opened()
    assert drift == []
    assert [entry.record.name for entry in found] == sorted(RECORDS)
    listener = found[2]
    assert [release.record.version for release in listener.releases] == ["1.1.0", "1.0.0"]
    assert listener.latest is listener.releases[0]
    assert listener.latest.artifact == TREE[PurePosixPath(ARTIFACT)]
    assert listener.latest.readme.startswith("# A title")
    assert listener.raw == RECORDS["listener"]


def test_other_bytes_are_refused():
    found, drift = opened(**{ARTIFACT: b"{}"})
    assert drift == [f"{ARTIFACT}: differs from the released file"]
    assert "listener" not in [entry.record.name for entry in found]


def test_all_differences_are_told_at_once():
    readme = ARTIFACT.replace("listener.pbe.txt", "README.md")
    _, drift = opened(**{ARTIFACT: None, readme: b""})
    assert sorted(drift) == [f"{readme}: differs from the released file", f"{ARTIFACT}: missing"]
    with pytest.raises(FindingsError, match=r"README\.md: differs from") as raised:
        check_drift(drift)
    assert raised.value.code == "SITE_DRIFT"


def test_a_long_list_of_differences_ends():
    with pytest.raises(FindingsError, match="and 5 more"):
        check_drift([f"file {number}" for number in range(25)])
    check_drift([])


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../etc/passwd",
        "pbes/interactive_engine/listener/1.1.0/../../x",
        "pbes/interactive_engine/listener/1.1.0//x",
        "pbes/interactive_engine/listener/1.1.0/./x",
        "pbes/interactive_engine/listener/1.1.0",
        "x/pbes/interactive_engine/listener/1.1.0/README.md",
    ],
)
def test_a_record_cannot_name_a_file_elsewhere(path):
    def change(value):
        value["releases"][-1]["files"][0]["path"] = path

    found, drift = opened(changed_record(change))
    assert drift == [f"{path}: outside the folder of listener 1.1.0"]
    assert found == []


def test_a_record_cannot_name_another_artifact():
    def change(value):
        value["releases"][-1]["path"] = "pbes/prompt/river_letter/1.0.0/river_letter.prompt"

    _, drift = opened(changed_record(change))
    assert drift[0].endswith("not the path of listener 1.1.0")


MALFORMED = [
    b"[]",
    b"{}",
    b"not JSON",
    b'{"schema": 7}',
    b'{"schema": "psreg.package/1"}',
    b'{"schema": "psreg.report/1"}',
    b'{"schema": "psreg.package/0"}',
    b'{"schema": "psreg.package/next"}',
    b'{"schema": "psreg.package/1", "schema": "psreg.package/2"}',
    changed_record(lambda record: record.update(name="other"))["listener"],
    changed_record(lambda record: record.update(serial="1"))["listener"],
    changed_record(lambda record: record["releases"][0].update(sha256="A" * 64))["listener"],
]


@pytest.mark.parametrize("record", MALFORMED)
def test_a_malformed_record_is_not_called_newer(record):
    with pytest.raises(TrustError, match="listener is malformed") as raised:
        signed_records({"listener": record})
    assert raised.value.code == "TRUST_METADATA"


@pytest.mark.parametrize(
    "record",
    [
        b'{"schema": "psreg.package/2"}',
        changed_record(lambda record: record.update({"class": "unheard_of"}))["listener"],
    ],
)
def test_a_record_of_another_format_is_refused(record):
    with pytest.raises(UnavailableError, match="this psreg does not know") as raised:
        signed_records({"listener": record})
    assert raised.value.code == "NEWER_FORMAT"


def test_rows_of_a_newer_format_are_left_out():
    def change(value):
        value["releases"] = [{"v": 2, "version": "9.0.0"}]

    assert opened(changed_record(change)) == ([], [])
