"""What other pages show of an entry: a badge (SVG), and an embedded link (oEmbed 1.0)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.entry.entry_picture import picture_file, picture_path
from psreg.catalogue.pages.frame import OEMBED, Site, entry_folder, picture_address
from psreg.catalogue.pages.html import count, cut, text, visible
from psreg.catalogue.pages.json_api import json_file
from psreg.registry.published import Entry

_GOOD, _OPEN, _BAD = "#1f6f5c", "#5c5c5c", "#a3262a"
_LONGEST, _LONGEST_TITLE = 32, 200
_CHARACTER, _MARGIN = 7, 8
"""Pixels: the width of a character, about, and the space beside a text."""


def embed_files(entry: Entry, site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of an entry's badge; with an address, of its oEmbed and picture."""
    folder = entry_folder(entry.record)
    message, colour = _state(entry)
    version = entry.latest.record.version
    yield (
        f"{folder}badge.svg",
        _badge(site.name, f"{cut(version, _LONGEST)} {message}", colour).encode(),
    )
    if site.base_url:
        yield f"{folder}{OEMBED}", json_file(_oembed(entry, site))
        yield from picture_file(entry, site)


def _state(entry: Entry) -> tuple[str, str]:
    """Return what the badge says about the latest release, and its colour."""
    latest = entry.latest
    if latest.record.revoked is not None:
        return "revoked", _BAD
    if latest.record.yanked is not None:
        return "yanked", _BAD
    if latest.draft:
        return "draft", _OPEN
    if entry.record.deprecated is not None:
        return "deprecated", _BAD
    platforms = len(release_view.passed_platforms(latest))
    if platforms:
        return f"tested on {count(platforms, 'platform')}", _GOOD
    return "not yet tested", _OPEN


def _badge(label: str, message: str, colour: str) -> str:
    label = cut(label, _LONGEST)
    left, right = (_CHARACTER * len(each) + 2 * _MARGIN for each in (label, message))
    said = text(visible(f"{label}: {message}"))
    words = ((label, 0, left), (message, left, right))
    texts = "".join(
        f'<text x="{start + _MARGIN}" y="14" textLength="{width - 2 * _MARGIN}">'
        f"{text(visible(word))}</text>"
        for word, start, width in words
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{said}"><title>{said}</title>'
        f'<rect width="{left + right}" height="20" rx="4" fill="{colour}"/>'
        f'<rect width="{left}" height="20" rx="4" fill="#333"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    )


def _oembed(entry: Entry, site: Site) -> dict[str, Any]:
    logins = [str(owner.get("login", "")) for owner in entry.record.owners]
    own = picture_path(entry, site)
    return {
        "version": "1.0",
        "type": "link",
        "title": visible(cut(release_view.title(entry.latest), _LONGEST_TITLE)),
        "author_name": visible(", ".join(filter(None, logins))),
        "provider_name": visible(site.name),
        "provider_url": site.base_url,
        "thumbnail_url": picture_address(own, entry.record.entry_class, site),
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
    }
