"""The formats that `psreg import` reads, each told by its name and content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from psreg.authoring.importing import agent_skill, csv_rows, markdown
from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile


class Format(NamedTuple):
    """A format: how to tell it, and what reads it."""

    name: str
    claims: Callable[[SourceFile, Fields], bool]
    read: Callable[[SourceFile, Fields], Iterator[Found | Refused]]


FORMATS = (
    Format("csv", csv_rows.claims, csv_rows.read),
    Format("markdown", markdown.claims, markdown.read),
)
"""Formats of single files, the first that claims a file reads it."""


def prompts_in(
    files: Mapping[PurePosixPath, bytes],
    fields: Fields,
    covers: Callable[[str], bool],
    *,
    is_alone: bool,
) -> Iterator[Found | Refused]:
    """Yield what a source has; files that are not prompts, or not covered, are left out.

    `is_alone`: the user named the one file, which is Markdown or plain text if it is nothing else.
    """
    found = _parts(files, fields, covers, is_alone=is_alone)
    yield from islice(found, MOST)
    if further := next(found, None):
        reason = f"the source has more than {MOST:,} parts; it and those after it are not read"
        yield Refused(path=further.path, reason=reason)


MOST = 100_000
"""The most prompts, and parts that are refused, of one source."""


def _parts(
    files: Mapping[PurePosixPath, bytes],
    fields: Fields,
    covers: Callable[[str], bool],
    *,
    is_alone: bool,
) -> Iterator[Found | Refused]:
    skills = {path.parent: list[PurePosixPath]() for path in files if _is_skill(path)}
    parts: dict[PurePosixPath, PurePosixPath] = {}
    for path in files:
        folder = next((parent for parent in path.parents if parent in skills), None)
        if folder is not None and not _is_skill(path):
            skills[folder].append(path)
            parts[path] = folder
    for path in sorted(files):
        if path not in parts and covers(str(path)):
            file = SourceFile(path=path, data=files[path])
            others = skills.get(path.parent, []) if _is_skill(path) else None
            yield from _read(file, fields, others, is_alone=is_alone)


def _is_skill(path: PurePosixPath) -> bool:
    return path.name == agent_skill.FILE


def _read(
    file: SourceFile, fields: Fields, others: list[PurePosixPath] | None, *, is_alone: bool
) -> Iterator[Found | Refused]:
    try:
        if others is not None:
            yield from agent_skill.read(file, fields, others)
            return
        form = next((form for form in FORMATS if form.claims(file, fields)), None)
        if form is None and is_alone:
            form = FORMATS[-1]
        if form is not None:
            yield from form.read(file, fields)
    except ValueError as error:  # it is not a text
        yield Refused(path=str(file.path), reason=str(error))
