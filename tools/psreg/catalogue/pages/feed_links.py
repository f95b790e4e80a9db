"""How pages name the feeds of a site."""

from __future__ import annotations

from psreg.catalogue.pages.class_texts import class_text
from psreg.catalogue.pages.html import text

ATOM = "feed.atom"
JSON = "feed.json"
LIST = "feeds.opml"
ADVISORIES = "advisories/"
ADVISORIES_TOPIC = "advisories: releases that were withdrawn, and entries that are deprecated"


def feed_topic(slug: str) -> str:
    """Return what the feed of a class is about, or that of all releases if `slug` is ""."""
    return f"new releases of {class_text(slug).title.lower()}" if slug else "new releases"


def entry_topic(name: str) -> str:
    """Return what the feed of an entry is about."""
    return f"new releases of {name}"


def feed_links(slug: str, root: str) -> str:
    """Return the elements by which a page names the feed of a class, or of all releases.

    `root` is the relative path to the site's root.
    """
    return _links(f"{root}{slug}/" if slug else root, feed_topic(slug))


def home_feed_links() -> str:
    """Return the elements by which the home page names feeds: of all releases, of advisories."""
    listed = f'<link rel="alternate" type="text/x-opml" title="all feeds" href="{LIST}">'
    return feed_links("", "") + _links(ADVISORIES, ADVISORIES_TOPIC) + listed


def entry_feed_links(path: str) -> str:
    """Return the same for the page of an entry or a release at `path`: its feed, its class's."""
    slug, name, *_ = path.split("/")
    root = "../" * path.count("/")
    return _links(f"{root}{slug}/{name}/", entry_topic(name)) + feed_links(slug, root)


def _links(folder: str, topic: str) -> str:
    kinds = (("application/atom+xml", ATOM), ("application/feed+json", JSON))
    return "".join(
        f'<link rel="alternate" type="{kind}" title="{text(topic)}" href="{folder}{name}">'
        for kind, name in kinds
    )
