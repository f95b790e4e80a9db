"""What search engines read about a release: JSON-LD with the vocabulary of schema.org.

It is a data block, which no browser executes, so that the policy of a page need not allow it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import visible
from psreg.registry.published import Entry, Release

_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}")
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def linked_data(entry: Entry, release: Release, site: Site, path: str) -> str:
    """Return the element that describes a release, whose page is at `path`; "" for a draft."""
    if release.draft:
        return ""
    row = release.record
    licence = row.text("license")
    address = f"{site.base_url}{path}" if site.base_url else ""
    logins = (owner.get("login") for owner in entry.record.owners)
    value = {
        "@context": "https://schema.org",
        "@type": "SoftwareSourceCode",
        "name": entry.record.name,
        "identifier": release.id.package_url(row.sha256),
        "version": row.version,
        "description": row.text("summary"),
        "license": _licence(licence),
        "author": [{"@type": "Person", "name": name} for name in logins if isinstance(name, str)],
        "publisher": {"@type": "Organization", "name": site.name},
        "datePublished": row.date,
        "dateModified": max(row.date, row.revoked.date) if row.revoked else row.date,
        "creativeWorkStatus": _status(entry, release),
        "keywords": row.texts("tags"),
        "inLanguage": row.texts("languages"),
        "encodingFormat": row.media_type,
        "url": address,
    }
    shown = _visible({key: each for key, each in value.items() if each})
    # NOTE: nothing in JSON but strings contains these characters, so no text can end the element.
    data = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return f'<script type="application/ld+json">{data}</script>'


def _licence(stated: str) -> str:
    """Return the address of a licence; of an expression, the expression."""
    return f"https://spdx.org/licenses/{stated}" if _LICENCE.fullmatch(stated) else stated


def _status(entry: Entry, release: Release) -> str:
    row = release.record
    if row.revoked is not None:
        return "Revoked"
    if row.yanked is not None:
        return "Yanked"
    return "Published" if entry.record.deprecated is None else "Deprecated"


def _visible(value: Any) -> Any:
    """Return JSON data whose texts have no character that hides or reorders text."""
    if isinstance(value, dict):
        return {key: _visible(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_visible(each) for each in value]
    return visible(value)
