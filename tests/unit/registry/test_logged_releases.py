"""A publish logs every release, keeps what clients need of the log, and notices what is gone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from psreg.core.errors import TrustError
from psreg.registry.log.checkpoint import NoteKey, verified
from psreg.registry.log.growth import check_continues, check_logged, tiles_of
from psreg.registry.log.tiles import Tile, entries_in
from psreg.registry.publish import publish
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import info_of
from support.publishing import (
    CLEAN,
    FIRST,
    NOW,
    SECOND,
    client_reads,
    entry,
    files,
    founded,
    logless,
    memory_ports,
    ports,
    release,
    renewed,
    signer_of,
    state_of,
    write,
)

DAY = timedelta(days=1)
COPY = "log/checkpoint"


def keys(registry: Path) -> list[NoteKey]:
    return list(map(NoteKey.parse, info_of(state_of(registry).root).log))


def of_log(registry: Path) -> dict[str, bytes]:
    folders = ("log/", "targets/log/")
    return {path: data for path, data in files(registry).items() if path.startswith(folders)}


def records(registry: Path) -> list[PackageRecord]:
    return [read_record(data, name) for name, data in state_of(registry).packages.items()]


def test_every_release_is_in_the_log_when_it_is_published(home: Path, registry: Path) -> None:
    founded(home, registry)
    release(home, registry, SECOND, NOW + DAY)
    note = state_of(registry).checkpoint
    assert note is not None
    assert (registry / COPY).read_bytes() == note
    newest = verified(note, *keys(registry))
    assert newest.size == 4
    bundle = (registry / "log/tile/entries/000.p/4").read_bytes()
    logged = entries_in(bundle, Tile(level=None, index=0, width=4))
    for record in records(registry):
        for row in record.releases:
            assert row.log is not None
            said = record.log_entry(row)
            assert logged[row.log.index] == said.data
            at = check_logged(said, row.log, keys(registry))
            assert at.size == (2 if row.version in {"1.0.0", "0.1.0"} else 4)
            check_continues(at, newest, tiles_of(ports(home, registry).store.read))


def test_the_place_of_a_release_never_changes(home: Path, registry: Path) -> None:
    founded(home, registry)
    places = {record.name: record.releases[0].log for record in records(registry)}
    owned = FIRST | entry("alpha", "1.0.0", "1.1.0") | entry("gamma", "1.0.0")
    for path in owned:
        if path.name == "entry.toml":
            owned[path] = b'owners = [{forge = "github", id = 7, login = "x"}]\nthreshold = 1\n'
    release(home, registry, owned, NOW + DAY)
    after = {record.name: record for record in records(registry)}
    for name, place in places.items():
        record = after[name]
        assert record.owners
        assert record.releases[0].log == place
        check_logged(record.log_entry(record.releases[0]), place, keys(registry))
    now, then = after["alpha"].releases[1].log, places["alpha"]
    assert now is not None
    assert then is not None
    assert now.owners != then.owners


def test_without_new_releases_the_log_stays(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = of_log(registry)
    yanked = entry("alpha", "1.0.0", yanked='[[yanked]]\nversion = "1.0.0"\nreason = "Old."\n')
    release(home, registry, FIRST | yanked, NOW + DAY)
    renewed(home, registry, 300 * DAY)
    assert of_log(registry) == before


def test_files_that_only_a_former_checkpoint_needs_go_in_time(home: Path, registry: Path) -> None:
    """A full tile stays for ever; one that was not full stays as long as other former files."""
    many = entry("alpha", *(f"1.{minor}.0" for minor in range(255)))
    release(home, registry, many)
    grown = many | entry("beta", "1.0.0", "1.1.0")
    release(home, registry, grown, NOW + DAY)
    former = {"log/tile/0/000.p/255", "log/tile/entries/000.p/255"}
    full = {"log/tile/0/000", "log/tile/entries/000"}
    assert former | full <= files(registry).keys()
    for day in (31, 32):
        grown |= entry("gamma", *(f"1.{minor}.0" for minor in range(day)))
        release(home, registry, grown, NOW + day * DAY)
    there = files(registry).keys()
    assert full <= there
    assert former.isdisjoint(there)
    partial = {path for path in there if path.startswith("log/tile/0/") and ".p/" in path}
    assert partial == {f"log/tile/0/001.p/{width}" for width in (1, 32, 33)}


def test_the_checkpoint_of_a_former_state_goes_too(home: Path, registry: Path) -> None:
    founded(home, registry)
    target = state_of(registry).targets[COPY].sha256
    release(home, registry, SECOND, NOW + DAY)
    assert f"targets/log/{target}.checkpoint" in files(registry)
    release(home, registry, SECOND | entry("delta", "1.0.0"), NOW + 40 * DAY)
    assert f"targets/log/{target}.checkpoint" not in files(registry)


def test_without_the_key_of_the_log_nothing_new_is_released(home: Path, registry: Path) -> None:
    """What is not a release needs it not."""
    founded(home, registry)
    (key,) = home.glob("keys/*/log.pem")
    other = next(home.glob("keys/*/online.pem")).read_bytes()
    pem = key.read_bytes()
    for wrong in (None, other):
        key.unlink(missing_ok=True)
        if wrong is not None:
            write_private(key, wrong)
        told = refused(lambda: release(home, registry, SECOND), registry, "KEY_MISSING")
        assert "log.pem" in told
        assert release(home, registry, FIRST).written == 0
        renewed(home, registry, DAY)
    key.write_bytes(pem)
    assert len(release(home, registry, SECOND, NOW + DAY).released) == 2


def write_private(key: Path, pem: bytes) -> None:
    key.touch(mode=0o600)
    key.write_bytes(pem)


def refused(call: Callable[[], object], registry: Path, code: str = "TRUST_LOG") -> str:
    """Return the message of a refusal that touched nothing in the registry."""
    before = files(registry)
    with pytest.raises(TrustError) as caught:
        call()
    assert caught.value.code == code
    assert files(registry) == before
    return str(caught.value)


def sign_checkpoint(home: Path, registry: Path, target: object) -> None:
    """Sign another target, or None, as that of the log, as anyone with the online key can."""
    documents = issue(state_of(registry), {COPY: target}, signer_of(home, registry), 2)  # type: ignore[dict-item]
    write(registry, documents)


def test_a_registry_that_hides_its_log_is_not_published(home: Path, registry: Path) -> None:
    founded(home, registry)
    sign_checkpoint(home, registry, None)
    assert state_of(registry).checkpoint is None
    for tree in (FIRST, SECOND):
        refused(lambda tree=tree: release(home, registry, tree), registry)


@pytest.mark.parametrize("tile", ["log/tile/0/000.p/2", "log/tile/entries/000.p/2"])
@pytest.mark.parametrize("damage", [None, b"", b"x" * 64], ids=["gone", "empty", "altered"])
def test_a_damaged_log_does_not_grow(
    home: Path, registry: Path, tile: str, damage: bytes | None
) -> None:
    founded(home, registry)
    place = registry / tile
    place.unlink() if damage is None else place.write_bytes(damage)
    refused(lambda: release(home, registry, SECOND), registry)


def test_a_damaged_copy_of_the_checkpoint_is_mended(home: Path, registry: Path) -> None:
    founded(home, registry)
    good = (registry / COPY).read_bytes()
    for damage in (None, b"", good[:-9]):
        (registry / COPY).unlink() if damage is None else (registry / COPY).write_bytes(damage)
        assert release(home, registry, FIRST).written == 1
        assert (registry / COPY).read_bytes() == good


def test_a_registry_of_an_older_psreg_has_no_log(
    home: Path, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its root does not name one, and only the keys of the root can change that."""
    with monkeypatch.context() as older:
        logless(older)
        release(home, registry, FIRST)
    (log_key,) = home.glob("keys/*/log.pem")
    log_key.unlink()  # there was no such key
    release(home, registry, SECOND, NOW + DAY)
    assert not of_log(registry)
    assert not [row for record in records(registry) for row in record.releases if row.log]
    wanted = state_of(registry).packages["gamma"]
    assert client_reads(registry, tmp_path / "client", "gamma") == wanted


def test_a_first_publish_without_releases_signs_an_empty_log() -> None:
    real = memory_ports()
    publish({}, CLEAN, NOW, real)
    note = real.store.read(COPY)
    assert note is not None
    assert note.splitlines()[1] == b"0"
    assert not [path for path in real.store.files if path.startswith("log/tile/")]
    assert len(publish(FIRST, CLEAN, NOW + DAY, real).released) == 2
    assert "log/tile/0/000.p/2" in real.store.files
