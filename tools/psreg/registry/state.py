"""What a publish stands on: the registry as it is, its ports, and what an earlier run left there.

The ports are what the outside has to offer: a place for files, a place for keys, and a note of
what was begun, kept outside the registry. A first publish that was cut short is known by that
note alone; without it, files that do not fit together are refused, never replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from psreg.core.errors import TrustError
from psreg.registry.trust.metadata import Document, info_of
from psreg.registry.trust.reading import RegistryState, read_registry, read_roots
from psreg.registry.trust.roles import (
    BINS,
    METADATA_FOLDER,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGET_FOLDERS,
    TARGETS,
    TIMESTAMP,
    metadata_path,
    role_and_version,
    target_path,
)

_OURS = (*BINS, RELEASES, TARGETS, SNAPSHOT)
"""The roles whose numbered files a publish writes, roots excepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A note of an unfinished publish: of which registry, after which state, and what it creates.

    `after` is the version of the timestamp it began with, 0 for none; `targets` are the paths of
    target files that were not there before.
    """

    registry_id: str
    after: int = 0
    targets: tuple[str, ...] = ()


class Store(Protocol):
    """The registry's files; paths are relative to it, as in `metadata/timestamp.json`."""

    def read(self, path: str, /) -> bytes | None:
        """Return the bytes of a file, or None if there is none."""

    def names(self, folder: str, /) -> Iterable[str]:
        """Return the names of the finished files in a folder; none if it does not exist."""

    def write(self, path: str, data: bytes, /) -> None:
        """Put a whole file in its place, or leave the place as it is."""

    def remove(self, path: str, /) -> None:
        """Remove a file."""

    def sweep(self, folder: str, /) -> None:
        """Remove the unfinished files that an interrupted `write` left in a folder."""

    def sync(self) -> None:
        """Return when every file written before has its name on the disk."""


class Keys(Protocol):
    """The private keys of registries, each registry's in a folder named by its id."""

    def new_id(self) -> str:
        """Return an id for a new registry: 32 random hex digits."""

    def load(self, registry_id: str, /) -> Mapping[str, bytes]:
        """Return key name → PEM; empty if there is no folder."""

    def create(self, registry_id: str, name: str, /) -> bytes:
        """Make a private key, keep it, and return its PEM."""

    def folder(self, registry_id: str, /) -> str:
        """Return where the keys are looked for, for messages."""


class Journal(Protocol):
    """The note of what was begun in one registry folder and is not finished."""

    def pending(self) -> Intent | None:
        """Return the note, or None if the last publish was finished."""

    def begin(self, intent: Intent, /) -> None:
        """Replace the note."""

    def finish(self) -> None:
        """Drop the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """All that publishing needs of the outside."""

    store: Store
    keys: Keys
    journal: Journal


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A registry before a publish. `root` is None before the first, `state` until it is done."""

    root: Document | None
    root_sha256: str
    state: RegistryState | None
    intent: Intent | None

    @property
    def documents(self) -> Mapping[str, Document]:
        """The metadata in force by role."""
        if self.state:
            return self.state.documents
        return {ROOT: self.root} if self.root else {}

    @property
    def version(self) -> int:
        """The version of the timestamp in force, 0 for none."""
        return self.state.versions[TIMESTAMP] if self.state else 0


def survey(ports: Ports) -> Ground:
    """Return what is there, verified.

    Raises:
        TrustError: whatever `read_registry` raises; TRUST_MIXED also where metadata has no root,
            or no timestamp although no first publish was cut short here; TRUST_ROLLBACK also
            where the newest snapshot is not in force and no publish was cut short here.
    """
    state, roots = read_registry(ports.store.read), read_roots(ports.store.read)
    if roots is None and any(ports.store.names(METADATA_FOLDER)):
        raise TrustError("TRUST_MIXED", "the registry has metadata but no 1.root.json", _RESTORE)
    ground = Ground(
        root=roots.newest if roots else None,
        root_sha256=roots.first_sha256 if roots else "",
        state=state,
        intent=ports.journal.pending(),
    )
    if not _belongs(ground):
        ground = replace(ground, intent=None)
    if roots and not state and not ground.intent:
        raise TrustError("TRUST_MIXED", "the registry has a root but no timestamp.json", _RESTORE)
    if state and state.overtaken and not ground.intent:
        raise TrustError("TRUST_ROLLBACK", "a snapshot newer than the timestamp is there", _RESTORE)
    return ground


def _belongs(ground: Ground) -> bool:
    """Tell whether the note is of this registry and of the last thing that happened to it."""
    if ground.intent is None or (
        ground.root and ground.intent.registry_id != info_of(ground.root).id
    ):
        return False
    return ground.version - ground.intent.after in (0, 1)


_RESTORE = "restore the registry's files from Git or from a mirror; psreg never starts one over"


def clear(ground: Ground, ports: Ports) -> None:
    """Remove what a publish that was cut short left: nothing of it was ever in force."""
    for folder in (METADATA_FOLDER, *TARGET_FOLDERS):
        ports.store.sweep(folder)
    for name in ports.store.names(METADATA_FOLDER):
        role, version = role_and_version(name) or ("", 0)
        document = ground.documents.get(role)
        if role in _OURS and version > (document.version if document else 0):
            ports.store.remove(metadata_path(role, version))
    in_force = ground.state.targets if ground.state else {}
    kept = {target_path(path, target.sha256) for path, target in in_force.items()}
    for path in ground.intent.targets if ground.intent else ():
        in_place = path.rpartition("/")[0] in TARGET_FOLDERS
        if in_place and path not in kept and ports.store.read(path) is not None:
            ports.store.remove(path)
