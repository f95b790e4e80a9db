"""Feeds: Atom (RFC 4287) and JSON Feed 1.1, and a list of them (OPML 2.0).

Everything comes from signed records, dates too, so that building twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.catalogue.pages.feed_links import ATOM, JSON
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import text, visible
from psreg.catalogue.pages.json_api import json_file
from psreg.catalogue.texts.feed_items import Item

_NO_DATE = "1970-01-01T00:00:00Z"
"""When a feed without items was changed: Atom requires a date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed, newest item first.

    `key` identifies it within the registry, `topic` is its title, `folder` has its files, and
    `page`, below the root of the site, shows the same to people.
    """

    key: str
    topic: str
    folder: str
    page: str
    items: Sequence[Item] = ()

    def title(self, site: Site) -> str:
        """What it is called in a feed reader."""
        return f"{site.name}: {self.topic}"

    def files(self, site: Site) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of the feed in both formats; `site` has an address."""
        yield f"{self.folder}{ATOM}", self._atom(site).encode()
        yield f"{self.folder}{JSON}", json_file(self._document(site))

    def _atom(self, site: Site) -> str:
        updated = max((item.updated for item in self.items), default=_NO_DATE)
        itself, page = f"{site.base_url}{self.folder}{ATOM}", f"{site.base_url}{self.page}"
        entries = "".join(_atom_entry(item, site) for item in self.items)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
            f"<id>{_xml(_urn(self.key, site))}</id>\n<title>{_xml(self.title(site))}</title>\n"
            f"<updated>{_xml(updated)}</updated>\n"
            f"<author><name>{_xml(site.name)}</name></author>\n"
            f'<link rel="self" type="application/atom+xml" href="{_xml(itself)}"/>\n'
            f'<link rel="alternate" type="text/html" href="{_xml(page)}"/>\n{entries}</feed>\n'
        )

    def _document(self, site: Site) -> dict[str, Any]:
        return {
            "version": "https://jsonfeed.org/version/1.1",
            "title": visible(self.title(site)),
            "home_page_url": f"{site.base_url}{self.page}",
            "feed_url": f"{site.base_url}{self.folder}{JSON}",
            "items": [_json_item(item, site) for item in self.items],
        }


def feed_list(feeds: Iterable[Feed], site: Site) -> str:
    """Return the list of feeds as OPML, which feed readers import; `site` has an address."""
    outlines = "".join(
        f'<outline type="rss" text="{_xml(feed.title(site))}" '
        f'xmlUrl="{_xml(site.base_url + feed.folder + ATOM)}" '
        f'htmlUrl="{_xml(site.base_url + feed.page)}"/>\n'
        for feed in feeds
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
        f"<head><title>{_xml(site.name)}</title></head>\n<body>\n{outlines}</body>\n</opml>\n"
    )


def _urn(key: str, site: Site) -> str:
    """Return what identifies a feed or an item, wherever the site is."""
    return ":".join(filter(None, ("urn:psreg", site.registry_id, key)))


def _atom_entry(item: Item, site: Site) -> str:
    tags = "".join(f'<category term="{_xml(tag)}"/>' for tag in item.tags)
    kind = "application/json" if item.path.endswith(".json") else "text/html"
    address = _xml(site.base_url + item.path)
    return (
        f"<entry>\n<id>{_xml(_urn(item.key, site))}</id>\n<title>{_xml(item.title)}</title>\n"
        f"<published>{_xml(item.published)}</published>\n<updated>{_xml(item.updated)}</updated>\n"
        f'<link rel="alternate" type="{kind}" href="{address}"/>\n{tags}'
        f'<content type="text">{_xml(item.text)}</content>\n</entry>\n'
    )


def _json_item(item: Item, site: Site) -> dict[str, Any]:
    return {
        "id": _urn(item.key, site),
        "url": site.base_url + item.path,
        "title": visible(item.title),
        "content_text": visible(item.text),
        "date_published": item.published,
        "date_modified": item.updated,
        "tags": [visible(tag) for tag in item.tags],
        "_psreg": dict(item.details),
    }


def _xml(value: str) -> str:
    """Return `value` escaped for XML, which has no way to write a control character."""
    return text(visible(value))
