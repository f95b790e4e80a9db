"""The feeds of a site: which releases are the newest, read from the records of few entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from psreg.catalogue.pages.feeds import MOST_ITEMS, Feed, Item
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.listing import Row
from psreg.core.classes import CLASSES
from psreg.registry.records import read_record
from psreg.registry.trust.reading import Read, read_target
from psreg.registry.trust.roles import Target, package_target, target_path


def feed_files(
    site: Site, rows: Sequence[Row], signed: Mapping[str, str], read: Read
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each feed.

    Args:
        site: the registry's identity and address.
        rows: all entries.
        signed: the digests of the signed records, by name.
        read: returns the files of the registry's folder.

    Raises:
        TrustError: TRUST_DIGEST, a record is missing or is not the one that was signed.
    """

    @cache
    def items(name: str) -> tuple[Item, ...]:
        path, sha256 = package_target(name), signed[name]
        data = read(target_path(path, sha256)) or b""
        target = Target(length=len(data), sha256=sha256)
        record = read_record(read_target(path, target, lambda _: data).data, name)
        return tuple(
            Item(name=name, entry_class=record.entry_class, release=release)
            for release in reversed(record.releases)
            if not release.is_purged
        )

    # NOTE: the newest releases are of the entries with the newest ones, so a few records do.
    released = sorted((row for row in rows if row.name in signed), key=lambda row: row.name)
    released.sort(key=lambda row: row.last, reverse=True)
    for slug in ("", *CLASSES):
        mine = (row.name for row in released if slug in ("", row.entry_class))
        found = [item for name in islice(mine, MOST_ITEMS) for item in items(name)]
        found.sort(key=lambda item: item.name)  # both sorts keep the order of equal ones
        found.sort(key=lambda item: item.release.date, reverse=True)
        yield from Feed(slug=slug, items=found[:MOST_ITEMS]).files(site)
