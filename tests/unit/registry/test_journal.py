"""The note of an unfinished publish, and the lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from psreg.core.errors import UnavailableError
from psreg.registry.baseline import Intent
from psreg.registry.journal import PublishJournal, Seen

INTENT = Intent(registry_id="0" * 32, after=3, targets=("targets/pkg/x.json",))


def test_a_note_lasts_until_it_is_dropped(tmp_path: Path) -> None:
    journal = PublishJournal(tmp_path / "state", tmp_path / "registry")
    assert journal.pending() is None
    journal.begin(INTENT)
    again = PublishJournal(tmp_path / "state", tmp_path / "x" / ".." / "registry")
    assert again.pending() == INTENT
    assert PublishJournal(tmp_path / "state", tmp_path / "other").pending() is None
    assert journal.holds() is None
    for registry_id in ("0" * 32, "0" * 32, "1" * 32):
        journal.finish(registry_id)
        assert journal.holds() == registry_id
    assert journal.pending() is None
    assert not (tmp_path / "registry").exists()


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"registry_id":"","after":"x"}', b"\xff"])
def test_a_note_that_means_nothing_is_none(tmp_path: Path, data: bytes) -> None:
    journal = PublishJournal(tmp_path, tmp_path / "registry")
    journal.begin(INTENT)
    (note,) = (tmp_path / "publish").iterdir()
    note.write_bytes(data)
    assert journal.pending() is None


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    journal = PublishJournal(tmp_path, tmp_path / "registry")
    journal.begin(INTENT)
    journal.finish("0" * 32)
    journal.begin(INTENT)
    for note in (tmp_path / "publish").iterdir():
        note.unlink()
        note.mkdir()
    for call in (journal.pending, journal.holds, lambda: journal.finish("0" * 32)):
        with pytest.raises(UnavailableError):
            call()
    next((tmp_path / "publish").glob("*.id")).rmdir()
    with pytest.raises(UnavailableError):
        journal.finish("0" * 32)
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError):
        PublishJournal(tmp_path / "file", tmp_path / "registry").begin(INTENT)


_HOLD = """
import sys
from pathlib import Path
from psreg.registry.journal import PublishJournal, Seen
with PublishJournal(Path(sys.argv[1]), Path(sys.argv[2])).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_at_a_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLD, str(tmp_path), str(tmp_path / "registry")]
    journal = PublishJournal(tmp_path, tmp_path / "registry")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UnavailableError) as caught, journal.lock(wait=0):
            pass
        assert caught.value.code == "LOCKED"
        with PublishJournal(tmp_path, tmp_path / "elsewhere").lock(wait=0):
            pass
        other.kill()
    with journal.lock():  # a lock dies with the process that holds it
        pass


@pytest.mark.parametrize("data", [b"", b"\xff", b"../../x"])
def test_an_id_that_means_nothing_is_none(tmp_path: Path, data: bytes) -> None:
    journal = PublishJournal(tmp_path, tmp_path / "registry")
    journal.finish("0" * 32)
    (note,) = (tmp_path / "publish").iterdir()
    note.write_bytes(data)
    assert journal.holds() is None


def test_what_was_seen_is_remembered_for_the_folder(tmp_path: Path) -> None:
    journal = PublishJournal(tmp_path / "state", tmp_path / "registry")
    assert journal.seen() is None
    seen = Seen(head="a" * 64, tree="b" * 40, places=("pbes/prompt/a", "pbes"))
    journal.remember(seen)
    assert journal.seen() == seen
    (file,) = (tmp_path / "state/publish").glob("*.seen")
    before = file.stat().st_mtime_ns
    journal.remember(seen)
    assert file.stat().st_mtime_ns == before
    assert PublishJournal(tmp_path / "state", tmp_path / "other").seen() is None


@pytest.mark.parametrize("place", ["/etc", "pbesx", "pbes/..", "pbes/../..", "../pbes", ""])
def test_places_outside_of_the_entries_are_not_believed(tmp_path: Path, place: str) -> None:
    journal = PublishJournal(tmp_path, tmp_path / "registry")
    journal.remember(Seen(head="a" * 64, tree="b" * 40, places=(place,)))
    assert journal.seen() is None
