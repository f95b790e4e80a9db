"""Publishing as the catalogue grows: what is retired, what is removed, and the former layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from psreg.core.errors import TrustError
from psreg.registry.catalog_head import Head, head_of, segment_data
from psreg.registry.catalog_segments import folded_rows, read_segment
from psreg.registry.keys.rotation import make_signed_current
from psreg.registry.publish import Change, publish
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.retired_files import RETIRED, read_retired
from psreg.registry.trust.roles import Target, target_path
from support.publishing import (
    CLEAN,
    FIRST,
    NOW,
    Died,
    Dying,
    Tree,
    entry,
    files,
    founded,
    ports,
    release,
    renewed,
    signer_of,
    state_of,
    write,
)

DAY = timedelta(days=1)


def head(registry: Path) -> Head:
    found = head_of(state_of(registry))
    assert found is not None
    return found


def retired(registry: Path) -> set[str]:
    """Return the paths of the files that are listed as retired."""
    lines = read_retired((registry / RETIRED).read_bytes(), 10**6)
    return {path for line in lines for path in line.paths}


def versions(registry: Path) -> dict[str, str]:
    """Return the version of each name in the catalogue."""
    read = ports(registry, registry).store.read
    segments = [read_segment(segment_data(each, read)) for each in head(registry).segments]
    return {name: row["version"] for name, row in folded_rows(segments).items()}


def with_versions(number: int) -> Tree:
    return FIRST | entry("alpha", *(f"1.{minor}.0" for minor in range(number)))


def test_each_publish_adds_a_small_segment(home: Path, registry: Path) -> None:
    many = {path: data for at in range(8) for path, data in entry(f"n{at}", "1.0.0").items()}
    release(home, registry, many)
    (whole,) = head(registry).segments
    release(home, registry, many | entry("n3", "1.0.0", "1.1.0"), NOW + DAY)
    assert head(registry).version == 2
    assert head(registry).count == 8
    assert head(registry).segments[0] == whole
    assert [segment.count for segment in head(registry).segments] == [8, 1]
    assert versions(registry) == {f"n{at}": "1.1.0" if at == 3 else "1.0.0" for at in range(8)}


def test_what_is_not_in_the_catalogue_changes_no_segment(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = head(registry)
    owned = FIRST | {
        path: b"owners = []\nthreshold = 2\n" for path in FIRST if "entry" in path.name
    }
    release(home, registry, owned, NOW + DAY)
    after = head(registry)
    assert (after.segments, after.version) == (before.segments, 2)
    assert any(path.startswith("targets/pkg/") for path in retired(registry))


def test_old_files_are_removed_when_their_time_has_come(home: Path, registry: Path) -> None:
    release(home, registry, with_versions(1))
    first = files(registry)
    for day in (1, 2, 29, 31):
        release(home, registry, with_versions(day + 1), NOW + day * DAY)
        kept = files(registry)
        assert (first.keys() <= kept.keys()) == (day < 31), day
        state = state_of(registry)
        assert retired(registry).isdisjoint(in_force(state))
        assert versions(registry)["alpha"] == f"1.{day}.0"
    gone = first.keys() - files(registry).keys()
    assert all(path.startswith(("metadata/1.", "targets/", "log/tile/")) for path in gone)
    assert "metadata/1.root.json" not in gone
    assert "metadata/1.snapshot.json" not in gone  # the second publish replaced it, 29 days ago
    release(home, registry, with_versions(40), NOW + 32 * DAY)
    assert "metadata/1.snapshot.json" not in files(registry)


def test_a_file_that_is_gone_before_its_time_stops_nothing(home: Path, registry: Path) -> None:
    """A publish that was killed after it had removed some files leaves such a folder."""
    for day in (0, 1):
        release(home, registry, with_versions(day + 1), NOW + day * DAY)
    gone = next(path for path in retired(registry) if "/pkg/" in path)
    (registry / gone).unlink()
    release(home, registry, with_versions(3), NOW + 40 * DAY)
    assert gone not in retired(registry)


def in_force(state: RegistryState) -> set[str]:
    """Return the paths that a state refers to."""
    found = head_of(state)
    assert found is not None
    paths = {f"metadata/{each.version}.{role}.json" for role, each in state.documents.items()}
    paths |= {target_path(path, target.sha256) for path, target in state.targets.items()}
    return paths | {segment.path for segment in found.segments}


def test_nothing_is_removed_that_an_unexpired_timestamp_refers_to(
    home: Path, registry: Path
) -> None:
    lasting = {"timestamp": timedelta(days=100), "snapshot": timedelta(days=100)}
    for day in (0, 1, 40, 99, 101):
        release(home, registry, with_versions(day + 1), NOW + day * DAY, lifetimes=lasting)
        assert ("metadata/1.r4-0.json" in files(registry)) is True
        alpha = [path for path in files(registry) if path.endswith(".alpha.json")]
        assert len(alpha) == {0: 1, 1: 2, 40: 3, 99: 4, 101: 3}[day]


def test_a_renewal_retires_nothing_by_itself(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = head(registry)
    renewed(home, registry, 300 * DAY)
    assert head(registry) == before
    release(home, registry, with_versions(2), NOW + 301 * DAY)
    assert "metadata/1.r4-0.json" in retired(registry)
    assert "metadata/1.root.json" not in retired(registry)


def test_synonyms_are_in_the_head_until_the_policy_has_others(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = head(registry)
    assert before.synonyms == ()
    for lines in (("ward, unit",), ("ward, bed",)):
        release(home, registry, FIRST, change=Change(synonyms=lines))
        assert head(registry).synonyms == lines
        assert head(registry).segments == before.segments
        release(home, registry, FIRST)
        make_signed_current(NOW, ports(home, registry))
        assert head(registry).synonyms == lines
    version = head(registry).version
    assert version == before.version + 2
    release(home, registry, FIRST, change=Change(synonyms=()))
    assert head(registry).synonyms == ()


def test_a_segment_that_was_altered_is_not_merged(home: Path, registry: Path) -> None:
    founded(home, registry)
    (segment,) = head(registry).segments
    (registry / segment.path).write_bytes(b"{}")
    with pytest.raises(TrustError) as caught:
        release(home, registry, with_versions(2), NOW + DAY)
    assert caught.value.code == "TRUST_DIGEST"


def test_the_former_layout_is_migrated_and_kept_for_its_time(home: Path, registry: Path) -> None:
    founded(home, registry)
    shard = {"schema": "psreg.catalog/1", "shard": "prompt", "count": 0}
    old = make_former(home, registry, json.dumps(shard).encode())
    assert head_of(state_of(registry)) is None
    release(home, registry, FIRST, NOW + DAY)
    assert versions(registry) == {"alpha": "1.0.0", "beta": "0.1.0"}
    assert "catalog/prompt.json" not in state_of(registry).targets
    assert old in retired(registry)
    assert old in files(registry)
    release(home, registry, with_versions(2), NOW + 40 * DAY)
    assert old not in files(registry)


def make_former(home: Path, registry: Path, shard: bytes) -> str:
    """Sign a shard in place of the head, as versions of psreg before it did; return its path."""
    state, signer = state_of(registry), signer_of(home, registry)
    changes = {"catalog/head.json": None, "catalog/prompt.json": Target.of(shard)}
    path = target_path("catalog/prompt.json", Target.of(shard).sha256)
    ports(home, registry).store.write(path, shard)
    write(registry, issue(state, changes, signer))
    return path


def test_the_policy_says_how_long_files_are_kept(home: Path, registry: Path) -> None:
    founded(home, registry)
    old = [path for path in files(registry) if path.endswith(".alpha.json")]
    at: datetime = NOW
    for day in (1, 17):
        at = NOW + day * DAY
        release(home, registry, with_versions(day + 1), at, keep=DAY)
    assert not set(old) & files(registry).keys()  # 14 days: the timestamp lasted longer


# The list of what is retired


def test_the_head_does_not_grow_with_the_number_of_publishes(home: Path, registry: Path) -> None:
    sizes = []
    for minor in range(40):
        release(home, registry, with_versions(minor + 1), NOW + timedelta(minutes=minor))
        path = state_of(registry).catalog["head"].path
        sizes.append((registry / path).stat().st_size)
    assert max(sizes[20:]) <= max(sizes[:20]) + 10
    assert len((registry / RETIRED).read_bytes().splitlines()) == 39


def test_no_line_removes_what_is_in_force(home: Path, registry: Path) -> None:
    release(home, registry, with_versions(2))
    paths = sorted(path for path in files(registry) if path != "targets/retired.jsonl")
    line = {
        "after": 0,
        "until": "2000-01-01T00:00:00Z",
        "paths": [*paths, "../pbes", "policy.toml"],
    }
    (registry / RETIRED).write_text(json.dumps(line) + "\n")
    release(home, registry, with_versions(3), NOW + DAY)
    state = state_of(registry)
    assert in_force(state) - {"metadata/2.timestamp.json"} <= files(registry).keys()
    assert set(paths) <= files(registry).keys()
    release(home, registry, with_versions(4), NOW + 2 * DAY)
    state_of(registry)


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"after": 0}', b'{"after": "x", "until": "", "paths": []}', b"\xff", b"[" * 9_999],
    ids=lambda line: line[:9].decode(errors="replace"),
)  # fmt: skip
def test_a_damaged_line_keeps_its_files(home: Path, registry: Path, line: bytes) -> None:
    founded(home, registry)
    release(home, registry, with_versions(2), NOW + DAY)
    before, listed = files(registry), retired(registry)
    (registry / RETIRED).write_bytes(line + b"\n" + (registry / RETIRED).read_bytes())
    release(home, registry, with_versions(3), NOW + 2 * DAY)
    assert before.keys() <= files(registry).keys()
    assert listed < retired(registry)


def test_without_the_list_old_metadata_is_listed_again(home: Path, registry: Path) -> None:
    founded(home, registry)
    release(home, registry, with_versions(2), NOW + DAY)
    release(home, registry, with_versions(3), NOW + 2 * DAY)
    listed = {path for path in retired(registry) if path.startswith("metadata/")}
    (registry / RETIRED).unlink()
    release(home, registry, with_versions(4), NOW + 3 * DAY)
    assert listed <= retired(registry)


@pytest.mark.parametrize("again", [release, lambda *args: renewed(*args[:2], 2 * DAY)])
def test_what_an_interrupted_publish_listed_counts_for_nothing(
    home: Path, registry: Path, again: Callable[..., object]
) -> None:
    founded(home, registry)
    release(home, registry, with_versions(2), NOW + DAY)
    real, listed = ports(home, registry), retired(registry)
    with pytest.raises(Died):
        publish(with_versions(3), CLEAN, NOW + DAY, Dying(real, 8))  # type: ignore[arg-type]
    assert b'"after":2' in (registry / RETIRED).read_bytes()
    again(home, registry, with_versions(2), NOW + 2 * DAY)
    assert retired(registry) == listed
