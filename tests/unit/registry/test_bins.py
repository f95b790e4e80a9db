"""More names get more bins: what a publish moves, what clients see, and what dying leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from psreg.client.tufclient import TufClient
from psreg.core.errors import TrustError
from psreg.http.registry_source import FileSource
from psreg.registry.baseline import Ports
from psreg.registry.catalog_head import head_of
from psreg.registry.keys.cosigning import cosign
from psreg.registry.publish import PublishResult, publish
from psreg.registry.trust.roles import RELEASES, Bins
from support.publishing import (
    CLEAN,
    NOW,
    Died,
    Dying,
    Tree,
    client_reads,
    copied,
    entry,
    files,
    former_bins,
    founded,
    kept,
    ports,
    put,
    release,
    renewed,
    state_of,
)
from support.walks import sampled

FEW, MORE = Bins(bits=4), Bins(bits=6)
DAY = timedelta(days=1)


def names(count: int) -> Tree:
    """Return the files of as many entries, the first of which is `n0`."""
    return {path: data for at in range(count) for path, data in entry(f"n{at}", "1.0.0").items()}


FULL, OVER = names(256), names(257)


def publish_full(home: Path, registry: Path) -> PublishResult:
    return release(home, registry, FULL)


@pytest.fixture
def full(home: Path, registry: Path) -> None:
    """A registry with as many names as 16 bins are for."""
    copied(publish_full, home, registry)
    assert state_of(registry).bins == FEW


@pytest.mark.usefixtures("full")
def test_one_name_more_moves_all_to_more_bins(home: Path, registry: Path) -> None:
    before, old = state_of(registry), files(registry)
    result = release(home, registry, OVER, NOW + DAY)
    after, new = state_of(registry), files(registry)
    assert after.bins == MORE
    assert after.packages.items() > before.packages.items()
    assert set(after.documents) == {
        "root",
        "timestamp",
        "snapshot",
        "targets",
        RELEASES,
        *MORE.roles,
    }
    for role in MORE.roles:
        assert all(MORE.of(path) == role for path in after.documents[role].signed.targets)
        assert after.documents[role].registry_id == after.registry_id
    # 64 bins, releases, snapshot, timestamp; the record, the head, a segment, what is retired; two
    # tiles of the log, its checkpoint and the copy of that
    assert result.written == 64 + 3 + 4 + 4
    assert result.expires == NOW + DAY + timedelta(days=14)
    assert kept(old).items() <= new.items()
    assert release(home, registry, OVER, NOW + DAY).written == 0


@pytest.mark.usefixtures("full")
def test_no_version_ever_falls_and_no_bin_is_forgotten(home: Path, registry: Path) -> None:
    """A client refuses a snapshot that lacks a role of the one before."""
    before = state_of(registry).versions
    release(home, registry, OVER, NOW + DAY)
    after = state_of(registry).versions
    assert before.keys() <= after.keys()
    assert all(after[role] >= version for role, version in before.items())
    assert all(after[role] == before[role] for role in FEW.roles)


@pytest.mark.usefixtures("full")
def test_the_bins_before_are_kept_for_their_time(home: Path, registry: Path) -> None:
    former = {f"metadata/1.{role}.json" for role in FEW.roles}
    release(home, registry, OVER, NOW + DAY)
    assert former <= files(registry).keys()
    release(home, registry, names(258), NOW + 2 * DAY)
    release(home, registry, names(259), NOW + 31 * DAY)
    assert former <= files(registry).keys()
    release(home, registry, names(260), NOW + 33 * DAY)
    assert not former & files(registry).keys()
    release(home, registry, names(261), NOW + 34 * DAY)
    assert len(state_of(registry).packages) == 261


@pytest.mark.usefixtures("full")
def test_fewer_names_keep_their_bins(home: Path, registry: Path) -> None:
    release(home, registry, OVER, NOW + DAY)
    yanked = {p: b'[yanked]\n"1.0.0" = "Bad."\n' for p in OVER if p.name == "entry.toml"}
    release(home, registry, OVER | yanked, NOW + 2 * DAY)
    assert state_of(registry).bins == MORE


@pytest.mark.usefixtures("full")
def test_a_renewal_moves_nothing(home: Path, registry: Path) -> None:
    renewed(home, registry, 300 * DAY)
    assert state_of(registry).bins == FEW


def test_the_bins_of_an_older_psreg(home: Path, registry: Path, tmp_path: Path) -> None:
    """They are 256, and one of them lists the head, which moves to `releases`."""
    release(home, registry, names(3))
    former_bins(home, registry)
    before = state_of(registry)
    assert before.bins == Bins(bits=8)
    assert dict(before.documents[RELEASES].signed.targets) == {}
    assert {*before.catalog} == {"head"}
    assert client_reads(registry, tmp_path / "client", "n0") == before.packages["n0"]
    result = release(home, registry, names(3), NOW + DAY)
    after = state_of(registry)
    # releases, the bins that listed the head and the checkpoint, and those above
    assert (after.bins, result.written) == (before.bins, 5)
    assert head_of(after) == head_of(before)
    assert "catalog/head.json" in after.documents[RELEASES].signed.targets
    assert not after.documents[after.bins.of("catalog/head.json")].signed.targets.keys() & {
        "catalog/head.json"
    }
    assert client_reads(registry, tmp_path / "client", "n0") == after.packages["n0"]
    assert release(home, registry, names(3), NOW + DAY).written == 0


# Clients


def psreg_reads(registry: Path, state: Path, name: str) -> bytes | None:
    """Return the record that psreg's own client accepts."""
    root = (registry / "metadata/1.root.json").read_bytes()
    said: list[str] = []
    found = TufClient(FileSource(registry.parent), root, state, said.append)
    data = found.target(f"pkg/{name}.json", 10**6)
    assert not said
    return data


