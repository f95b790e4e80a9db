"""The state of a registry before a publish, and the ports that publishing needs.

The ports are a store for the registry's files, a store for keys, and a journal of an unfinished
publish, kept outside the registry. Only the journal tells an interrupted first publish from damage:
without an entry, files that do not belong together are refused, never replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Protocol

from psreg.core.errors import TrustError
from psreg.registry.catalog_head import Head, head_of
from psreg.registry.trust.metadata import Document, Signers, info_of, signers_of
from psreg.registry.trust.reading import RegistryState, RootChain, open_registry, read_roots
from psreg.registry.trust.retired_files import RETIRED, read_retired, write_retired
from psreg.registry.trust.roles import (
    LOG,
    METADATA_FOLDER,
    RELEASES,
    ROOT,
    SIGNING_FOLDER,
    SNAPSHOT,
    TARGET_FOLDERS,
    TARGETS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Bins,
    is_tile,
    metadata_path,
    role_and_version,
    target_path,
)

_NUMBERED_ROLES = (RELEASES, TARGETS, SNAPSHOT)
"""The roles above the bins whose numbered files a publish writes, roots excepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An entry in the journal: an unfinished publish, its registry and what it creates.

    `after` is the version of the timestamp before it, 0 for none; `targets` are the paths of new
    target files.
    """

    registry_id: str
    after: int = 0
    targets: tuple[str, ...] = ()


class Store(Protocol):
    """The files of a registry; paths are relative to it, such as `metadata/timestamp.json`."""

    def read(self, path: str, /) -> bytes | None:
        """Return the bytes of a file, or None if there is none."""

    def names(self, folder: str, /) -> Iterable[str]:
        """Return the names of the finished files in a folder; none if it does not exist."""

    def write(self, path: str, data: bytes, /) -> None:
        """Write a whole file, or leave the old one unchanged."""

    def remove(self, path: str, /) -> None:
        """Remove a file."""

    def sweep(self, folder: str, /) -> None:
        """Remove the unfinished files that an interrupted `write` left in a folder."""

    def sync(self) -> None:
        """Flush the names of all files written so far to the disk."""


class Keys(Protocol):
    """The private keys of registries, each in a folder named after the registry's id."""

    def new_id(self) -> str:
        """Return an id for a new registry: 32 random hexadecimal digits."""

    def load(self, registry_id: str, /) -> Mapping[str, bytes]:
        """Return the PEM of every key by name; empty if there is no folder."""

    def create(self, registry_id: str, name: str, /) -> bytes:
        """Create and store a private key, and return its PEM."""

    def enlist(self, registry_id: str, name: str, data: bytes, /) -> None:
        """Store where a key of a device or service is (`key_services`)."""

    def services(self, registry_id: str, /) -> Signers:
        """Return what signs with every key that a device or service has, by name."""

    def folder(self, registry_id: str, /) -> str:
        """Return the folder of the keys, for messages."""


def signers_at_hand(keys: Keys, registry_id: str) -> Signers:
    """Return what signs with all keys here, those of devices and services included.

    Raises:
        TrustError: KEY_UNREADABLE; KEYS_EXPOSED.
        UnavailableError: the keys cannot be read.
    """
    services = keys.services(registry_id).values()
    found = signers_of(keys.load(registry_id).values())
    return {**found, **{each.public_key.keyid: each for each in services}}


class Journal(Protocol):
    """The journal of an unfinished publish in one registry folder."""

    def pending(self) -> Intent | None:
        """Return the entry, or None if the last publish was finished."""

    def begin(self, intent: Intent, /) -> None:
        """Replace the entry."""

    def finish(self, registry_id: str, /) -> None:
        """Remove the entry, and remember the registry that the folder holds."""

    def holds(self) -> str | None:
        """Return the id of the registry that was last published in the folder, or None."""


