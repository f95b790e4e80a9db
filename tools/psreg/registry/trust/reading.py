"""Reads a published registry and trusts only what is signed (TUF 5.3 to 5.7).

The order is that of a client: root 1 to N, timestamp, snapshot, targets, releases, bins, target
files. Expiry is reported, not checked: a publisher must be able to read what it has to renew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from psreg.core.errors import TrustError
from psreg.registry.trust.metadata import (
    Document,
    accepts,
    bins_below,
    delegates_to,
    info_of,
    listed,
    verified,
    verified_root,
)
from psreg.registry.trust.roles import (
    CHECKPOINT,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Bins,
    Target,
    above_bins_of,
    is_in_releases,
    kind_and_name,
    metadata_path,
    target_path,
)

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the registry ("metadata/timestamp.json"), or None."""

Known = dict[tuple[str, bytes, bytes, bytes], Document]
"""Documents that were verified, by role and all that this depended on: the bytes of the document,
of the one that lists it and of the one that delegates to it, b"" where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """One verified catalogue shard: its path in the registry, and its bytes."""

    path: str
    data: bytes


class RegistryState:
    """The verified state of a registry; bins and what they list are verified when they are read.

    `root_sha256` is of `1.root.json`, which pins name. `packages` maps names to the bytes of
    their records, `catalog` shard names to shards, `owners` claimed names to the bytes of what says
    who owns them. `bins_below` are the hash bins by
    the role above them, and `bins` those of the records. `documents` maps roles to the current
    metadata, `targets` target paths to what `releases` and the `bins` list. `checkpoint` is that of
    the log, as bytes, None if the registry has no log. `newer_snapshot` is
    whether there is a signed snapshot newer than the current one: a publish was interrupted, or the
    timestamp was put back. Access to the mappings raises what `read_registry` raises.
    """

    def __init__(
        self,
        chain: RootChain,
        top: Mapping[str, Document],
        bins: Mapping[str, Bins],
        read: Read,
        known: Known,
    ) -> None:
        self.root_sha256 = chain.first_sha256
        self.roots = chain.roots
        """All roots, the newest last."""
        self.root = chain.newest
        """The newest root."""
        self.registry_id = info_of(self.root).id
        self.mode = info_of(self.root).mode
        self.bins = bins[RELEASES]
        self.bins_below = bins
        self._documents = _Documents(top, bins, read, known)
        self.documents: Mapping[str, Document] = self._documents
        self.targets: Mapping[str, Target] = _Targets(self.documents, bins)
        self.catalog: Mapping[str, CatalogFile] = _Files("catalog", self.targets, read)
        self.packages: Mapping[str, bytes] = _Bytes(_Files("pkg", self.targets, read))
        self.owners: Mapping[str, bytes] = _Bytes(_Files(OWNERS, self.targets, read))
        self._read = read
        self.newer_snapshot = _has_newer_snapshot(top[SNAPSHOT], self.root, read)

    @property
    def expires(self) -> datetime:
        """When the first expires of the metadata that was read so far, in UTC."""
        return min(each.expires for each in self._documents.found.values())

    @cached_property
    def checkpoint(self) -> bytes | None:
        """The verified checkpoint of the log; None if there is no log."""
        target = self.targets.get(CHECKPOINT)
        return read_target(CHECKPOINT, target, self._read).data if target else None

    @cached_property
    def versions(self) -> Mapping[str, int]:
        """The current version of every role, and the last one of every bin there was before."""
        below = listed(self.documents[SNAPSHOT])
        above = (self.documents[role] for role in (ROOT, TIMESTAMP, SNAPSHOT))
        return {role: each.version for role, each in below.items()} | {
            each.role: each.version for each in above
        }

    def check_bins(self) -> None:
        """Verify all bins, and that each lists only what belongs there. Raises as `read_registry`.

        Who signs the state again without changing it reads few of them, and vouches for all.
        """
        for _ in self.targets:
            pass

    def roots_may_follow(self, first: int) -> bool:
        """Return whether clients without the roots from version `first` on accept the state.

        Then those are written after the timestamp: the one before it, with a root that replaces its
        key, would be refused. A key of the log has to be there before what it signed.
        """
        roots = [root for root in self.roots if root.version >= first - 1]
        top = [self.documents[role] for role in (TARGETS, SNAPSHOT, TIMESTAMP)]
        return info_of(roots[0]).log == info_of(self.root).log and all(
            accepts(root.signed, each) for root in roots for each in top
        )


class _Documents(Mapping[str, Document]):
    """The metadata of a registry by role; a bin is read on access."""

    def __init__(
        self, top: Mapping[str, Document], bins: Mapping[str, Bins], read: Read, known: Known
    ) -> None:
        self.found = dict(top)
        """What was read so far."""
        self._top = tuple(top)
        self._bins = {role: each.above for each in bins.values() for role in each.roles}
        self._read, self._known = read, known

    def __getitem__(self, role: str) -> Document:
        if role not in self.found:
            if role not in self._bins:
                raise KeyError(role)
            snapshot, above = self.found[SNAPSHOT], self.found[self._bins[role]]
            self.found[role] = _load(role, snapshot, above, self._read, self._known)
        return self.found[role]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._top, *self._bins))

    def __len__(self) -> int:
        return len(self._bins) + len(self._top)


class _Targets(Mapping[str, Target]):
    """What `releases` and all bins list, by target path; a look-up reads at most one bin.

    In a registry of psreg before 0.2, bins also list the catalogue.
    """

    def __init__(self, documents: Mapping[str, Document], bins: Mapping[str, Bins]) -> None:
        self._documents, self._bins = documents, bins
        self._listed: dict[str, dict[str, Target]] = {}

    def _in(self, role: str) -> dict[str, Target]:
        if role not in self._listed:
            self._listed[role] = targets_in(self._documents[role])
        return self._listed[role]

    def __getitem__(self, path: str) -> Target:
        if kind_and_name(path) is None:
            raise KeyError(path)
        bins = self._bins.get(above_bins_of(path))
        for role in (RELEASES, *([bins.of(path)] if bins else [])):
            if path in self._in(role):
                return self._in(role)[path]
        raise KeyError(path)

    def __iter__(self) -> Iterator[str]:
        every = (RELEASES, *(role for bins in self._bins.values() for role in bins.roles))
        return iter(dict.fromkeys(path for role in every for path in self._in(role)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Files(Mapping[str, CatalogFile]):
    """The target files of one kind, such as "pkg", by name; read on access, and not kept."""

    def __init__(self, kind: str, targets: Mapping[str, Target], read: Read) -> None:
        self._kind, self._targets, self._read = kind, targets, read

    def __getitem__(self, name: str) -> CatalogFile:
        path = f"{self._kind}/{name}.json"
        return read_target(path, self._targets[path], self._read)

    def __contains__(self, name: object) -> bool:
        return f"{self._kind}/{name}.json" in self._targets

    def __iter__(self) -> Iterator[str]:
        paths = (kind_and_name(path) for path in self._targets)
        return (found[1] for found in paths if found and found[0] == self._kind)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Bytes(Mapping[str, bytes]):
    """The bytes of target files by name."""

    def __init__(self, files: Mapping[str, CatalogFile]) -> None:
        self._files = files

    def __getitem__(self, name: str) -> bytes:
        return self._files[name].data

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@dataclass(frozen=True, slots=True, kw_only=True)
class RootChain:
    """The roots of a registry; `first_sha256` is the digest of the first, which pins name."""

    first_sha256: str
    roots: tuple[Document, ...]

    @property
    def newest(self) -> Document:
        """The root in force."""
        return self.roots[-1]


def read_registry(read: Read) -> RegistryState | None:
    """Return the verified state of a registry; None if nothing is published yet.

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE, TRUST_DIGEST (a target file is not the one
            listed), TRUST_MIXED (files of different states, or one is missing), TRUST_ROLE (a file
            stands for another one), TRUST_ROLLBACK (the timestamp is older than the snapshots).
    """
    state = open_registry(read)
    for each in (state.catalog, state.packages, state.owners) if state else ():
        for name in each:
            each[name]  # verifies it
    if state:
        state.checkpoint  # noqa: B018 - verifies it
    return state


def open_registry(
    read: Read, *, owners: bool = True, known: Known | None = None
) -> RegistryState | None:
    """Return the state of a registry as `read_registry`; what is not accessed is not verified.

    Without `owners`, that role is left out: who reads the catalogue does not have it. What is
    `known` is not verified again; what is verified is added to it.
    """
    known = {} if known is None else known
    chain = read_roots(read, known)
    data = read(TIMESTAMP_PATH)
    if data is None:
        return None
    if chain is None:
        raise TrustError("TRUST_MIXED", "there is a timestamp but no 1.root.json", _RESTORE)
    root = chain.newest
    if (key := (TIMESTAMP, data, b"", root.data)) not in known:
        known[key] = verified(data, TIMESTAMP, root, entry=None)
    timestamp = known[key]
    snapshot = _load(SNAPSHOT, timestamp, root, read, known)
    targets = _load(TARGETS, snapshot, root, read, known)
    aboves = (RELEASES, *([OWNERS] if owners and delegates_to(targets, OWNERS) else []))
    top = {each.role: each for each in (root, timestamp, snapshot, targets)}
    bins: dict[str, Bins] = {}
    for role in aboves:
        top[role] = _load(role, snapshot, targets, read, known)
        below = bins_below(top[role])
        if below is None:
            told = f"{role} does not delegate to bins that psreg knows"
            raise TrustError("TRUST_METADATA", told)
        bins[role] = below
    return RegistryState(chain, top, bins, read, known)


def read_roots(read: Read, known: Known | None = None) -> RootChain | None:
    """Return the roots from `1.root.json` on, each signed by itself and the one before.

    Returns None if there is no first root. `known` is as for `open_registry`.

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE or TRUST_MIXED.
    """
    known = {} if known is None else known
    roots: list[Document] = []
    while (data := read(metadata_path(ROOT, roots[-1].version + 1 if roots else 1))) is not None:
        before = roots[-1] if roots else None
        key = (ROOT, data, b"", before.data if before else b"")
        if key not in known:
            known[key] = verified_root(data, before)
        roots.append(known[key])
    if not roots:
        return None
    first = roots[0]
    if first.version != 1:
        raise TrustError("TRUST_MIXED", f"1.root.json is version {first.version}", _RESTORE)
    return RootChain(first_sha256=info_of(first).sha256, roots=tuple(roots))


_RESTORE = "Restore the registry's files from Git or from a mirror."


def _load(role: str, lister: Document, delegator: Document, read: Read, known: Known) -> Document:
    """Return the metadata of `role` in the version that `lister` names."""
    entry = listed(lister).get(role)
    if entry is None:
        raise TrustError("TRUST_MIXED", f"the {lister.role} does not list {role}", _RESTORE)
    path = metadata_path(role, entry.version)
    data = read(path)
    if data is None:
        raise TrustError("TRUST_MIXED", f"{path} is missing", _RESTORE)
    if (key := (role, data, lister.data, delegator.data)) not in known:
        known[key] = verified(data, role, delegator, entry, bound=lister.bound)
    return known[key]


class Listing(Protocol):
    """Metadata with targets: a document, or a draft of one."""

    @property
    def role(self) -> str:
        """Its role."""

    @property
    def signed(self) -> Any:
        """Its signed part."""


def targets_in(document: Listing) -> dict[str, Target]:
    """Return the targets that a role lists, by path; all must be such as a client looks up there.

    Raises:
        TrustError: TRUST_METADATA.
    """
    found: dict[str, Target] = {}
    bins = Bins.with_role(document.role)
    for path, file in document.signed.targets.items():
        if bins is None:
            right = document.role == RELEASES and is_in_releases(path)
        else:
            right = (bins.of(path), bins.above) == (document.role, above_bins_of(path))
        if kind_and_name(path) is None or not right:
            raise TrustError(
                "TRUST_METADATA", f"{document.role} lists {path!r}, which is not allowed"
            )
        if "sha256" not in file.hashes:
            raise TrustError("TRUST_METADATA", f"{document.role} lists {path} without a SHA-256")
        found[path] = Target(length=file.length, sha256=file.hashes["sha256"])
    return found


def read_target(path: str, target: Target, read: Read) -> CatalogFile:
    """Return the verified target file at the target path `path`.

    Raises:
        TrustError: TRUST_MIXED (it is missing) or TRUST_DIGEST.
    """
    place = target_path(path, target.sha256)
    data = read(place)
    if data is None:
        raise TrustError("TRUST_MIXED", f"{place} is missing", _RESTORE)
    if Target.of(data) != target:
        raise TrustError("TRUST_DIGEST", f"{place} is not the file that was signed", _RESTORE)
    return CatalogFile(path=place, data=data)


def _has_newer_snapshot(snapshot: Document, root: Document, read: Read) -> bool:
    """Return whether there is a newer, correctly signed snapshot.

    An interrupted publish leaves one, and the next publish removes it. Two mean that someone put
    an old timestamp back.
    """
    newer = 0
    for version in (snapshot.version + 1, snapshot.version + 2):
        data = read(metadata_path(SNAPSHOT, version))
        newer += data is not None and _is_snapshot(data, version, root)
    if newer > 1:
        raise TrustError("TRUST_ROLLBACK", "the timestamp is older than the snapshots", _RESTORE)
    return newer > 0


def _is_snapshot(data: bytes, version: int, root: Document) -> bool:
    try:
        return verified(data, SNAPSHOT, root, entry=None).version == version
    except TrustError:
        return False
