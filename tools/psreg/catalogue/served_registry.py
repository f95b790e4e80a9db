"""The files of a registry that a site serves: what is in force and signed, and nothing else.

Nobody signed anything else in the registry's folder, and a page among it would speak in the name
of the site.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping
from functools import cached_property

from psreg.core.errors import UnavailableError
from psreg.registry.actions.chain import stored_actions
from psreg.registry.catalog_head import Head, head_of, segment_data
from psreg.registry.log.checkpoint import Checkpoint
from psreg.registry.log.growth import log_files, log_paths, tiles_of
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.trust.reading import (
    Read,
    RegistryState,
    read_target,
    targets_in,
)
from psreg.registry.trust.roles import (
    CHECKPOINT,
    HEAD,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Target,
    catalog_target,
    kind_and_name,
    metadata_path,
    owners_target,
    package_target,
    target_path,
)
from psreg.registry.withdrawing.effects import Effects

_TOP = (ROOT, RELEASES, OWNERS, TARGETS, SNAPSHOT, TIMESTAMP)
"""The roles above the bins, in the order in which their documents may appear."""


class ServedRegistry:
    """The state in force of the registry in a folder; what is not accessed is not verified."""

    def __init__(self, state: RegistryState, read: Read) -> None:
        self.state = state
        self._read = read

    @cached_property
    def head(self) -> Head:
        """The head of the catalogue. Raises UnavailableError NOT_PUBLISHED for a former layout."""
        head = head_of(self.state)
        if head is None:
            message = "an older psreg published this registry"
            raise UnavailableError("NOT_PUBLISHED", message, "Run `psreg publish`.")
        return head

    @cached_property
    def _versions(self) -> Mapping[str, int]:
        """The versions of the metadata in force, by role."""
        return {role: self.state.versions[role] for role in iter(self.state.documents)}

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The digests of the metadata in force, by role; the bins are not verified by this."""
        paths = {role: metadata_path(role, one) for role, one in self._versions.items()}
        paths[TIMESTAMP] = TIMESTAMP_PATH
        found = {role: self._read(path) or b"" for role, path in paths.items()}
        return {role: hashlib.sha256(data).hexdigest() for role, data in found.items()}

    def records(self, role: str) -> Mapping[str, Target]:
        """Return the records that a bin lists, by name."""
        listed = targets_in(self.state.documents[role]).items()
        named = ((kind_and_name(path), target) for path, target in listed)
        return {name[1]: target for name, target in named if name and name[0] == "pkg"}

    @property
    def bins(self) -> Iterator[str]:
        """The roles that list records."""
        return (role for role in self.roles if role in self.state.bins.roles)

    def bin_of(self, name: str) -> str:
        """Return the role that lists the record of a name."""
        return self.state.bins.of(package_target(name))

    def record_file(self, name: str) -> tuple[str, bytes]:
        """Return the path and the bytes of the record of a name that has one."""
        path = package_target(name)
        found = read_target(path, self.state.targets[path], self._read)
        return found.path, found.data

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files in force besides the records."""
        newer = (metadata_path(role, version) for role, version in self._versions.items())
        roots = (metadata_path(ROOT, version) for version in range(1, self.state.root.version))
        catalog = (target_path(catalog_target(HEAD), self._head_target.sha256),)
        segments = (segment.path for segment in self.head.segments)
        timestamp = metadata_path(TIMESTAMP, self.state.versions[TIMESTAMP])
        others = {
            *newer,
            *roots,
            *catalog,
            *segments,
            *self._log_paths,
            *self._claims,
            *self.effects.files,
            TIMESTAMP_PATH,
        }
        return frozenset(others - {timestamp})

    @property
    def _log_paths(self) -> Iterator[str]:
        if checkpoint := self._checkpoint:
            yield from log_paths(checkpoint)
            yield target_path(CHECKPOINT, self.state.targets[CHECKPOINT].sha256)
            yield CHECKPOINT

    @cached_property
    def _checkpoint(self) -> Checkpoint | None:
        return checkpoint_of(self.state)

    def _log_files(self, served: Container[str]) -> Iterator[tuple[str, bytes]]:
        if self._checkpoint:
            yield from log_files(self._checkpoint, tiles_of(self._read), served)
            note = read_target(CHECKPOINT, self.state.targets[CHECKPOINT], self._read)
            yield from ((path, note.data) for path in (note.path, CHECKPOINT))

    @cached_property
    def effects(self) -> Effects:
        """The actions in force, as they were published, and their effect."""
        published = self.head.actions
        return Effects(stored_actions(published, self._read), self.state, published)

    @cached_property
    def _claims(self) -> Mapping[str, str]:
        """The claimed names, each by the path of what says who owns it."""
        paths = {name: owners_target(name) for name in self.state.owners}
        return {target_path(p, self.state.targets[p].sha256): name for name, p in paths.items()}

    def last(self, served: Container[str]) -> tuple[str, ...]:
        """Return the paths that come after all others, in order: the timestamp and new roots.

        `served` are the paths of a former state.
        """
        versions = range(1, self.state.root.version + 1)
        new = [each for each in versions if metadata_path(ROOT, each) not in served]
        roots = tuple(metadata_path(ROOT, version) for version in new)
        if new and new[0] > 1 and self.state.roots_may_follow(new[0]):
            return (TIMESTAMP_PATH, *roots)
        return (*roots, TIMESTAMP_PATH)

    @property
    def _head_target(self) -> Target:
        return self.state.targets[catalog_target(HEAD)]

    def files(
        self, known: Mapping[str, str], served: Container[str] = ()
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the files besides records by path, in the order in which they may appear.

        Metadata is left out whose digest is the `known` one of its role, and what of the log is
        `served` already.
        """
        for segment in self.head.segments:
            yield segment.path, segment_data(segment, self._read)
        head = read_target(catalog_target(HEAD), self._head_target, self._read)
        yield head.path, head.data
        yield from self._log_files(served)
        for path, name in self._claims.items():
            if path not in served:
                yield path, self.state.owners[name]
        yield from self.effects.files.items()  # a lift may have gained signatures
        for version in range(1, self.state.root.version):
            path = metadata_path(ROOT, version)
            yield path, self._read(path) or b""
        changed = [role for role, digest in self.roles.items() if known.get(role) != digest]
        for role in sorted(changed, key=_place):
            document = self.state.documents[role]
            path = TIMESTAMP_PATH if role == TIMESTAMP else metadata_path(role, document.version)
            yield path, document.data


def _place(role: str) -> tuple[int, str]:
    """Return what orders roles as their documents may appear: bins come first."""
    return (_TOP.index(role) if role in _TOP else -1), role
