"""Reads the proof of a run: JSON Lines, one turn or exchange of a conversation a line.

DESIGN §2 knows three kinds. Which one a file is, its first line says, because the keys have
nothing in common: `role` and `content` are a transcript, `instr`, `previous` and `next` a PLSP
trace, `message`, `text` and `pb2s_proof` a PB2S exchange. A first line with none of these keys is
read as a transcript, which every prompt can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psreg.core.diagnostics import Span
from psreg.formats.issue import Issue
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree

CODE = "REG027"
"""The rule that reports what is wrong."""

MOST = 20
"""Issues of one file."""

ROLES = ("user", "assistant", "system")


class Kind(StrEnum):
    """What a file of JSON Lines records; a protocol's name, or a conversation of any kind."""

    TRANSCRIPT = "transcript"
    PLSP = "plsp"
    PB2S = "pb2s"


_KEYS: Mapping[Kind, tuple[str, ...]] = {
    Kind.TRANSCRIPT: ("role", "content"),
    Kind.PLSP: ("instr", "previous", "next"),
    Kind.PB2S: ("message", "text", "pb2s_proof"),
}

_REQUIRED: Mapping[Kind, tuple[str, ...]] = {
    Kind.TRANSCRIPT: ("role", "content"),
    Kind.PLSP: ("next",),  # a line with `next` alone judges just that block
    Kind.PB2S: (),  # a missing key is a violation of the protocol, and not a read error
}


_TEXTS: Mapping[Kind, tuple[str, ...]] = {
    **_KEYS,
    Kind.PB2S: (),  # what an exchange holds, the protocol's rules judge
}


def kind_of(record: object) -> Kind | None:
    """Return what a line is by its keys, or None if they are of no kind."""
    keys = record.keys() if isinstance(record, dict) else ()
    return next((kind for kind, known in _KEYS.items() if any(k in keys for k in known)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that is not blank: where it stands, what it says, and what is wrong with it.

    `number` counts the lines of the file from 1; `fault` is "" where `record` can be used.
    """

    number: int
    span: Span
    kind: Kind | None
    record: Any
    fault: str


def lines(text: str) -> Iterator[Line]:
    """Yield the lines of `text` in order, blank ones and a byte order mark left out.

    The first line that can be read says of which kind they all are; `kind` is None before it.
    """
    kind: Kind | None = None
    for number, line, start in _lines(text):
        tree = json_document.parse(line.encode(errors="replace"))
        kind = kind or (kind_of(tree.value) or Kind.TRANSCRIPT if tree.parsed else None)
        yield Line(
            number=number,
            span=Span(start, start + len(line)),
            kind=kind,
            record=tree.value,
            fault=_unreadable(tree) or fault_of(kind or Kind.TRANSCRIPT, tree.value),
        )


def issues(text: str) -> Iterator[Issue]:
    """Yield what keeps `text` from being read as one of the three kinds, in order.

    A file without any line is an issue, too. A byte order mark and blank lines are not.
    """
    number = 0
    for number, line in enumerate(lines(text), 1):  # noqa: B007 - counts
        if line.fault:
            hint = hint_for(line.kind)
            yield Issue(code=CODE, message=line.fault, span=line.span, hint=hint)
    if not number:
        yield Issue(code=CODE, message="the file is empty", span=Span(0, 0), hint=hint_for(None))


def records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the turns or exchanges of `text` in order; lines that are none are left out."""
    for _, line, _ in _lines(text):
        record = json_document.parse(line.encode(errors="replace")).value
        if kind_of(record):
            yield record


def _lines(text: str) -> Iterator[tuple[int, str, int]]:
    r"""Yield number, text and offset of the lines that are not blank; only `\n` ends one."""
    start = len(text) - len(text.removeprefix("\ufeff"))
    for number, line in enumerate(text[start:].split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r"), start
        start += len(line) + 1


def hint_for(kind: Kind | None) -> str:
    """Return how a line of a file of `kind` is written."""
    if kind is Kind.PLSP:
        return 'A line of a PLSP trace is {"instr": …, "previous": …, "next": …}.'
    if kind is Kind.PB2S:
        return 'A line of a PB2S exchange is {"message": …, "text": …, "pb2s_proof": {…}}.'
    return 'A line of a transcript is {"role": "user", "content": "…"}.'


def _unreadable(tree: JsonTree) -> str:
    if not tree.parsed:
        return "the line is not JSON"
    return tree.issues[0].message if tree.issues else ""


def fault_of(kind: Kind, record: Any) -> str:
    """Return what is wrong with a record of a file of `kind`, or ""."""
    if not isinstance(record, dict):
        return "this is no object in braces"
    other = kind_of(record)
    if other not in (kind, None):
        return f"this belongs to another kind of file ({other}); the file began as {kind}"
    for key in _REQUIRED[kind]:
        if key not in record:
            return f"`{key}` is missing"
    for key in _TEXTS[kind]:
        if not isinstance(record.get(key, ""), str):
            return f"`{key}` is no text"
    if kind is Kind.TRANSCRIPT and record["role"] not in ROLES:
        return f"`role` is none of {', '.join(ROLES)}"
    return ""
