"""The library of installed prompts."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from psreg.client.library import Library, Receipt, installed_artifact, library
from psreg.client.resolve import choose, parse_request
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import ReleaseId
from psreg.registry.record_reading import read_record
from simulator import Simulator, encode


def receipt(version="1.0.0", data=b"text", name="quiz_master", **changes):
    release = ReleaseId(entry_class="interactive_engine", name=name, version=version)
    given = {
        "release": release,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "registry": {"id": "0" * 32, "url": "https://registry.invalid"},
        "metadata": {"root": 1, "timestamp": 7},
        "installed": "2026-11-21T05:00:00Z",
    }
    return Receipt(**{**given, **changes})


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setenv("PSREG_LIBRARY", str(tmp_path / "library"))
    return library()


def files(shelf):
    found = (p for p in shelf.folder.rglob("*") if p.is_file())
    return sorted(str(p.relative_to(shelf.folder)) for p in found if p.name != ".lock")


def test_the_library_follows_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("PSREG_LIBRARY", raising=False)
    monkeypatch.setenv("PSREG_HOME", str(tmp_path))
    assert library().folder == tmp_path / "data" / "library"


def test_what_is_kept_can_be_read_again(shelf):
    kept = receipt()
    path = shelf.keep(kept, b"text")
    assert path == shelf.folder / "quiz_master" / "1.0.0" / "quiz_master.pbe.txt"
    assert path.read_bytes() == b"text"
    assert shelf.receipts() == (kept,)
    document = json.loads((path.parent / "receipt.json").read_bytes())
    assert document["schema"] == "psreg.receipt/1"
    assert document["files"] == [{"path": "quiz_master.pbe.txt", "sha256": kept.sha256, "size": 4}]


def test_another_version_takes_the_place(shelf):
    shelf.keep(receipt(), b"text")
    shelf.keep(receipt("0.9.0"), b"text")
    assert [r.release.version for r in shelf.receipts()] == ["0.9.0"]
    assert files(shelf) == [
        "quiz_master/0.9.0/quiz_master.pbe.txt",
        "quiz_master/0.9.0/receipt.json",
    ]


def test_after_a_crash_the_newest_receipt_wins_and_the_rest_goes(shelf):
    shelf.keep(receipt("1.1.0", installed="2026-11-22T05:00:00Z"), b"text")
    spare = Library(shelf.folder.parent / "spare")
    spare.keep(receipt(), b"text")
    folder = shelf.folder / "quiz_master"
    (spare.folder / "quiz_master" / "1.0.0").rename(folder / "1.0.0")
    (folder / "1.1.0" / ".psreg-unfinished").write_text("")
    (folder / "2.0.0").mkdir()
    (folder / "2.0.0" / "quiz_master.pbe.txt").write_text("no receipt yet")
    assert [r.release.version for r in shelf.receipts()] == ["1.1.0"]
    shelf.keep(receipt("1.1.0"), b"text")
    assert files(shelf) == [
        "quiz_master/1.1.0/quiz_master.pbe.txt",
        "quiz_master/1.1.0/receipt.json",
    ]


def test_of_two_receipts_of_one_second_the_later_file_wins(shelf):
    shelf.keep(receipt(), b"text")
    spare = Library(shelf.folder.parent / "spare")
    spare.keep(receipt("1.1.0"), b"text")
    new = shelf.folder / "quiz_master" / "1.1.0"
    (spare.folder / "quiz_master" / "1.1.0").rename(new)
    for version, time in (("1.0.0", 2), ("1.1.0", 1)):
        os.utime(shelf.folder / "quiz_master" / version / "receipt.json", (time, time))
    assert shelf.receipt("quiz_master").release.version == "1.0.0"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        encode(receipt().to_json() | {"schema": "psreg.receipt/2"}),
        encode(receipt().to_json() | {"name": "other"}),
        encode(receipt().to_json() | {"name": 5}),
        encode(receipt().to_json() | {"version": "2.0.0"}),
        encode(receipt().to_json() | {"version": "../.."}),
        encode(receipt().to_json() | {"class": "../.."}),
        encode(receipt().to_json() | {"registry": None}),
        encode(receipt().to_json() | {"size": "x"}),
        encode(receipt().to_json() | {"metadata": []}),
    ],
)
def test_a_receipt_that_is_none_does_not_count(shelf, document):
    path = shelf.keep(receipt(), b"text")
    (path.parent / "receipt.json").write_bytes(document)
    assert shelf.receipts() == ()
    assert shelf.has("quiz_master")


def test_an_empty_library_lists_nothing(shelf):
    assert shelf.receipts() == ()
    assert not shelf.has("quiz_master")


def test_drift_is_told(shelf):
    kept = receipt()
    path = shelf.keep(kept, b"text")
    assert shelf.drift(kept) is None
    path.write_bytes(b"texts")
    assert "SHA-256" in shelf.drift(kept)
    path.unlink()
    assert "cannot read" in shelf.drift(kept)
    path.symlink_to("/dev/zero")
    assert "cannot read" in shelf.drift(kept)


def test_exactly_the_chosen_release_is_held(shelf):
    simulator = Simulator().release(data=b"text").release("quiz_master", "1.1.0", b"text")
    record = read_record(encode(simulator.records["quiz_master"]), "quiz_master")
    old = choose(record, parse_request("quiz_master@1.0.0"))
    new = choose(record, parse_request("quiz_master"))
    assert not shelf.holds(old)
    path = shelf.keep(receipt(), b"text")
    assert shelf.holds(old)
    assert not shelf.holds(new)
    path.write_bytes(b"changed")
    assert not shelf.holds(old)


def test_removing(shelf):
    shelf.keep(receipt(), b"text")
    shelf.remove("quiz_master")
    assert files(shelf) == []
    with pytest.raises(UnavailableError):
        shelf.remove("quiz_master")


def test_a_library_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError) as caught:
        Library(tmp_path / "file" / "library").keep(receipt(), b"text")
    assert caught.value.code == "CANNOT_WRITE"


# installed_artifact


def test_an_installed_artifact_is_found(shelf):
    path = shelf.keep(receipt("1.2.0"), b"text")
    for text in ("quiz_master", "quiz_master@^1", "quiz_master@1.2.0"):
        assert installed_artifact(text) == (path, b"text")


def test_a_pre_release_is_found_by_its_name(shelf):
    path = shelf.keep(receipt("1.0.0-rc.1"), b"text")
    assert installed_artifact("quiz_master") == (path, b"text")


@pytest.mark.parametrize("text", ["glossary", "quiz_master@^2"])
def test_what_is_not_installed_is_told_with_the_command(shelf, text):
    shelf.keep(receipt("1.2.0"), b"text")
    with pytest.raises(UnavailableError) as caught:
        installed_artifact(text)
    assert (caught.value.code, caught.value.hint) == (
        "NOT_INSTALLED",
        f"try 'psreg install {text}'",
    )


def test_what_names_nothing_is_a_usage_error(shelf):
    with pytest.raises(UsageError):
        installed_artifact("../quiz")
