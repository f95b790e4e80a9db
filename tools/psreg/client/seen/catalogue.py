"""The catalogue of a registry, compared with the one that this machine has seen before.

It may not become older, and a name that was in it may not vanish. The former layout, one shard per
class, is read as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from psreg.client.kept import keep_proof, keys_replaced
from psreg.client.resolve import missing_name
from psreg.core.classes import CLASSES
from psreg.core.errors import PsregError, TrustError
from psreg.registry.catalog_head import Head, read_head
from psreg.registry.catalog_segments import (
    Catalogue,
    Segment,
    check_segment,
    read_checked_segment,
    read_segment,
)
from psreg.registry.trust.roles import HEAD, SEGMENT_FOLDER, catalog_target, package_target

if TYPE_CHECKING:
    from pathlib import Path

    from psreg.client.verified.targets import VerifiedTargets
    from psreg.registry.catalog_head import SegmentRef

MAX_HEAD = 8 * 1024 * 1024
MAX_SEGMENT = 64 * 1024 * 1024


class SeenCatalogue:
    """The catalogue in the verified `targets` of a registry, whose state is in `folder`."""

    def __init__(self, targets: VerifiedTargets, folder: Path) -> None:
        self._targets, self._folder = targets, folder

    def read(self) -> tuple[Catalogue, str]:
        """Return the catalogue, and the newest date of a release."""
        data = self._targets.target(catalog_target(HEAD), MAX_HEAD, self._judge_head)
        if data is None:
            found = Catalogue(segments=self._shards())
        else:
            head = read_head(data)
            self._targets.forget(SEGMENT_FOLDER, but={segment.path for segment in head.segments})
            segments = [self._segment(segment) for segment in head.segments]
            found = Catalogue(segments=segments, synonyms=head.synonyms)
            keep_proof(self._folder, catalog_target(HEAD))
            self._targets.touch(catalog_target(HEAD))
            if head.latest:
                return found, head.latest
        dates = (date for segment in found.segments for date in segment.columns["date"])
        return found, max(dates, default="")

    def _segment(self, segment: SegmentRef) -> Segment:
        """Return a segment that a head lists; it is checked before it is stored."""
        return read_checked_segment(
            self._targets.content(segment.path, segment.target, check_segment)
        )

    def _judge_head(self, before: bytes | None, now: bytes | None) -> None:
        """Refuse a head that is older than the one before, or that lacks a name that it had."""

        def names(head: Head) -> frozenset[str]:
            return names_in(self._segment(each) for each in head.segments)

        head = None if now is None else read_head(now)
        try:
            seen = read_head(before or b"")
        except PsregError:
            return  # there is no stored copy, or it is damaged and protects nothing
        older = head is not None and head.version < seen.version
        if older and not keys_replaced(self._folder, catalog_target(HEAD)):
            raise TrustError("TRUST_ROLLBACK", "the catalogue is older than this machine has seen")
        try:
            known = names(seen)
        except PsregError:
            return  # as above
        self._check_vanished(known - names(head or Head()))

    def _shards(self) -> list[Segment]:
        """Return the catalogue of the former layout: one target per class."""

        def judge(entry_class: str, before: bytes | None, now: bytes | None) -> None:
            listed = () if now is None else read_segment(now, entry_class).names
            try:
                seen = read_segment(before or b"", entry_class).names
            except PsregError:
                return  # as above
            self._check_vanished({*seen} - {*listed})

        files = {
            name: self._targets.target(catalog_target(name), MAX_SEGMENT, partial(judge, name))
            for name in CLASSES
        }
        return [read_segment(data, name) for name, data in files.items() if data is not None]

    def _check_vanished(self, names: Iterable[str]) -> None:
        """Raise TRUST_NAME_MISSING for the first of `names` that has no record any more."""
        for name in sorted(names):
            if not self._targets.lists(package_target(name)):
                raise missing_name(name)


def names_in(segments: Iterable[Segment]) -> frozenset[str]:
    """Return the names of a catalogue."""
    found: set[str] = set()
    for segment in segments:
        found.update(segment.names)
        found.difference_update(segment.gone)
    return frozenset(found)
