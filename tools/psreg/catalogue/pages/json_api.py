"""The machine-readable side of the site: the JSON API, the sitemap, robots.txt.

Everything is computed from the signed state, so that building twice gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import text
from psreg.registry.catalog_head import Head, SegmentRef
from psreg.registry.catalog_segments import row_of, write_segment
from psreg.registry.deploy.headers import DRAFTS_FILE
from psreg.registry.search.layers import layers_folder
from psreg.registry.trust.roles import Target
from psreg.registry.withdrawing.advisories import advisories

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Draft
    from psreg.catalogue.pages.listing import Row
    from psreg.registry.withdrawing.effects import Effects

INDEX_SCHEMA = "psreg.index/2"
ADVISORIES_SCHEMA = "psreg.advisories/1"
DEPENDENTS_SCHEMA = "psreg.dependents/1"

MOST_ADDRESSES = 50_000
"""Maximum number of addresses in one sitemap (sitemaps.org, "Using Sitemap index files")."""


def draft_segment(drafts: Mapping[str, Draft]) -> bytes:
    """Return a segment of the catalogue with the rows of drafts, which says which are drafts."""
    shown = {name: draft.entry for name, draft in sorted(drafts.items()) if draft.entry}
    rows = {name: row_of(entry.record) for name, entry in shown.items()}
    segment = write_segment({name: row for name, row in rows.items() if row})
    return json_file({**json.loads(segment), "draft": [e.latest.draft for e in shown.values()]})


def index_document(site: Site, head: Head, number: int, drafts: bytes | None = None) -> bytes:
    """Return `api/v1/index.json`, the entry point of the API.

    Args:
        site: the registry's identity.
        head: the head of the catalogue.
        number: how many packages there are.
        drafts: the segment of the drafts; None if the site shows none.
    """
    segments = [
        {**_segment(f"registry/{each.path}", each.target, each.count), **_layers(each)}
        for each in head.segments
    ]
    if drafts is not None:
        count = json.loads(drafts)["count"]
        segments.append({**_segment(DRAFTS_FILE, Target.of(drafts), count), "signed": False})
    return json_file(
        {
            "schema": INDEX_SCHEMA,
            "name": site.name,
            "registry_id": site.registry_id,
            "mode": site.mode,
            "root_sha256": site.root_sha256,
            "metadata": "registry/metadata/",
            "packages": {"count": number, "path": "api/v1/packages/{name}.json"},
            "owners": {"path": "api/v1/owners/{name}.json"},
            "segments": segments,
        }
    )


def advisory_files(effects: Effects) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each advisory in the format of OSV, and of the list of all."""
    found = [*advisories(effects)]
    for each in found:
        yield f"advisories/{each['id']}.json", json_file(each)
    keys = ("id", "modified", "summary")
    rows = [
        {**{key: each[key] for key in keys}, "path": f"advisories/{each['id']}.json"}
        for each in found
    ]
    yield "api/v1/advisories.json", json_file({"schema": ADVISORIES_SCHEMA, "advisories": rows})


def dependents_document(rows: Iterable[Row]) -> bytes:
    """Return the file that lists, by name, which entries require it in their latest release."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        for required in row.requires:
            name, _, wanted = required.partition(" ")
            dependent = {"name": row.name, "class": row.entry_class, "version": row.version}
            found.setdefault(name, []).append({**dependent, "range": wanted})
    return json_file({"schema": DEPENDENTS_SCHEMA, "dependents": dict(sorted(found.items()))})


def _segment(path: str, target: Target, count: int) -> dict[str, Any]:
    return {"path": path, "sha256": target.sha256, "size": target.length, "count": count}


def _layers(segment: SegmentRef) -> dict[str, str]:
    folder = layers_folder(segment)
    return {"search": folder} if folder else {}


def json_file(value: Any) -> bytes:
    """Return `value` as a JSON file that people can read, too."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def schema_document(data: bytes, path: str, site: Site) -> bytes:
    """Return a JSON Schema as it is served at `path` below the site's root.

    Its `$id` is its address. It is absent if the site does not know its address: then an editor
    uses the address it fetched the schema from. `$ref` is relative in both cases.
    """
    document = json.loads(data)
    del document["$id"]
    address = {"$id": site.base_url + path} if site.base_url else {}
    return json_file({"$schema": document.pop("$schema"), **address, **document})


def sitemaps(site: Site, pages: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return sitemap.xml, and the files that it lists if there are more pages than one may have.

    A page is its path below the root, and an ISO date-time or "".
    """
    first, *others = sitemap_paths(len(pages))
    if not others:
        return {first: _sitemap("urlset", "url", site, pages)}
    made = {first: _sitemap("sitemapindex", "sitemap", site, [(path, "") for path in others])}
    for number, path in enumerate(others):
        part = pages[number * MOST_ADDRESSES : (number + 1) * MOST_ADDRESSES]
        made[path] = _sitemap("urlset", "url", site, part)
    return made


def sitemap_paths(number: int) -> list[str]:
    """Return the paths of the files of `sitemaps` for a number of pages, sitemap.xml first."""
    parts = -(-number // MOST_ADDRESSES)
    return ["sitemap.xml", *(f"sitemap-{n}.xml" for n in range(1, parts + 1) if parts > 1)]


def _sitemap(kind: str, item: str, site: Site, pages: Iterable[tuple[str, str]]) -> str:
    items = "".join(
        f"<{item}><loc>{text(site.base_url + path)}</loc>"
        f"{f'<lastmod>{text(date[:10])}</lastmod>' if date else ''}</{item}>\n"
        for path, date in pages
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{items}</{kind}>\n'
    )


def robots(site: Site) -> str:
    """Return robots.txt: search engines may index everything except metadata and API."""
    root = urlsplit(site.base_url).path or "/"
    lines = ["User-agent: *", f"Disallow: {root}registry/", f"Disallow: {root}api/"]
    if site.base_url:
        lines.append(f"Sitemap: {site.base_url}sitemap.xml")
    return "\n".join(lines) + "\n"
