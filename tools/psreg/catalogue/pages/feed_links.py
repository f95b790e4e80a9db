"""How pages name the feeds of a site."""

from __future__ import annotations

from psreg.catalogue.pages.class_texts import class_text
from psreg.catalogue.pages.html import text
from psreg.core.classes import CLASSES

ATOM = "feed.atom"
JSON = "feed.json"


def feed_topic(slug: str) -> str:
    """Return what the feed of a class is about, or that of all releases if `slug` is ""."""
    return f"new releases of {class_text(slug).title.lower()}" if slug else "new releases"


def feed_links(slug: str, root: str) -> str:
    """Return the elements by which a page names the feed of a class, or of all releases.

    `root` is the relative path to the site's root.
    """
    folder = f"{root}{slug}/" if slug else root
    title = text(feed_topic(slug))
    kinds = (("application/atom+xml", ATOM), ("application/feed+json", JSON))
    return "".join(
        f'<link rel="alternate" type="{kind}" title="{title}" href="{folder}{name}">'
        for kind, name in kinds
    )


def page_feed_links(path: str) -> str:
    """Return `feed_links` for the page of an entry or a release at `path`; "" for other pages."""
    slug = path.partition("/")[0]
    return feed_links(slug, "../" * path.count("/")) if slug in CLASSES else ""
