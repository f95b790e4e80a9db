"""The headers with which a host serves a file of the site: media type, caching, packing.

What a client of the registry verifies is never packed: the client compares digests of exactly the
bytes it receives, and refuses a `Content-Encoding`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.core.regex import lazy
from psreg.registry.trust.roles import CHECKPOINT, TIMESTAMP_PATH

MEDIA_TYPES: tuple[tuple[str, str], ...] = (
    (".pbe.txt", "application/json"),
    (".prompt", "text/plain; charset=utf-8"),
    (".json", "application/json"),
    (".html", "text/html; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".xml", "application/xml"),
    (".atom", "application/atom+xml"),
    ("/index.md", "text/markdown; charset=utf-8"),
)
"""Suffix and media type; every other file, READMEs included, is plain text and never executed."""

FOREVER = "public, max-age=31536000, immutable"
"""For a name that never has other content."""

SOON = "public, max-age=300"
"""For pages, and for what the API returns."""

AT_ONCE = "public, max-age=60"
"""For the timestamp and the checkpoint of the log, which say what is current."""

NEVER = "no-store"

DEPLOY_FILE = "deploy.json"
DRAFTS_FILE = "api/v1/drafts.json"
"""The rows of drafts, which nobody signed; only a preview has it, and a preview is not deployed."""

TIMESTAMP_FILE = f"registry/{TIMESTAMP_PATH}"
"""The file that makes a state current."""

_IMMUTABLE = lazy(
    r"registry/targets/[a-z]+/[0-9a-f]{64}((\.[a-z0-9_]+)?\.json|\.checkpoint)"
    r"|registry/log/tile/.+"
    r"|registry/metadata/[1-9][0-9]*\.[a-z0-9-]+\.json"
)
_PACKED = lazy(
    r"(?!(api|pbes|registry|schemas|scripts)/).+\.(html|css|js|svg|xml|atom|json|md|txt)", re.DOTALL
)
_TILE = lazy(r"registry/log/tile/.+")
_SMALLEST = 512
"""Bytes; packing less saves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The headers of one object; `coding` is its `Content-Encoding`, "" or "gzip"."""

    media_type: str
    caching: str
    coding: str = ""

    def __str__(self) -> str:
        """Return them in a line, to compare and to hash."""
        return f"{self.media_type}|{self.caching}|{self.coding}"


def media_type(path: str) -> str:
    """Return the media type of a file of the site."""
    if _TILE.fullmatch(path):
        return "application/octet-stream"
    found = (media for suffix, media in MEDIA_TYPES if path.endswith(suffix))
    return next(found, "text/plain; charset=utf-8")


def is_immutable(path: str) -> bool:
    """Return whether a file of the site is named by its digest, or by its version."""
    return _IMMUTABLE.fullmatch(path) is not None


def headers_of(path: str, size: int, *, pack: bool) -> Headers:
    """Return the headers of a file of the site with `size` bytes; `pack` allows gzip."""
    if path in {TIMESTAMP_FILE, f"registry/{CHECKPOINT}"}:
        caching = AT_ONCE
    elif path == DEPLOY_FILE:
        caching = NEVER
    else:
        caching = FOREVER if is_immutable(path) else SOON
    packed = pack and size >= _SMALLEST and _PACKED.fullmatch(path)
    return Headers(media_type=media_type(path), caching=caching, coding="gzip" if packed else "")
