"""What is kept in the cache: in one go, and what cannot be kept stops nothing."""

from contextlib import contextmanager

import pytest

from psreg.client import artifacts
from psreg.client.project.cache import Cache
from psreg.core.errors import UnavailableError
from support.shelves import ID, Shelf

NAMES = ("diary", "quiz", "words")


@pytest.fixture
def releases():
    shelf = Shelf()
    for name in NAMES:
        shelf.release(name)
    found = map(shelf.verified, NAMES)
    return [(each, shelf.artifact(str(each.release.artifact), 0)) for each in found]


def test_many_releases_are_kept_under_one_lock(tmp_path, releases, monkeypatch):
    held = []

    @contextmanager
    def counted(lock, wait):
        with exclusive(lock, wait):
            held.append(lock)
            yield

    exclusive = artifacts.exclusive
    monkeypatch.setattr(artifacts, "exclusive", counted)
    cache = Cache(tmp_path / "cache")
    cache.keep(releases)
    cache.keep(releases)  # there is nothing to write
    assert held == [tmp_path / "cache" / ".lock"]
    for verified, data in releases:
        assert cache.release(ID, verified.release.name, "1.0.0") == verified
        assert cache.artifact(verified.row.sha256) == data
    assert [*cache.damaged()] == []


def test_what_cannot_be_kept_is_left_out(tmp_path, releases, monkeypatch):
    def refusing(place, *more, **named):
        if place.name == releases[0][0].row.sha256:
            raise UnavailableError("CANNOT_WRITE", "the disk is full")
        write_own(place, *more, **named)

    write_own = artifacts.write_own
    monkeypatch.setattr(artifacts, "write_own", refusing)
    cache = Cache(tmp_path / "cache")
    cache.keep(releases)
    kept = [cache.artifact(verified.row.sha256) for verified, _ in releases]
    assert kept == [None, *(data for _, data in releases[1:])]


def test_what_killed_runs_left_is_removed(tmp_path, releases):
    cache = Cache(tmp_path / "cache")
    place = cache.place("artifacts", releases[0][0].row.sha256)
    place.parent.mkdir(parents=True)
    for folder in (place.parent, cache.folder):
        (folder / ".psreg-0123456789abcdef").write_bytes(b"half")
    (cache.folder / ".psreg-artifacts-7/ab").mkdir(parents=True)
    (cache.folder / ".psreg-exports.json").write_bytes(b"a list of someone's exports")
    cache.keep(releases)
    assert [*place.parent.iterdir()] == [place]
    cache.tidy()
    left = {path.name for path in cache.folder.iterdir()}
    assert left == {".lock", "artifacts", "releases", ".psreg-exports.json"}
