"""The feeds of a site: which items are the newest, read from the records of few entries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from psreg.catalogue.pages.feed_links import (
    ADVISORIES,
    ADVISORIES_TOPIC,
    LIST,
    entry_topic,
    feed_topic,
)
from psreg.catalogue.pages.frame import Site, entry_folder
from psreg.catalogue.pages.listing import Row
from psreg.catalogue.site_manifest import Entries, Shown, rows_of
from psreg.catalogue.texts.feed_items import (
    Item,
    action_advisories,
    record_advisories,
    release_items,
)
from psreg.catalogue.texts.feeds import Feed, feed_list
from psreg.core.classes import CLASSES
from psreg.registry.published import Entry
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.reading import Read, read_target
from psreg.registry.trust.roles import Target, package_target, target_path
from psreg.registry.withdrawing.effects import Effects

MOST_ITEMS = 50
"""Maximum number of items in a feed."""

MOST_TAGGED = 20
"""Maximum number of items in the feed of a tag."""

MOST_TAGS = 100
"""Maximum number of tags with a feed; those of most entries have one."""

_TAG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_TAG = 40


class SignedRecords:
    """The signed records of a registry.

    `signed` are their digests by name; `read` returns the files of the registry's folder.
    """

    def __init__(self, signed: Mapping[str, str], read: Read) -> None:
        self._signed, self._read = signed, read
        self.items = cache(lambda name: tuple(release_items(self.of(name))))

    def __contains__(self, name: str) -> bool:
        return name in self._signed

    def of(self, name: str) -> PackageRecord:
        """Return the record of a name.

        Raises:
            TrustError: TRUST_DIGEST, it is missing or is not the one that was signed.
        """
        path, sha256 = package_target(name), self._signed[name]
        data = self._read(target_path(path, sha256)) or b""
        target = Target(length=len(data), sha256=sha256)
        return read_record(read_target(path, target, lambda _: data).data, name)


def feed_files(
    site: Site, rows: Sequence[Row], records: SignedRecords, effects: Effects, tags: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each feed, but for those of entries.

    Args:
        site: the registry's identity and address.
        rows: all entries.
        records: the signed records.
        effects: the actions in force.
        tags: the tags whose feeds are wanted, of `feed_tags(rows)`.

    Raises:
        TrustError: TRUST_DIGEST, a record is missing or is not the one that was signed.
    """
    # NOTE: the newest releases are of the entries with the newest ones, so a few records do.
    released = sorted((row for row in rows if row.name in records), key=lambda row: row.name)
    released.sort(key=lambda row: row.last, reverse=True)

    def of_rows(rows: Iterable[Row], most: int) -> list[Item]:
        return [item for row in islice(rows, most) for item in records.items(row.name)]

    for slug in ("", *CLASSES):
        mine = (row for row in released if slug in ("", row.entry_class))
        yield from class_feed(slug, _newest(of_rows(mine, MOST_ITEMS))).files(site)
    for tag in tags:
        tagged = of_rows((row for row in released if tag in row.tags), MOST_TAGGED)
        newest = _newest(item for item in tagged if tag in item.tags)
        yield from tag_feed(tag, newest[:MOST_TAGGED]).files(site)
    advised = sorted((row for row in released if row.advised), key=lambda row: row.advised)
    told = [i for row in advised[-MOST_ITEMS:] for i in record_advisories(records.of(row.name))]
    found = _newest([*action_advisories(effects), *told])
    yield from advisory_feed(found).files(site)
    yield LIST, feed_list(_listed(rows), site).encode()


def _listed(rows: Iterable[Row]) -> Iterator[Feed]:
    """Yield all feeds but those of entries, without items."""
    yield from (class_feed(slug, ()) for slug in ("", *CLASSES))
    yield advisory_feed(())
    yield from (tag_feed(tag, ()) for tag in feed_tags(rows))


def _newest(found: Iterable[Item]) -> list[Item]:
    """Return the newest items; of equal dates, releases keep their order within a name."""
    ordered = sorted(found, key=lambda item: str(item.details.get("name", "")))
    ordered.sort(key=lambda item: item.published, reverse=True)
    return ordered[:MOST_ITEMS]


def class_feed(slug: str, items: Sequence[Item]) -> Feed:
    """Return the feed of the releases of a class, or of all if `slug` is ""."""
    folder = f"{slug}/" if slug else ""
    key = ":".join(filter(None, ("releases", slug)))
    return Feed(key=key, topic=feed_topic(slug), folder=folder, page=folder, items=items)


def tag_feed(tag: str, items: Sequence[Item]) -> Feed:
    """Return the feed of the releases with a tag."""
    topic = f"new releases tagged {tag}"
    return Feed(
        key=f"tag:{tag}", topic=topic, folder=tag_folder(tag), page=f"?tag={tag}", items=items
    )


def tag_folder(tag: str) -> str:
    """Return the folder of the feed of a tag."""
    return f"tags/{tag}/"


def advisory_feed(items: Sequence[Item]) -> Feed:
    """Return the feed of what was withdrawn or deprecated."""
    return Feed(key="advisories", topic=ADVISORIES_TOPIC, folder=ADVISORIES, page="", items=items)


def entry_feed_files(entry: Entry, site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of the feed of an entry, without drafts; `site` has an address."""
    name, folder = entry.record.name, entry_folder(entry.record)
    drafts = {each.record.version for each in entry.releases if each.draft}
    told = [*record_advisories(entry.record), *release_items(entry.record)]
    items = _newest(item for item in told if item.details.get("version") not in drafts)
    feed = Feed(
        key=f"entry:{name}", topic=entry_topic(name), folder=folder, page=folder, items=items
    )
    yield from feed.files(site)


def feed_tags(rows: Iterable[Row]) -> list[str]:
    """Return the tags that have a feed: those of most entries, sorted."""
    counted = Counter(tag for row in rows for tag in set(row.tags))
    known = (tag for tag in counted if len(tag) <= _LONGEST_TAG and _TAG.fullmatch(tag))
    return sorted(sorted(known, key=lambda tag: (-counted[tag], tag))[:MOST_TAGS])


def changed_tags(before: Entries, after: Entries) -> list[str]:
    """Return the tags whose feeds may differ from those of a former site.

    A feed may differ if the record of an entry with the tag does, before or after.
    """
    was, now = _by_name(before), _by_name(after)
    differing = {name for name in {*was, *now} if was.get(name) != now.get(name)}
    rows = [shown.row for each in (was, now) for name, shown in each.items() if name in differing]
    touched = {tag for row in rows if row for tag in row.tags}
    kept = set(feed_tags(rows_of(before))) - touched
    return [tag for tag in feed_tags(rows_of(after)) if tag not in kept]


def dropped_tags(before: Entries, after: Entries) -> list[str]:
    """Return the tags that had a feed in a former site and have none now."""
    kept = feed_tags(rows_of(after))
    return [tag for tag in feed_tags(rows_of(before)) if tag not in kept]


def _by_name(entries: Entries) -> dict[str, Shown]:
    return {name: shown for each in entries.values() for name, shown in each.items()}
