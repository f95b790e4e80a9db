"""`deploy.json`: what a deployment left in a bucket, so that the next one lists nothing.

It is unsigned and only a hint: no client reads it. A wrong one makes a deployment send too much or
too little, which `--full` finds; it never makes a client accept anything. An object is in `files`,
with the mark of its content and headers, if it belongs to the state in force; in `begun`, if a
deployment that has not ended was to write it; in `retired`, if the site no longer has it.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.regex import lazy
from psreg.formats.json.canonical import canonical
from psreg.registry.deploy.headers import DEPLOY_FILE, Headers
from psreg.registry.json_members import Members, as_text, is_later_schema, newer_format
from psreg.registry.trust.roles import is_registry_id
from psreg.registry.trust.strict_json import strict_value

SCHEMA = "psreg.deployment/1"
MAX_BYTES = 512 * 1024 * 1024

_MARK = lazy(r"[0-9a-f]{32}:[0-9a-f]{8}")
_MARK_OR_NOTHING = lazy(r"([0-9a-f]{32}:[0-9a-f]{8})?")
_PATH = lazy(r"(?!\.\.?(?:/|$))[^/\x00-\x1f\x7f]+(?:/(?!\.\.?(?:/|$))[^/\x00-\x1f\x7f]+)*")
_TIME = lazy(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_GZIP = b"\x1f\x8b"


def mark_of(sha256: str, headers: Headers) -> str:
    """Return what identifies an object: half a digest of its content, and one of its headers."""
    return f"{sha256[:32]}:{hashlib.sha256(str(headers).encode()).hexdigest()[:8]}"


def same_content(mark: str, other: str) -> bool:
    """Return whether two marks are of the same content, whatever the headers."""
    return mark.partition(":")[0] == other.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetiredObjects:
    """Objects that the site had until `since`; the registry may be read through them to `until`."""

    since: str
    until: str
    paths: tuple[str, ...]

    @classmethod
    def from_json(cls, value: Any) -> RetiredObjects:
        """Read one element of `retired`. Raises ValueError on another shape."""
        members = Members(value, "retired objects")
        since, until = members.text("since"), members.text("until")
        if not (_TIME.fullmatch(since) and _TIME.fullmatch(until)):
            raise ValueError("retired objects: not a time")
        return cls(since=since, until=until, paths=_paths(members.array("paths")))

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {"since": self.since, "until": self.until, "paths": list(self.paths)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """What is known of a bucket.

    `timestamps` are the digests that the one in force may have. `begun` has the mark of what was
    written, and "" for what may or may not have been.
    """

    registry_id: str
    timestamps: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    begun: Mapping[str, str] = field(default_factory=dict)
    retired: tuple[RetiredObjects, ...] = ()

    @property
    def marks(self) -> Mapping[str, str]:
        """The marks of the objects that the site had, "" for those that are not known."""
        return {**self.files, **self.begun}

    @property
    def paths(self) -> set[str]:
        """Every object that psreg put there."""
        return {*self.files, *self.begun, *(path for each in self.retired for path in each.paths)}

    def to_bytes(self) -> bytes:
        """Return the file."""
        value = {
            "schema": SCHEMA,
            "registry_id": self.registry_id,
            "timestamps": list(self.timestamps),
            "files": dict(self.files),
            "begun": dict(self.begun),
            "retired": [each.to_json() for each in self.retired],
        }
        return canonical(value)


def read_deployed(data: bytes) -> Deployed | None:
    """Return what `data` says; None if it cannot be read as what psreg wrote.

    Raises:
        UnavailableError: NEWER_FORMAT.
    """
    try:
        value = strict_value(_unpacked(data))
        members = Members(value, "deploy.json")
        schema = members.text("schema")
        if is_later_schema(schema, SCHEMA):
            raise newer_format(f"{DEPLOY_FILE} has the schema {schema}")
        if schema != SCHEMA or not is_registry_id(registry_id := members.text("registry_id")):
            return None
        return Deployed(
            registry_id=registry_id,
            timestamps=tuple(as_text(each, "a digest") for each in members.array("timestamps")),
            files=_marks(members.object("files"), _MARK),
            begun=_marks(members.object("begun"), _MARK_OR_NOTHING),
            retired=tuple(map(RetiredObjects.from_json, members.array("retired"))),
        )
    except (TrustError, ValueError, zlib.error):
        return None


def _unpacked(data: bytes) -> bytes:
    """Return the bytes of the file; some hosts unpack it themselves."""
    if not data.startswith(_GZIP):
        return data
    return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)


def _marks(values: Mapping[str, Any], form: re.Pattern[str]) -> dict[str, str]:
    """Return marks by path. Raises ValueError for other values."""
    _paths(values)
    found = {path: as_text(mark, "a mark") for path, mark in values.items()}
    if not all(map(form.fullmatch, found.values())):
        raise ValueError("deploy.json has a mark that psreg does not write")
    return found


def _paths(values: Iterable[Any]) -> tuple[str, ...]:
    """Return paths, all below the place that is deployed to. Raises ValueError for others."""
    found = tuple(as_text(each, "a path") for each in values)
    if not all(map(_PATH.fullmatch, found)):
        raise ValueError("deploy.json names something outside of its place")
    return found
