"""What a mirror of a registry has: all signed metadata, and the releases of all or some names.

Every byte is verified before it is kept: metadata and what it lists by signatures, from the first
root on, artifacts by their records, the files of the log by its checkpoint. Who installs from the
mirror verifies all of that again, with the same pin, so that a mirror needs no trust.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from psreg.client.install import MAX_ARTIFACT, matches_digest
from psreg.client.mirror.partial import PATH as NOTE
from psreg.client.mirror.partial import note
from psreg.client.resolve import release_id, unknown_name
from psreg.core.errors import TrustError
from psreg.registry.catalog_head import read_head
from psreg.registry.log.checkpoint import NoteKey, verified
from psreg.registry.log.growth import log_files, tile_path
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.reading import RegistryState, open_registry, read_target
from psreg.registry.trust.roles import (
    CHECKPOINT,
    HEAD,
    ROOT,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Target,
    catalog_target,
    kind_and_name,
    metadata_path,
    package_target,
)

REGISTRY = "registry/"
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file of the signed state that is read."""

_TELL = "Tell the maintainers of the registry; the mirror is as it was."


class Files(Protocol):
    """Reads the registry, and what the mirror has of it already: the first `roots` roots."""

    roots: int

    def read(self, path: str, limit: int) -> bytes | None:
        """Return a file that never changes, from the mirror if it is there; None if it is not."""

    def newest(self, path: str, limit: int) -> bytes | None:
        """Return a file of the registry; None if it has none."""


def verified_state(files: Files, root_sha256: str) -> RegistryState:
    """Return the state of the registry whose first root has a digest.

    Raises:
        TrustError: it is refused; `TRUST_PIN`: it has another first root.
    """

    def read(path: str) -> bytes | None:
        source = files.newest if path == TIMESTAMP_PATH else files.read
        return source(REGISTRY + path, LARGEST)

    state = open_registry(read)
    if state is None:
        raise TrustError("TRUST_MIXED", "the registry has no timestamp", _TELL)
    if state.root_sha256 != root_sha256:
        raise TrustError("TRUST_PIN", f"the registry shows the root {state.root_sha256}", _TELL)
    return state


def copied(
    state: RegistryState, files: Files, log_keys: Collection[str], only: Collection[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a mirror, each verified, by path: the metadata after what it lists.

    The timestamp is the last, but for roots that may follow it. With `only`, there are only the
    releases of these names and of what they require, but all metadata and the whole catalogue.

    Raises:
        UnavailableError: `UNKNOWN_NAME`; a file cannot be read.
        TrustError: a file is not what was signed.
    """
    names = _closure(state, only) if only else None
    if names is not None:
        yield NOTE, note(names)
    for target, expected in state.targets.items():
        kind, name = kind_and_name(target) or ("", "")
        if names is not None and kind in ("pkg", "owners") and name not in names:
            continue
        found = read_target(target, expected, lambda path: files.read(REGISTRY + path, LARGEST))
        if kind == "pkg":
            yield from _artifacts(read_record(found.data, name), files)
        elif target == catalog_target(HEAD):
            yield from _segments(found.data, files)
        elif target == CHECKPOINT:
            yield from _log(found.data, files, log_keys)
            yield REGISTRY + CHECKPOINT, found.data  # for monitors
        yield REGISTRY + found.path, found.data
    yield from _metadata(state, files.roots)


def _closure(state: RegistryState, only: Collection[str]) -> frozenset[str]:
    """Return names and those that any of their releases require, directly or not."""
    waiting, found = list(only), set(only)
    while waiting:
        name = waiting.pop()
        if package_target(name) not in state.targets:
            raise unknown_name(name, state.packages)
        for row in read_record(state.packages[name], name).releases:
            for other in row.release.get("requires") or ():
                if other not in found:
                    found.add(other)
                    waiting.append(other)
    return frozenset(found)


def _artifacts(record: PackageRecord, files: Files) -> Iterator[tuple[str, bytes]]:
    for row in record.releases:
        path = str(release_id(record, row).artifact)
        if row.is_purged:
            continue
        data = files.read(path, min(row.size, MAX_ARTIFACT))
        if data is None or not matches_digest(data, row.sha256):
            told = "is missing" if data is None else "is not what was signed"
            raise TrustError("TRUST_DIGEST", f"{path} {told}", _TELL)
        yield path, data


def _segments(head: bytes, files: Files) -> Iterator[tuple[str, bytes]]:
    for segment in read_head(head).segments:
        path = REGISTRY + segment.path
        data = files.read(path, segment.target.length)
        if data is None or Target.of(data) != segment.target:
            raise TrustError("TRUST_DIGEST", f"{path} is not what was signed", _TELL)
        yield path, data


def _log(note: bytes, files: Files, keys: Collection[str]) -> Iterator[tuple[str, bytes]]:
    checkpoint = verified(note, *map(NoteKey.parse, keys))

    def read(path: str) -> bytes:
        data = files.read(REGISTRY + path, LARGEST)
        if data is None:
            raise TrustError("TRUST_LOG", f"{path} is missing from the log", _TELL)
        return data

    for path, data in log_files(checkpoint, lambda tile: read(tile_path(tile))):
        yield REGISTRY + path, data


def _metadata(state: RegistryState, roots: int) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata, the timestamp last; a mirror with `roots` roots is readable meanwhile."""
    stamp = state.documents[TIMESTAMP]
    for document in state.documents.values():
        if document.role not in (ROOT, TIMESTAMP):
            yield REGISTRY + metadata_path(document.role, document.version), document.data
    late = roots > 0 and state.roots_may_follow(roots + 1)
    new = [(REGISTRY + metadata_path(ROOT, each.version), each.data) for each in state.roots]
    yield from new[: roots if late else None]
    yield REGISTRY + TIMESTAMP_PATH, stamp.data
    yield from new[roots:] if late else ()