class History(Protocol):
    """The history of the registry's folder in Git."""

    def last_commit_with(self, *names: str) -> str:
        """Return the short id of the newest commit that adds or changes `names`, or ""."""

    def restore_command(self, commit: str, /, *names: str) -> str:
        """Return the command that brings those of `names` back that a commit has."""

    def is_cut(self) -> bool:
        """Tell whether the clone lacks older commits."""

    def ignores(self, name: str, /) -> bool:
        """Tell whether Git ignores `name`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What publishing needs from the outside; without a `history` nothing was ever committed."""

    store: Store
    keys: Keys
    journal: Journal
    history: History | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A registry before a publish: `root` and `state` are None until they are first published.

    `head` is that of the catalogue, None before the first publish with one.
    """

    root: Document | None
    root_sha256: str
    state: RegistryState | None
    intent: Intent | None
    head: Head | None

    @property
    def versions(self) -> Mapping[str, int]:
        """The current version of every role, the root excepted."""
        return self.state.versions if self.state else {}

    @property
    def version(self) -> int:
        """The version of the current timestamp, 0 for none."""
        return self.state.versions[TIMESTAMP] if self.state else 0


def read_baseline(ports: Ports, *, start_over: bool = False) -> Baseline:
    """Return the state of the registry; what is not accessed is not verified.

    Raises:
        TrustError: as `open_registry`; METADATA_MISSING if there is none although target files, a
            log, keys or the history show that there was, or the history is cut off, unless the user
            wants to `start_over`; TRUST_MIXED also if metadata has no root, or no timestamp
            although no first publish was interrupted;
            TRUST_ROLLBACK also if the newest snapshot is not the current one although no publish
            was interrupted.
    """
    state, roots = _opened(ports.store)
    if roots is None and any(ports.store.names(METADATA_FOLDER)):
        raise TrustError("TRUST_MIXED", "the registry has metadata but no 1.root.json", _RESTORE)
    baseline = Baseline(
        root=roots.newest if roots else None,
        root_sha256=roots.first_sha256 if roots else "",
        state=state,
        intent=ports.journal.pending(),
        head=head_of(state) if state else None,
    )
    if not _is_pending_here(baseline):
        baseline = replace(baseline, intent=None)
    if not (roots or baseline.intent or start_over):
        _check_is_new(ports)
    if roots and not state and not baseline.intent:
        raise TrustError("TRUST_MIXED", "the registry has a root but no timestamp.json", _RESTORE)
    if state and state.newer_snapshot and not baseline.intent:
        raise TrustError("TRUST_ROLLBACK", "there is a snapshot newer than the timestamp", _RESTORE)
    return baseline


def _opened(store: Store) -> tuple[RegistryState | None, RootChain | None]:
    """Return the state of a registry and its roots, as far as they are in force.

    If the keys of the timestamp are lost, the root with new ones comes right before it. A publish
    that ended between the two left a registry that nobody can read; its draft is still there. Then
    the root before is the one in force, and the next publish writes the same new one.
    """
    try:
        return open_registry(store.read), read_roots(store.read)
    except TrustError:
        chain = read_roots(store.read)
        newest = chain.newest if chain else None
        if newest is None or store.read(_draft_path(newest)) != newest.data:
            raise
        early = metadata_path(ROOT, newest.version)

        def read(path: str) -> bytes | None:
            return None if path == early else store.read(path)

        return open_registry(read), read_roots(read)


def _draft_path(root: Document) -> str:
    return f"{SIGNING_FOLDER}/{root.version}.{ROOT}.json"


def _check_is_new(ports: Ports) -> None:
    """Check that the folder without metadata has not held a registry before, in any clone."""
    if ports.history is not None:
        _check_history(ports.history)
    left = [folder for folder in (*TARGET_FOLDERS, LOG) if any(ports.store.names(folder))]
    held = ports.journal.holds()
    if held is not None and ports.keys.load(held):
        left.append(f"its keys in {ports.keys.folder(held)}")
    if left:
        raise TrustError(
            "METADATA_MISSING",
            f"the registry's metadata is gone, but it left {' and '.join(left)}",
            "Restore `metadata` and `targets` of the registry from Git, from a mirror, or from the "
            f"checkout in which you published it. {_ON_PURPOSE}",
        )


def _check_history(history: History) -> None:
    names = (METADATA_FOLDER, "targets")
    if commit := history.last_commit_with(*names):
        raise TrustError(
            "METADATA_MISSING",
            f"the registry's metadata is gone, but commit {commit} has it",
            f"Run `{history.restore_command(commit, *names, LOG)}`. {_ON_PURPOSE}",
        )
    if history.is_cut() and not history.ignores(TIMESTAMP_PATH):
        raise TrustError(
            "METADATA_MISSING",
            "there is no metadata, and this clone is too shallow to tell whether there ever was",
            "Run `git fetch --unshallow`, or clone again without --filter. " + _ON_PURPOSE,
        )


_ON_PURPOSE = (
    "To create another registry on purpose, which every client has to trust first, add "
    "--start-over."
)


def _is_pending_here(baseline: Baseline) -> bool:
    """Return whether the entry is about this registry and the last publish of it."""
    if baseline.intent is None or (
        baseline.root and baseline.intent.registry_id != info_of(baseline.root).id
    ):
        return False
    return baseline.version - baseline.intent.after in (0, 1)


_RESTORE = "Restore the registry's files from Git or from a mirror; psreg never starts one over."


def _target_folders(intent: Intent) -> list[str]:
    """Return the folders in which an interrupted publish may have left unfinished files."""
    log = {path.rpartition("/")[0] for path in intent.targets if is_tile(path)}
    return [*TARGET_FOLDERS, *sorted(log), *(["log"] if log else [])]


def remove_leftovers(baseline: Baseline, ports: Ports) -> None:
    """Remove what an interrupted publish left; none of it was ever current."""
    # The folders of targets have a file for each name: they are listed only where it is needed.
    targets = _target_folders(baseline.intent) if baseline.intent else ()
    for folder in (METADATA_FOLDER, str(PurePosixPath(RETIRED).parent), *targets):
        ports.store.sweep(folder)
    for name in ports.store.names(METADATA_FOLDER):
        role, version = role_and_version(name) or ("", 0)
        ours = role in _NUMBERED_ROLES or Bins.with_role(role) is not None
        if ours and version > baseline.versions.get(role, 0):
            ports.store.remove(metadata_path(role, version))
    listed = ports.store.read(RETIRED)
    retired = write_retired(read_retired(listed, baseline.version))
    if listed and not retired:
        ports.store.remove(RETIRED)
    elif listed and listed != retired:
        ports.store.write(RETIRED, retired)
    if baseline.intent is None:
        return
    current = baseline.state.targets if baseline.state else {}
    kept = {target_path(path, target.sha256) for path, target in current.items()}
    kept |= {segment.path for segment in (baseline.head or Head()).segments}
    current_log = baseline.version > baseline.intent.after
    for path in baseline.intent.targets:
        in_place = path.rpartition("/")[0] in TARGET_FOLDERS
        in_place |= is_tile(path) and not current_log
        if in_place and path not in kept and ports.store.read(path) is not None:
            ports.store.remove(path)
