"""The transparency log of a registry, as this machine saw it: it may only grow.

The last checkpoint is kept. A new one must continue it, and the log must have a release where its
record says, before the release is installed. So nobody is shown another history than the others,
and what was released cannot be taken back in silence, not even with the keys of the registry. When
it was how long is remembered for some days, so that nothing in it seems older than it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from psreg.client.verified.targets import VerifiedTargets
from psreg.core.errors import TrustError
from psreg.http.registry_source import NotServedError, Source, TooLongError
from psreg.registry.log.checkpoint import LARGEST, Checkpoint, NoteKey, Witnesses, verified
from psreg.registry.log.entry import LogEntry, LogRecord
from psreg.registry.log.growth import check_continues, check_logged, tile_path
from psreg.registry.log.merkle import HASH_SIZE
from psreg.registry.log.tiles import Tile
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.roles import CHECKPOINT, LOG

NOBODY = Witnesses()

_VIEWS, _MOST = f"{LOG}/views.json", 100_000
_HOUR, _KEPT = timedelta(hours=1), timedelta(days=8)

_TELL = "Tell the maintainers of the registry; do not install from it."


class SeenLog:
    """The log that signs with one of `keys`, read through a client of its registry.

    `witnesses` must have cosigned its checkpoint. It is read `now`.
    """

    def __init__(
        self,
        client: VerifiedTargets,
        source: Source,
        keys: Sequence[str],
        witnesses: Witnesses = NOBODY,
        *,
        now: datetime,
    ) -> None:
        self._now = now
        self._client, self._source = client, source
        self._witnesses = witnesses
        self._keys = tuple(map(NoteKey.parse, keys))
        self._newest: Checkpoint | None = None
        self._tiles: dict[Tile, bytes] = {}

    def check(self, record: PackageRecord, row: ReleaseRecord) -> None:
        """Check that the log has a release as its verified record says.

        Raises:
            TrustError: TRUST_LOG: it does not, or the log does not continue what this machine has
                seen of it; and what `TufClient.target` raises.
            UnavailableError: the log cannot be read.
        """
        if row.log is None:
            raise TrustError(
                "TRUST_LOG",
                f"the log of the registry does not have {record.name} {row.version}",
                _TELL,
            )
        self.check_entry(record.log_entry(row), row.log)

    def check_entry(self, entry: LogEntry, place: LogRecord) -> None:
        """Check that the log has an entry in a place. Raises as `check`."""
        at = check_logged(entry, place, self._keys)
        check_continues(at, self.checkpoint(), self._tile)

    def last_without(self, index: int) -> datetime | None:
        """Return when this machine last saw the log without an entry at `index`.

        None if that was not in the last days. Raises as `check`.
        """
        self.checkpoint()
        return max((at for size, at in self._views() if size <= index), default=None)

    def checkpoint(self) -> Checkpoint:
        """Return the checkpoint in force, which continues the last one that was kept here."""
        if self._newest is None:
            note = self._client.target(CHECKPOINT, LARGEST, self._judge)
            if note is None:
                raise TrustError("TRUST_LOG", "the registry hides the checkpoint of its log", _TELL)
            newest = verified(note, *self._keys)
            self._witnesses.check(note)
            self._newest = newest
            self._client.touch(CHECKPOINT)
        return self._newest

    @property
    def files(self) -> dict[str, bytes]:
        """The tiles that were read, by their path in the registry."""
        return {tile_path(tile): data for tile, data in self._tiles.items()}

    def _judge(self, before: bytes | None, now: bytes | None) -> None:
        """Refuse a checkpoint that does not continue the one before."""
        if now is None:
            return
        newest = verified(now, *self._keys)
        try:
            seen = verified(before or b"", *self._keys)
        except TrustError:
            return  # there is no stored copy, or it is damaged and protects nothing
        check_continues(seen, newest, self._tile)
        self._remember(seen)

    def _remember(self, seen: Checkpoint) -> None:
        """Remember how long the log was when it was last seen, one view for an hour."""
        at, views = self._client.stored_at(CHECKPOINT), self._views()
        if at is not None and not any(abs(at - other) < _HOUR for _, other in views):
            rows = [[size, int(other.timestamp())] for size, other in [*views, (seen.size, at)]]
            self._client.put(_VIEWS, json.dumps(rows).encode())

    def _views(self) -> list[tuple[int, datetime]]:
        """Return how long the log was, and when, of the last days; what is damaged is left out."""
        try:
            rows = json.loads(self._client.stored(_VIEWS, _MOST) or b"[]")
            found = [(int(size), datetime.fromtimestamp(at, UTC)) for size, at in rows]
        except (ValueError, TypeError, OverflowError, OSError, RecursionError):
            return []
        return [(size, at) for size, at in found if timedelta() <= self._now - at <= _KEPT]

    def _tile(self, tile: Tile) -> bytes:
        if tile not in self._tiles:
            self._tiles[tile] = self._fetched(tile_path(tile), tile.width * HASH_SIZE)
        return self._tiles[tile]

    def _fetched(self, path: str, size: int) -> bytes:
        try:
            return self._source.read(f"registry/{path}", size)
        except NotServedError as error:
            told = f"{path} is missing from the registry's log"
            raise TrustError("TRUST_LOG", told, "Use another mirror.") from error
        except TooLongError as error:
            raise TrustError("TRUST_LOG", f"{path} is too long", "Use another mirror.") from error
