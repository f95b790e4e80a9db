"""What a registry will be asked for, as far as its answers tell that are not verified yet.

The timestamp names the snapshot, that the roles, and they the targets; each is begun to be fetched
as soon as its name is known, while what came before is verified. What is wrong here is fetched in
vain: only what python-tuf asks for, and accepts, is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from psreg.client.metadata_cache import MAX_METADATA
from psreg.client.verified.target_files import REGISTRY
from psreg.core.errors import UnavailableError
from psreg.http.prefetching import PrefetchingSource
from psreg.registry.trust.roles import (
    CHECKPOINT,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP_PATH,
    Target,
    metadata_path,
    possible_bins,
    target_path,
)
from psreg.system.files import read_named, read_own

MAX_ROOT, MAX_TIMESTAMP, MAX_SNAPSHOT = 512_000, 16_384, 2_000_000
"""Bytes of metadata, at most: python-tuf's own limits."""

LARGEST = 1024 * 1024
"""Bytes of a target, or of what follows from one, that are fetched ahead, at most."""

Follow = Callable[[bytes], Iterable[tuple[str, int]]]
"""Returns, for the unverified bytes of a target, the paths that are read next, with their sizes."""

TIMESTAMP = REGISTRY + TIMESTAMP_PATH


def next_root(version: int) -> str:
    """Return the path in a source of the root that would follow the one with a version."""
    return REGISTRY + metadata_path(ROOT, version + 1)


class Ahead:
    """Asks `source` ahead; `folder` is the state of its registry. Errors are for the readers."""

    def __init__(self, source: PrefetchingSource, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._wanted: dict[str, Follow | None] = {}

    def want(self, path: str, follow: Follow | None = None) -> None:
        """Say that the target at `path` will be read, and perhaps what follows from it."""
        self._wanted[path] = follow

    def begin(self, root: int | None = None, known: bytes | None = None) -> None:
        """Begin to ask, after the root with a version, the one that is kept for None.

        Nothing is asked beyond a timestamp that is `known`.
        """
        if root is None:
            root = 1
            with suppress(UnavailableError, ValueError, KeyError, TypeError):
                kept = read_named(self._folder / "metadata" / f"{ROOT}.json", MAX_ROOT)
                root = int(_signed(kept)["version"])
        self._source.prefetch(TIMESTAMP, MAX_TIMESTAMP, partial(self._timestamp, known))
        self._source.prefetch(next_root(root), MAX_ROOT)

    def _timestamp(self, known: bytes | None, data: bytes) -> None:
        if data != known:
            version = _signed(data)["meta"][f"{SNAPSHOT}.json"]["version"]
            self._fetch(SNAPSHOT, version, MAX_SNAPSHOT, self._snapshot)

    def _snapshot(self, data: bytes) -> None:
        meta = _signed(data)["meta"]
        for role in dict.fromkeys((TARGETS, RELEASES, *self._bins(), OWNERS)):
            if listed := meta.get(f"{role}.json"):
                self._fetch(role, listed["version"], MAX_METADATA, self._role)

    def _bins(self) -> Iterable[str]:
        for path in self._wanted:
            yield from possible_bins(path)

    def _fetch(self, role: str, version: object, limit: int, then: Callable[[bytes], None]) -> None:
        """Have a version of a role's metadata fetched, unless it is kept."""
        with suppress(UnavailableError, ValueError, KeyError, TypeError):
            kept = read_own(self._folder / "metadata" / f"{role}.json", limit)
            if _signed(kept)["version"] == version:
                then(kept)
                return
        self._source.prefetch(REGISTRY + metadata_path(role, int(str(version))), limit, then)

    def _role(self, data: bytes) -> None:
        targets = _signed(data).get("targets") or {}
        for path, follow in [*self._wanted.items(), (CHECKPOINT, None)]:
            if listed := targets.get(path):
                target = Target(length=listed["length"], sha256=listed["hashes"]["sha256"])
                self._target(path, target, follow)

    def _target(self, path: str, target: Target, follow: Follow | None) -> None:
        then = partial(self._follow, follow) if follow else None
        with suppress(UnavailableError):
            kept = read_own(self._folder / path, LARGEST)
            if Target.of(kept) == target:
                if then:
                    then(kept)
                return
        if target.length <= LARGEST:
            place = REGISTRY + target_path(path, target.sha256)
            self._source.prefetch(place, target.length, then)

    def _follow(self, follow: Follow, data: bytes) -> None:
        for path, size in follow(data):
            if 0 <= size <= LARGEST:
                self._source.prefetch(path, size)


def _signed(data: bytes) -> Mapping[str, Any]:
    signed: Mapping[str, Any] = json.loads(data)["signed"]
    return signed
