"""Reads a published registry and trusts only what is signed (TUF 5.3 to 5.7).

The order is that of a client: root 1 to N, timestamp, snapshot, targets, releases, bins, target
files. Expiry is reported, not checked: a publisher must be able to read what it has to renew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from psreg.core.errors import TrustError
from psreg.registry.trust.metadata import Document, info_of, listed, verified, verified_root
from psreg.registry.trust.roles import (
    BIN_BITS,
    BIN_PREFIX,
    BINS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Target,
    bin_of,
    kind_and_name,
    metadata_path,
    target_path,
)

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the registry ("metadata/timestamp.json"), or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """One verified catalogue shard: its path in the registry, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryState:
    """The verified state of a registry.

    `root_sha256` is of `1.root.json`, which pins name. `packages` maps names to the bytes of
    their records, `catalog` shard names to shards. `documents` maps roles to the current
    metadata, `targets` target paths to what the bins list. `newer_snapshot` is whether there is a
    signed snapshot newer than the current one: a publish was interrupted, or the timestamp was
    put back.
    """

    registry_id: str
    mode: str
    root_sha256: str
    packages: Mapping[str, bytes]
    catalog: Mapping[str, CatalogFile]
    documents: Mapping[str, Document]
    targets: Mapping[str, Target]
    newer_snapshot: bool

    @property
    def root(self) -> Document:
        """The newest root."""
        return self.documents[ROOT]

    @property
    def versions(self) -> Mapping[str, int]:
        """The current version of every role."""
        return {role: document.version for role, document in self.documents.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RootChain:
    """The roots of a registry: digest of the first, which pins name, and the newest."""

    first_sha256: str
    newest: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One target that a bin lists: `pkg/<name>.json` or `catalog/<name>.json`."""

    path: str
    kind: str
    name: str
    target: Target


def read_registry(read: Read) -> RegistryState | None:
    """Return the verified state of a registry; None if nothing is published yet.

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE, TRUST_DIGEST (a target file is not the one
            listed), TRUST_MIXED (files of different states, or one is missing), TRUST_ROLE (a file
            stands for another one), TRUST_ROLLBACK (the timestamp is older than the snapshots).
    """
    chain = read_roots(read)
    data = read(TIMESTAMP_PATH)
    if data is None:
        return None
    if chain is None:
        raise TrustError("TRUST_MIXED", "there is a timestamp but no 1.root.json", _RESTORE)
    root = chain.newest
    timestamp = verified(data, TIMESTAMP, root, entry=None)
    snapshot = _load(SNAPSHOT, timestamp, root, read)
    targets = _load(TARGETS, snapshot, root, read)
    releases = _load(RELEASES, snapshot, targets, read)
    if not _has_bins(releases):
        raise TrustError("TRUST_METADATA", "releases does not delegate to the bins r-00 to r-ff")
    bins = [_load(name, snapshot, releases, read) for name in BINS]
    entries = [entry for each in bins for entry in _entries(each)]
    files = [(e.kind, e.name, _target_file(e.path, e.target, read)) for e in entries]
    return RegistryState(
        registry_id=info_of(root).id,
        mode=info_of(root).mode,
        root_sha256=chain.first_sha256,
        packages={name: file.data for kind, name, file in files if kind == "pkg"},
        catalog={name: file for kind, name, file in files if kind == "catalog"},
        documents={
            each.role: each for each in (root, timestamp, snapshot, targets, releases, *bins)
        },
        targets={entry.path: entry.target for entry in entries},
        newer_snapshot=_has_newer_snapshot(snapshot, root, read),
    )


def read_roots(read: Read) -> RootChain | None:
    """Return the roots from `1.root.json` on, each signed by itself and the one before.

    Returns None if there is no first root.

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE or TRUST_MIXED.
    """
    newest = first = None
    while (data := read(metadata_path(ROOT, newest.version + 1 if newest else 1))) is not None:
        newest = verified_root(data, before=newest)
        first = first or newest
    if first is None or newest is None:
        return None
    if first.version != 1:
        raise TrustError("TRUST_MIXED", f"1.root.json is version {first.version}", _RESTORE)
    return RootChain(first_sha256=info_of(first).sha256, newest=newest)


_RESTORE = "Restore the registry's files from Git or from a mirror."


def _load(role: str, lister: Document, delegator: Document, read: Read) -> Document:
    """Return the metadata of `role` in the version that `lister` names."""
    entry = listed(lister).get(role)
    if entry is None:
        raise TrustError("TRUST_MIXED", f"the {lister.role} does not list {role}", _RESTORE)
    path = metadata_path(role, entry.version)
    data = read(path)
    if data is None:
        raise TrustError("TRUST_MIXED", f"{path} is missing", _RESTORE)
    return verified(data, role, delegator, entry, bound=lister.bound)


def _has_bins(releases: Document) -> bool:
    """Return whether `releases` delegates to exactly the 256 bins."""
    delegations = releases.signed.delegations
    bins = delegations.succinct_roles if delegations else None
    return bins is not None and (bins.bit_length, bins.name_prefix) == (BIN_BITS, BIN_PREFIX)


def _entries(document: Document) -> Iterator[_Entry]:
    """Yield what a bin lists, if a client would look it up there."""
    for path, file in document.signed.targets.items():
        kind_name = kind_and_name(path)
        if kind_name is None or bin_of(path) != document.role:
            raise TrustError(
                "TRUST_METADATA", f"{document.role} lists {path!r}, which is not allowed"
            )
        if "sha256" not in file.hashes:
            raise TrustError("TRUST_METADATA", f"{document.role} lists {path} without a SHA-256")
        target = Target(length=file.length, sha256=file.hashes["sha256"])
        yield _Entry(path=path, kind=kind_name[0], name=kind_name[1], target=target)


def _target_file(path: str, target: Target, read: Read) -> CatalogFile:
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