@pytest.mark.parametrize("reads", [client_reads, psreg_reads])
@pytest.mark.usefixtures("full")
def test_a_client_with_an_older_state_follows(
    home: Path, registry: Path, tmp_path: Path, reads: Callable[[Path, Path, str], bytes | None]
) -> None:
    cache = tmp_path / "cache"
    for tree, day in ((FULL, 0), (OVER, 1), (names(258), 2), (names(270), 40)):
        release(home, registry, tree, NOW + day * DAY)
        for name in ("n0", "n255", "n256", "n269"):
            found = reads(registry, cache, name)
            assert found == state_of(registry).packages.get(name)
    assert state_of(registry).bins == MORE


@pytest.mark.usefixtures("full")
def test_a_mirror_cannot_go_back_to_the_bins_before(
    home: Path, registry: Path, tmp_path: Path
) -> None:
    old = files(registry)
    release(home, registry, OVER, NOW + DAY)
    cache = tmp_path / "cache"
    assert psreg_reads(registry, cache, "n256")
    put(registry, files(registry) | {k: old[k] for k in ("metadata/timestamp.json",)})
    with pytest.raises(TrustError) as caught:
        psreg_reads(registry, cache, "n256")
    assert caught.value.code == "TRUST_ROLLBACK"


@pytest.mark.usefixtures("full")
def test_a_bin_before_cannot_stand_for_a_bin_of_now(
    home: Path, registry: Path, tmp_path: Path
) -> None:
    """Both have version 1 and the same key; the name in them tells one from the other."""
    release(home, registry, OVER, NOW + DAY)
    now, was = (f"metadata/1.{bins.of('pkg/n256.json')}.json" for bins in (MORE, FEW))
    put(registry, files(registry) | {now: files(registry)[was]})
    with pytest.raises(TrustError) as caught:
        psreg_reads(registry, tmp_path / "cache", "n256")
    assert caught.value.code == "TRUST_ROLE"


def cosigned(home: Path, registry: Path) -> PublishResult:
    return cosign(b"", NOW + DAY, ports(home, registry))


def resigned(home: Path, registry: Path) -> PublishResult:
    return renewed(home, registry, DAY)


@pytest.mark.parametrize("sign", [resigned, cosigned])
@pytest.mark.parametrize(
    ("other", "code"),
    [("1.r4-5", "TRUST_ROLE"), ("1.releases", "TRUST_ROLE"), ("", "TRUST_MIXED")],
)
def test_what_stands_for_a_bin_is_not_signed_again(
    home: Path, registry: Path, sign: Callable[[Path, Path], PublishResult], other: str, code: str
) -> None:
    """All that is signed is a new timestamp, which still vouches for every bin."""
    founded(home, registry)
    bin_ = registry / "metadata/1.r4-0.json"
    if other:
        shutil.copy(registry / f"metadata/{other}.json", bin_)
    else:
        bin_.unlink()
    before = files(registry)
    with pytest.raises(TrustError) as caught:
        sign(home, registry)
    assert (caught.value.code, files(registry)) == (code, before)


# Dying


def publish_more(p: Ports) -> PublishResult:
    return publish(OVER, CLEAN, NOW + timedelta(hours=1), p)


def migrate(p: Ports) -> PublishResult:
    return publish(FULL | entry("other", "1.0.0"), CLEAN, NOW + timedelta(hours=1), p)


@pytest.mark.parametrize("torn", sampled([False, True], 1), ids={False: "clean", True: "torn"}.get)
@pytest.mark.parametrize("step", [publish_more, migrate])
@pytest.mark.usefixtures("full")
def test_dying_anywhere_leaves_the_old_or_the_new_bins(
    home: Path,
    registry: Path,
    tmp_path: Path,
    step: Callable[[Ports], PublishResult],
    *,
    torn: bool,
) -> None:
    if step is migrate:
        former_bins(home, registry)
    old, real = files(registry), ports(home, registry)
    patient = Dying(real, 10_000)
    step(patient)  # type: ignore[arg-type]
    steps, new = 10_000 - patient._left, files(registry)
    allowed = {old["metadata/timestamp.json"], new["metadata/timestamp.json"]}
    cache = tmp_path / "cache"
    for last in (0, *sampled(range(1, steps - 3), 4), *range(steps - 3, steps)):
        put(registry, old)
        shutil.rmtree(cache, ignore_errors=True)
        assert client_reads(registry, cache, "n0")
        with pytest.raises(Died):
            step(Dying(real, last, torn=torn))  # type: ignore[arg-type]
        assert files(registry)["metadata/timestamp.json"] in allowed
        found = state_of(registry)
        assert client_reads(registry, cache, "n0") == found.packages["n0"]
        step(real)
        assert files(registry) == new, f"after dying at change {last}"
        assert real.journal.pending() is None
