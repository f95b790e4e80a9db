"""Feeds of releases: Atom (RFC 4287) and JSON Feed 1.1.

Everything comes from signed records, dates too, so that building twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.catalogue.pages.feed_links import ATOM, JSON, feed_topic
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import text, visible
from psreg.catalogue.pages.json_api import json_file
from psreg.registry.records import ReleaseRecord

MOST_ITEMS = 50
"""Maximum number of releases in a feed."""

_NO_DATE = "1970-01-01T00:00:00Z"
"""When a feed without items was changed: Atom requires a date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A release in a feed, with the name and the class of its entry."""

    name: str
    entry_class: str
    release: ReleaseRecord

    @property
    def title(self) -> str:
        """The name and version, and whether it was withdrawn."""
        state = self.state
        return f"{self.name} {self.release.version}" + (f" ({state})" if state else "")

    @property
    def state(self) -> str:
        """`revoked`, `yanked` or ""."""
        if self.release.revoked:
            return "revoked"
        return "" if self.release.yanked is None else "yanked"

    @property
    def text(self) -> str:
        """What happened, in plain text: why it was withdrawn, what it is for, what changed."""
        if self.release.revoked:
            why = self.release.revoked.told("This version")
        elif self.release.yanked is not None:
            why = f"This version was yanked: {self.release.yanked}"
        else:
            why = ""
        parts = (why, self.release.text("summary"), self.release.text("changes"))
        return "\n\n".join(filter(None, parts))

    @property
    def updated(self) -> str:
        """When it was released or revoked; a record does not say when it was yanked."""
        revoked = self.release.revoked
        return max(self.release.date, revoked.date) if revoked else self.release.date

    @property
    def path(self) -> str:
        """The folder of the page of the release."""
        return f"{self.entry_class}/{self.name}/{self.release.version}/"

    def id(self, site: Site) -> str:
        """What identifies the release, wherever the site is."""
        release = self.release
        return f"urn:psreg:{site.registry_id}:{self.name}:{release.version}:{release.sha256}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """The newest releases, newest first: of all entries if `slug` is "", else of a class."""

    slug: str
    items: Sequence[Item]

    @property
    def folder(self) -> str:
        """The folder of the feed and of the page that lists the same entries."""
        return f"{self.slug}/" if self.slug else ""

    def title(self, site: Site) -> str:
        """What it is called in a feed reader."""
        return f"{site.name}: {feed_topic(self.slug)}"

    def files(self, site: Site) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of the feed in both formats; `site` has an address."""
        yield f"{self.folder}{ATOM}", self._atom(site).encode()
        yield f"{self.folder}{JSON}", json_file(self._document(site))

    def _atom(self, site: Site) -> str:
        updated = max((item.updated for item in self.items), default=_NO_DATE)
        address = site.base_url + self.folder
        name = ":".join(filter(None, ("urn:psreg", site.registry_id, "releases", self.slug)))
        entries = "".join(_atom_entry(item, site) for item in self.items)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
            f"<id>{_xml(name)}</id>\n<title>{_xml(self.title(site))}</title>\n"
            f"<updated>{_xml(updated)}</updated>\n"
            f"<author><name>{_xml(site.name)}</name></author>\n"
            f'<link rel="self" type="application/atom+xml" href="{_xml(address + ATOM)}"/>\n'
            f'<link rel="alternate" type="text/html" href="{_xml(address)}"/>\n{entries}</feed>\n'
        )

    def _document(self, site: Site) -> dict[str, Any]:
        address = site.base_url + self.folder
        return {
            "version": "https://jsonfeed.org/version/1.1",
            "title": visible(self.title(site)),
            "home_page_url": address,
            "feed_url": address + JSON,
            "items": [_json_item(item, site) for item in self.items],
        }


def _atom_entry(item: Item, site: Site) -> str:
    release = item.release
    tags = "".join(f'<category term="{_xml(tag)}"/>' for tag in release.texts("tags"))
    address = _xml(site.base_url + item.path)
    return (
        f"<entry>\n<id>{_xml(item.id(site))}</id>\n<title>{_xml(item.title)}</title>\n"
        f"<published>{_xml(release.date)}</published>\n<updated>{_xml(item.updated)}</updated>\n"
        f'<link rel="alternate" type="text/html" href="{address}"/>\n{tags}'
        f'<content type="text">{_xml(item.text)}</content>\n</entry>\n'
    )


def _json_item(item: Item, site: Site) -> dict[str, Any]:
    release = item.release
    return {
        "id": item.id(site),
        "url": site.base_url + item.path,
        "title": visible(item.title),
        "content_text": visible(item.text),
        "date_published": release.date,
        "date_modified": item.updated,
        "tags": [visible(tag) for tag in release.texts("tags")],
        "_psreg": {
            "name": item.name,
            "class": item.entry_class,
            "version": release.version,
            "sha256": release.sha256,
            "state": item.state or "released",
        },
    }


def _xml(value: str) -> str:
    """Return `value` escaped for XML, which has no way to write a control character."""
    return text(visible(value))
