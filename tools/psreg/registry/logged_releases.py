"""The log after a publish: an entry for each new release, and which of its files may go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from psreg.core.errors import TrustError
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, verified
from psreg.registry.log.entry import LogEntry, LogRecord
from psreg.registry.log.growth import grow_log, tile_path, tiles_of
from psreg.registry.log.merkle import EMPTY_ROOT
from psreg.registry.log.tiles import partial_tiles
from psreg.registry.records import PackageRecord, ReleaseRecord, Row
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import CHECKPOINT, RootInfo
from psreg.registry.trust.signing_keys import public_key

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the registry, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReleases:
    """Records in which every release is in the log, the log's new files, and its checkpoint.

    `checkpoint` is None in a registry without a log. `others` say where the other entries are.
    `superseded` are paths of files that only the
    checkpoint before needs, `live` of those that may be superseded, but are not yet.
    """

    records: Mapping[str, PackageRecord]
    files: Mapping[str, bytes]
    checkpoint: bytes | None
    others: tuple[LogRecord, ...] = ()
    superseded: frozenset[str] = frozenset()
    live: frozenset[str] = frozenset()

    @property
    def copy(self) -> dict[str, bytes]:
        """The checkpoint by its path, which is also that of its target."""
        return {CHECKPOINT: self.checkpoint} if self.checkpoint else {}


def log_releases(  # noqa: PLR0917 - what grows, and how
    records: Mapping[str, PackageRecord],
    state: RegistryState | None,
    roots: tuple[RootInfo, RootInfo],
    private_keys: Collection[bytes],
    read: Read,
    others: Sequence[LogEntry] = (),
) -> LoggedReleases:
    """Return the log of a registry after it got the new releases in `records`.

    `read` reads the registry of which `state` is the state, None if it is new. `roots` are the root
    in force and the one that becomes so, which may be the same. One of `private_keys`, in PEM,
    signs the checkpoint, if something is new: one that both roots name, if there is any. The
    `others`, entries about something else, come after those of releases.

    Raises:
        TrustError: TRUST_LOG, the log is not as it was signed; KEY_MISSING.
    """
    root = roots[1]
    if not root.log:
        return LoggedReleases(records=records, files={}, checkpoint=None)
    keys = tuple(map(NoteKey.parse, root.log))
    new_log = Checkpoint(origin=keys[0].name, size=0, root=EMPTY_ROOT)
    before = (state and checkpoint_of(state)) or new_log
    new = [
        (name, row)
        for name, record in records.items()
        for row in record.releases
        if row.log is None
    ]
    if state is not None and not new and not others:
        live = _partial(before.size)
        return LoggedReleases(records=records, files={}, checkpoint=state.checkpoint, live=live)
    private_key = _key_at_hand(roots, private_keys)
    entries = [*(records[name].log_entry(row) for name, row in new), *others]
    growth = grow_log(before, entries, private_key, tiles_of(read))
    names = [(name, row.version) for name, row in new]
    places = dict(zip(names, growth.records, strict=False))
    was, now = _partial(before.size), _partial(before.size + len(entries))
    return LoggedReleases(
        records={name: _logged(record, places) for name, record in records.items()},
        files=growth.files,
        checkpoint=growth.note,
        others=growth.records[len(new) :],
        superseded=was - now,
        live=was | now,
    )


def _key_at_hand(roots: tuple[RootInfo, RootInfo], private_keys: Collection[bytes]) -> bytes:
    """Return the private key of the newest key of the log that is at hand, best of both roots.

    Raises:
        TrustError: KEY_MISSING.
    """
    here = {public_key(pem): pem for pem in private_keys}
    for root in roots:
        for key in map(NoteKey.parse, reversed(root.log)):
            if key.public in here:
                return here[key.public]
    raise TrustError(
        "KEY_MISSING",
        f"log.pem, which signs the log, is not among the keys of the registry {roots[1].id}",
        "Copy the registry's keys here, or publish where they are; nothing was changed.",
    )


def is_signed_by_one(note: bytes, keys: Sequence[str]) -> bool:
    """Return whether a checkpoint is signed with one of the keys that a root names."""
    try:
        verified(note, *map(NoteKey.parse, keys))
    except TrustError:
        return False
    return True


def checkpoint_of(state: RegistryState) -> Checkpoint | None:
    """Return the verified checkpoint in force; None if the registry has no log.

    Raises:
        TrustError: TRUST_LOG; and what reading `state` raises.
    """
    keys = tuple(map(NoteKey.parse, info_of(state.root).log))
    if not keys:
        return None
    if state.checkpoint is None:
        raise TrustError(
            "TRUST_LOG",
            "the registry does not list the checkpoint of its log",
            "Restore the registry's files from Git or from a mirror.",
        )
    return verified(state.checkpoint, *keys)


def _partial(size: int) -> frozenset[str]:
    return frozenset(map(tile_path, partial_tiles(size)))


def _logged(record: PackageRecord, places: Mapping[tuple[str, str], LogRecord]) -> PackageRecord:
    """Return a record in which the new releases say where the log has them."""

    def place(row: Row) -> Row:
        found = places.get((record.name, row.version))
        return replace(row, log=found) if found and isinstance(row, ReleaseRecord) else row

    return replace(record, rows=tuple(map(place, record.rows)))
