"""Which exported files may be written: new ones, and those that psreg wrote and nobody changed.

A folder of exports has the list `.psreg-exports.json` of what psreg wrote there: release, target
and digest of every file, or of the section of a shared file. A file that is not on the list, or
that differs from it, is someone's work.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from psreg.client.exports.exported import Exported
from psreg.client.exports.targets import Target, exports
from psreg.core.errors import FindingsError
from psreg.registry.json_members import is_later_schema, newer_format

SCHEMA = "psreg.exports/1"
LIST = PurePosixPath(".psreg-exports.json")

_BEGIN = re.compile(r"<!-- psreg:begin (\S+) (\S+) sha256:([0-9a-f]{64}) -->\r?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A file, or a section, that psreg wrote. `content` is its SHA-256, `sha256` the artifact's."""

    name: str
    version: str
    target: str
    sha256: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What to write: the bytes of `files`, the new list among them, and what stays as it is."""

    files: Mapping[PurePosixPath, bytes]
    unchanged: tuple[PurePosixPath, ...] = field(default=())


def read_list(data: bytes | None) -> dict[str, Row]:
    """Return the rows of a list by path, with `#NAME` for a section; none of a damaged one.

    Raises:
        UnavailableError: `NEWER_FORMAT`.
    """
    try:
        value = json.loads(data or b"{}")
        if is_later_schema(value.get("schema", SCHEMA), SCHEMA):
            raise newer_format(f"{LIST} has the format {value['schema']}")
        return {path: Row(**row) for path, row in value.get("files", {}).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def place(
    prompt: Exported,
    target: Target,
    existing: Mapping[PurePosixPath, bytes],
    *,
    force: bool = False,
) -> Placed:
    """Return what exporting a prompt writes into a folder with the files `existing`.

    Those are the files at the paths of `paths_of`, where there are any. With `force`, files that
    someone changed are replaced.

    Raises:
        FindingsError: `EXPORT_CHANGED`, naming all that would be overwritten; as `exports`.
        UnavailableError: `NEWER_FORMAT`.
    """
    rows = read_list(existing.get(LIST))
    written: dict[PurePosixPath, bytes] = {}
    unchanged, changed = [], []
    for path, data in exports(prompt, target).items():
        key = f"{path}#{prompt.name}" if target.shared else str(path)
        before = existing.get(path)
        section = _Section.find(before or b"", prompt.name) if target.shared else None
        found = section.content if section else None if target.shared else before
        known = rows[key].content if key in rows else ""
        if found not in (None, data) and _digest(found or b"") != known and not force:
            changed.append(path)
            continue
        rows[key] = Row(
            name=prompt.name,
            version=prompt.version,
            target=target.name,
            sha256=prompt.sha256,
            content=_digest(data),
        )
        whole = _with_section(before or b"", section, prompt, data) if target.shared else data
        if whole == before:
            unchanged.append(path)
        else:
            written[path] = whole
    if changed:
        raise _refusal(changed)
    listed = _list(rows)
    if listed != existing.get(LIST):
        written[LIST] = listed
    return Placed(files=written, unchanged=tuple(unchanged))


def paths_of(prompt: Exported, target: Target) -> tuple[PurePosixPath, ...]:
    """Return the paths that `place` reads and writes. Raises as `exports`."""
    return (*exports(prompt, target), LIST)


def _refusal(changed: Sequence[PurePosixPath]) -> FindingsError:
    return FindingsError(
        "EXPORT_CHANGED",
        f"{', '.join(map(str, changed))} was not written by psreg, or was changed since",
        "Move your changes elsewhere, or overwrite them with `--force`.",
    )


def _list(rows: Mapping[str, Row]) -> bytes:
    files: dict[str, Any] = {
        path: {
            "name": row.name,
            "version": row.version,
            "target": row.target,
            "sha256": row.sha256,
            "content": row.content,
        }
        for path, row in sorted(rows.items())
    }
    document = {"schema": SCHEMA, "files": files}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """A section of a shared file: where it is with its markers, and what is between them."""

    start: int
    end: int
    content: bytes

    @classmethod
    def find(cls, data: bytes, name: str) -> _Section | None:
        """Return the section of a prompt, None if there is none."""
        return next((found for owner, found in _sections(data) if owner == name), None)


def _sections(data: bytes) -> Iterator[tuple[str, _Section]]:
    """Yield the sections of a file, with the name of the prompt of each.

    What looks like a marker within a section is a part of it: the marker that ends it has the
    digest of the artifact, which its own text cannot contain. Without that marker it has no end.
    """
    lines = data.splitlines(keepends=True)
    at, number = 0, 0
    while number < len(lines):
        begin = _BEGIN.fullmatch(lines[number].decode("utf-8", "replace").rstrip("\n"))
        start = at
        at += len(lines[number])
        number += 1
        if begin is None:
            continue
        closing = _end_marker(begin[1], begin[3]).encode()
        content = at
        while number < len(lines) and lines[number].rstrip(b"\r\n") != closing:
            at += len(lines[number])
            number += 1
        end = at + (len(lines[number]) if number < len(lines) else 0)
        yield begin[1], _Section(start=start, end=end, content=data[content:at])
        at, number = end, number + 1


def _end_marker(name: str, sha256: str) -> str:
    return f"<!-- psreg:end {name} sha256:{sha256} -->"


def _with_section(
    before: bytes, section: _Section | None, prompt: Exported, content: bytes
) -> bytes:
    """Return a shared file with the section of a prompt, which is new at its end or replaced."""
    begin = f"<!-- psreg:begin {prompt.name} {prompt.version} sha256:{prompt.sha256} -->\n"
    end = f"{_end_marker(prompt.name, prompt.sha256)}\n"
    whole = begin.encode() + content + end.encode()
    if section:
        return before[: section.start] + whole + before[section.end :]
    gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
    return before + gap + whole
