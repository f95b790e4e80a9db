"""What feeds list: releases, and what was withdrawn or deprecated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.catalogue.pages.frame import entry_folder
from psreg.catalogue.pages.html import cut
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.withdrawing.advisories import advisories
from psreg.registry.withdrawing.effects import Effects

_LONGEST = 10_000
"""Maximum number of characters of the text of an item."""

_LONGEST_TAG, _MOST_TAGS = 64, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a feed, in plain text.

    `key` identifies it within the registry. `path` is below the root of the site. `published` and
    `updated` are UTC. `details` are for programs that know psreg.
    """

    key: str
    path: str
    title: str
    text: str
    published: str
    updated: str
    tags: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def release_items(record: PackageRecord) -> Iterator[Item]:
    """Yield the releases of a name, the highest version first; purged ones have nothing to show."""
    for release in reversed(record.releases):
        if not release.is_purged:
            yield _release_item(record, release)


def _release_item(record: PackageRecord, release: ReleaseRecord) -> Item:
    revoked, state, why = release.revoked, "released", ""
    if revoked:
        state, why = "revoked", revoked.told("This version")
    elif release.yanked is not None:
        state, why = "yanked", f"This version was yanked: {release.yanked}"
    parts = (why, release.text("summary"), release.text("changes"))
    tags = [tag for tag in release.texts("tags") if len(tag) <= _LONGEST_TAG]
    return Item(
        key=f"{record.name}:{release.version}:{release.sha256}",
        path=f"{entry_folder(record)}{release.version}/",
        title=f"{record.name} {release.version}" + (f" ({state})" if why else ""),
        text=cut("\n\n".join(filter(None, parts)), _LONGEST),
        published=release.date,
        updated=max(release.date, release.yanked_at, revoked.date if revoked else ""),
        tags=tuple(tags[:_MOST_TAGS]),
        details={
            "name": record.name,
            "class": record.entry_class,
            "version": release.version,
            "sha256": release.sha256,
            "state": state,
        },
    )


def record_advisories(record: PackageRecord) -> Iterator[Item]:
    """Yield the yanks of a name, and that it is deprecated.

    Older records do not say since when: there a yank has the date of the release, a deprecation
    that of the last release.
    """
    releases = [release for release in record.releases if not release.is_purged]
    for release in releases:
        if release.yanked is not None:
            date = release.yanked_at or release.date
            yield _advisory(record, "yanked", release.yanked, date, release.version)
    if record.deprecated is not None and releases:
        instead = str(record.deprecated.get("replacement", ""))
        reason = str(record.deprecated.get("reason", ""))
        why = f"{reason} Use {instead} instead." if instead else reason
        date = record.deprecated_at or max(each.date for each in releases)
        yield _advisory(record, "deprecated", why, date)


def _advisory(record: PackageRecord, kind: str, why: str, date: str, version: str = "") -> Item:
    subject = f"{record.name} {version}".strip()
    return Item(
        key=":".join(filter(None, (kind, record.name, version))),
        path=f"{entry_folder(record)}{version}/" if version else entry_folder(record),
        title=f"{subject} {'was yanked' if version else 'is deprecated'}",
        text=cut(why, _LONGEST),
        published=date,
        updated=date,
        details={"name": record.name, "kind": kind, **({"version": version} if version else {})},
    )


def action_advisories(effects: Effects) -> Iterator[Item]:
    """Yield the advisories about what actions of the registry withdrew."""
    for each in advisories(effects):
        lifted = " (lifted)" if "withdrawn" in each else ""
        yield Item(
            key=f"advisory:{each['id']}",
            path=f"advisories/{each['id']}.json",
            title=f"{each['summary']}{lifted}",
            text=cut(each["details"], _LONGEST),
            published=each["published"],
            updated=each["modified"],
            details={"advisory": each["id"], "kind": each["database_specific"]["kind"]},
        )
