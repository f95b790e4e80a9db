"""The machine-readable side of the site: the JSON API, the sitemap, robots.txt.

Everything is computed from the signed state, so that building twice gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import text
from psreg.registry.catalog_head import Head

INDEX_SCHEMA = "psreg.index/2"


def index_document(site: Site, head: Head, number: int) -> bytes:
    """Return `api/v1/index.json`, the entry point of the API.

    Args:
        site: the registry's identity.
        head: the head of the catalogue.
        number: how many packages there are.
    """
    return _document(
        {
            "schema": INDEX_SCHEMA,
            "name": site.name,
            "registry_id": site.registry_id,
            "mode": site.mode,
            "root_sha256": site.root_sha256,
            "metadata": "registry/metadata/",
            "packages": {"count": number, "path": "api/v1/packages/{name}.json"},
            "segments": [
                {
                    "path": f"registry/{segment.path}",
                    "sha256": segment.target.sha256,
                    "size": segment.target.length,
                    "count": segment.count,
                }
                for segment in head.segments
            ],
        }
    )


def search_index(built: bytes, documents: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the theme's search index as mkdocs `built` it, with more documents added."""
    index = json.loads(built)
    index["docs"] += documents
    return json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode()


def _document(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def schema_document(data: bytes, path: str, site: Site) -> bytes:
    """Return a JSON Schema as it is served at `path` below the site's root.

    Its `$id` is its address. It is absent if the site does not know its address: then an editor
    uses the address it fetched the schema from. `$ref` is relative in both cases.
    """
    document = json.loads(data)
    del document["$id"]
    address = {"$id": site.base_url + path} if site.base_url else {}
    return _document({"$schema": document.pop("$schema"), **address, **document})


def sitemap(site: Site, pages: Iterable[tuple[str, str]]) -> str:
    """Return sitemap.xml of `pages`: path below the root, and ISO date-time or ""."""
    urls = "".join(
        f"<url><loc>{text(site.base_url + path)}</loc>"
        f"{f'<lastmod>{text(date[:10])}</lastmod>' if date else ''}</url>\n"
        for path, date in pages
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def robots(site: Site) -> str:
    """Return robots.txt: search engines may index everything except metadata and API."""
    root = urlsplit(site.base_url).path or "/"
    lines = ["User-agent: *", f"Disallow: {root}registry/", f"Disallow: {root}api/"]
    if site.base_url:
        lines.append(f"Sitemap: {site.base_url}sitemap.xml")
    return "\n".join(lines) + "\n"
