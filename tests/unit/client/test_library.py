"""The library of installed prompts."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from psreg.client.library import Library, Receipt, installed_artifact, user_library
from psreg.client.resolve import choose, parse_request
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import ReleaseId
from psreg.registry.records import read_record
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
def library(tmp_path, monkeypatch):
    monkeypatch.setenv("PSREG_LIBRARY", str(tmp_path / "library"))
    return user_library()


def files(library):
    found = (p for p in library.folder.rglob("*") if p.is_file())
    return sorted(str(p.relative_to(library.folder)) for p in found if p.name != ".lock")


def test_the_library_follows_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("PSREG_LIBRARY", raising=False)
    monkeypatch.setenv("PSREG_HOME", str(tmp_path))
    assert user_library().folder == tmp_path / "data" / "library"


def test_what_is_kept_can_be_read_again(library):
    kept = receipt()
    path = library.install(kept, b"text")
    assert path == library.folder / "quiz_master" / "1.0.0" / "quiz_master.pbe.txt"
    assert path.read_bytes() == b"text"
    assert library.receipts() == (kept,)
    document = json.loads((path.parent / "receipt.json").read_bytes())
    assert document["schema"] == "psreg.receipt/1"
    assert document["files"] == [{"path": "quiz_master.pbe.txt", "sha256": kept.sha256, "size": 4}]


def test_another_version_takes_the_place(library):
    library.install(receipt(), b"text")
    library.install(receipt("0.9.0"), b"text")
    assert [r.release.version for r in library.receipts()] == ["0.9.0"]
    assert files(library) == [
        "quiz_master/0.9.0/quiz_master.pbe.txt",
        "quiz_master/0.9.0/receipt.json",
    ]


def test_what_a_crash_left_is_tidied(library):
    kept = receipt()
    library.tidy("quiz_master")  # there is nothing at all
    library.install(kept, b"text")
    (library.folder / ".psreg-another.replaced/1.0.0").mkdir(parents=True)
    (library.folder / "quiz_master/0.9.0").mkdir()
    exports = library.folder / ".psreg-exports.json"  # of someone who exports to this folder
    exports.write_text("{}")
    library.tidy("quiz_master")
    assert library.receipts() == (kept,)
    left = [".lock", exports.name, "quiz_master"]
    assert sorted(path.name for path in library.folder.iterdir()) == left
    assert [path.name for path in (library.folder / "quiz_master").iterdir()] == ["1.0.0"]
    changed = library.folder.stat().st_mtime_ns
    library.tidy("quiz_master")
    assert library.folder.stat().st_mtime_ns == changed


def test_what_was_installed_stays_if_it_cannot_be_replaced(library, monkeypatch):
    kept = receipt()
    library.install(kept, b"text")
    rename = Path.rename

    def fail(path, target):
        if path.name == ".psreg-quiz_master":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(UnavailableError, match="No space left"):
        library.install(receipt(data=b"other"), b"other")
    assert library.receipts() == (kept,)
    assert library.drift(kept) is None


def test_after_a_crash_the_newest_receipt_wins_and_the_rest_goes(library):
    library.install(receipt("1.1.0", installed="2026-11-22T05:00:00Z"), b"text")
    spare = Library(library.folder.parent / "spare")
    spare.install(receipt(), b"text")
    folder = library.folder / "quiz_master"
    (spare.folder / "quiz_master" / "1.0.0").rename(folder / "1.0.0")
    (folder / "1.1.0" / ".psreg-unfinished").write_text("")
    (folder / "2.0.0").mkdir()
    (folder / "2.0.0" / "quiz_master.pbe.txt").write_text("no receipt yet")
    assert [r.release.version for r in library.receipts()] == ["1.1.0"]
    library.install(receipt("1.1.0"), b"text")
    assert files(library) == [
        "quiz_master/1.1.0/quiz_master.pbe.txt",
        "quiz_master/1.1.0/receipt.json",
    ]


def test_of_two_receipts_of_one_second_the_later_file_wins(library):
    library.install(receipt(), b"text")
    spare = Library(library.folder.parent / "spare")
    spare.install(receipt("1.1.0"), b"text")
    new = library.folder / "quiz_master" / "1.1.0"
    (spare.folder / "quiz_master" / "1.1.0").rename(new)
    for version, time in (("1.0.0", 2), ("1.1.0", 1)):
        os.utime(library.folder / "quiz_master" / version / "receipt.json", (time, time))
    assert library.receipt("quiz_master").release.version == "1.0.0"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        encode(receipt().to_json() | {"schema": "another/1"}),
        encode(receipt().to_json() | {"name": "other"}),
        encode(receipt().to_json() | {"name": 5}),
        encode(receipt().to_json() | {"version": "2.0.0"}),
        encode(receipt().to_json() | {"version": "../.."}),
        encode(receipt().to_json() | {"class": "../.."}),
        encode(receipt().to_json() | {"registry": None}),
        encode(receipt().to_json() | {"size": "x"}),
        encode(receipt().to_json() | {"metadata": []}),
        encode(receipt().to_json() | {"requires": []}),
        encode(receipt().to_json() | {"requires": {"words": 5}}),
        encode(receipt().to_json() | {"requires": {"words": "x"}}),
    ],
)
def test_a_receipt_that_is_none_does_not_count(library, document):
    path = library.install(receipt(), b"text")
    (path.parent / "receipt.json").write_bytes(document)
    assert library.receipts() == ()
    assert library.has("quiz_master")


def test_what_it_requires_is_kept_and_compared_with_what_replaces_it(library):
    library.install(receipt(requires={"words": "^1.0"}), b"text")
    library.install(receipt(name="exam", requires={}), b"text")
    document = receipt(name="older").to_json()
    del document["requires"]
    old = library.install(receipt(name="older"), b"text").parent / "receipt.json"
    old.write_bytes(encode(document))
    assert [each.requires for each in library.receipts()] == [{}, None, {"words": "^1.0"}]
    assert [*library.unmet({"words": "1.4.0"})] == [*library.unmet({"other": ""})] == []
    told = "quiz_master 1.0.0 requires words ^1.0, "
    assert [*library.unmet({"words": "2.0.0"})] == [("words", f"{told}and 2.0.0 replaces it")]
    gone = f"{told}which is not installed any more"
    assert [*library.unmet({"words": ""})] == [("words", gone)]
    assert [*library.unmet({"words": "", "quiz_master": ""})] == [*library.unmet({})] == []


def test_a_receipt_of_a_newer_psreg_is_neither_read_nor_damaged(library):
    other = receipt(name="diary")
    path = library.install(receipt(), b"text").parent / "receipt.json"
    library.install(other, b"text")
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "schema": "psreg.receipt/2"}))
    (library.folder / "words").mkdir()
    assert library.readable_receipts() == (other,)
    assert library.damaged() == ("words",)
    with pytest.raises(UnavailableError) as caught:
        library.receipts()
    assert caught.value.code == "NEWER_FORMAT"


def test_an_empty_library_lists_nothing(library):
    assert library.receipts() == ()
    assert not library.has("quiz_master")


def test_drift_is_told(library):
    kept = receipt()
    path = library.install(kept, b"text")
    assert library.drift(kept) is None
    path.write_bytes(b"texts")
    assert "SHA-256" in library.drift(kept)
    path.unlink()
    assert "cannot read" in library.drift(kept)
    path.symlink_to("/dev/zero")
    assert "cannot read" in library.drift(kept)


def test_exactly_the_chosen_release_is_held(library):
    simulator = Simulator().release(data=b"text").release("quiz_master", "1.1.0", b"text")
    record = read_record(encode(simulator.records["quiz_master"]), "quiz_master")
    old = choose(record, parse_request("quiz_master@1.0.0"))
    new = choose(record, parse_request("quiz_master"))
    assert not library.has_intact(old)
    path = library.install(receipt(), b"text")
    assert library.has_intact(old)
    assert not library.has_intact(new)
    path.write_bytes(b"changed")
    assert not library.has_intact(old)


def test_removing(library):
    library.install(receipt(), b"text")
    library.remove("quiz_master")
    assert files(library) == []
    with pytest.raises(UnavailableError):
        library.remove("quiz_master")


def test_a_library_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError) as caught:
        Library(tmp_path / "file" / "library").install(receipt(), b"text")
    assert caught.value.code == "CANNOT_WRITE"


# installed_artifact


def test_an_installed_artifact_is_found(library):
    path = library.install(receipt("1.2.0"), b"text")
    for text in ("quiz_master", "quiz_master@^1", "quiz_master@1.2.0"):
        assert installed_artifact(text) == (path, b"text")


def test_a_pre_release_is_found_by_its_name(library):
    path = library.install(receipt("1.0.0-rc.1"), b"text")
    assert installed_artifact("quiz_master") == (path, b"text")


@pytest.mark.parametrize("text", ["glossary", "quiz_master@^2"])
def test_what_is_not_installed_is_told_with_the_command(library, text):
    library.install(receipt("1.2.0"), b"text")
    with pytest.raises(UnavailableError) as caught:
        installed_artifact(text)
    assert (caught.value.code, caught.value.hint) == (
        "NOT_INSTALLED",
        f"Run `psreg install {text}`.",
    )


def test_a_misspelt_name_is_suggested(library):
    library.install(receipt(), b"text")
    with pytest.raises(UnavailableError) as caught:
        installed_artifact("quiz_mastr")
    assert caught.value.hint == (
        "Did you mean `quiz_master`? Otherwise run `psreg install quiz_mastr`."
    )


def test_what_names_nothing_is_a_usage_error(library):
    with pytest.raises(UsageError):
        installed_artifact("../quiz")
