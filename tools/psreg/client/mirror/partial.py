"""A mirror of only some names says so, so that a client can tell why it lacks others.

The note is not signed: it explains an error, and decides nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from psreg.core.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Collection

    from psreg.http.registry_source import Source

PATH = "registry/mirror.json"
SCHEMA = "psreg.mirror-of/1"
_LARGEST = 1024 * 1024


def note(names: Collection[str]) -> bytes:
    """Return the file of a mirror that has only these names."""
    return json.dumps({"schema": SCHEMA, "names": sorted(names)}).encode() + b"\n"


def not_mirrored(name: str, source: Source) -> UnavailableError | None:
    """Return the error for a name that is not in the mirror at `source`; None if it may be.

    That is any other registry, and a mirror of everything.
    """
    try:
        names = json.loads(source.read(PATH, _LARGEST))["names"]
    except (UnavailableError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(names, list) or name in names:
        return None
    return UnavailableError(
        "NOT_MIRRORED",
        f"`{name}` is not in {source.location}, which is a mirror of only some names",
        f"Use the registry itself, or mirror it again with one more `--only {name}`.",
    )
