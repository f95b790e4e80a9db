"""Reads the proof of a run: JSON Lines, one turn or exchange of a conversation a line.

DESIGN §2 knows three kinds. Which one a file is, its first line says, because the keys have
nothing in common: `role` and `content` are a transcript, `instr`, `previous` and `next` a PLSP
trace, `message`, `text` and `pb2s_proof` a PB2S exchange. A first line with none of these keys is
read as a transcript, which every prompt can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from psreg.diagnostics import Span
from psreg.formats import jsontree
from psreg.formats.issue import Issue

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


def kind_of(record: object) -> Kind | None:
    """Return what a line is by its keys, or None if they are of no kind."""
    keys = record.keys() if isinstance(record, dict) else ()
    return next((kind for kind, known in _KEYS.items() if any(k in keys for k in known)), None)


def issues(text: str) -> Iterator[Issue]:
    """Yield what keeps `text` from being read as one of the three kinds, in order.

    A file without any line is an issue, too. A byte order mark and blank lines are not.
    """
    kind: Kind | None = None
    number = 0
    for line, start in _lines(text):
        span = Span(start, start + len(line))
        tree = jsontree.parse(line.encode(errors="replace"))
        kind = kind or (kind_of(tree.value) or Kind.TRANSCRIPT if tree.parsed else None)
        fault = _fault(kind, tree.value) if kind and tree.parsed else "the line is not JSON"
        number += 1
        if fault:
            yield Issue(code=CODE, message=fault, span=span, hint=_hint(kind))
    if not number:
        yield Issue(code=CODE, message="the file is empty", span=Span(0, 0), hint=_hint(None))


def records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the turns or exchanges of `text` in order; lines that are none are left out."""
    for line, _ in _lines(text):
        record = jsontree.parse(line.encode(errors="replace")).value
        if kind_of(record):
            yield record


def _lines(text: str) -> Iterator[tuple[str, int]]:
    r"""Yield the lines that are not blank, each with its offset; only `\n` ends one."""
    start = len(text) - len(text.removeprefix("\ufeff"))
    for line in text[start:].split("\n"):
        if line.strip():
            yield line.rstrip("\r"), start
        start += len(line) + 1


def _hint(kind: Kind | None) -> str:
    if kind is Kind.PLSP:
        return 'A line of a PLSP trace is {"instr": …, "previous": …, "next": …}.'
    if kind is Kind.PB2S:
        return 'A line of a PB2S exchange is {"message": …, "text": …, "pb2s_proof": {…}}.'
    return 'A line of a transcript is {"role": "user", "content": "…"}.'


def _fault(kind: Kind, record: Any) -> str:
    """Return what is wrong with a line of a file of `kind`, or ""."""
    if not isinstance(record, dict):
        return "the line is no object in braces"
    other = kind_of(record)
    if other not in (kind, None):
        return f"the line belongs to another kind of file ({other}); this one began as {kind}"
    for key in _REQUIRED[kind]:
        if key not in record:
            return f"`{key}` is missing"
    for key in _KEYS[kind]:
        if key != "pb2s_proof" and not isinstance(record.get(key, ""), str):
            return f"`{key}` is no text"
    if kind is Kind.TRANSCRIPT and record["role"] not in ROLES:
        return f"`role` is none of {', '.join(ROLES)}"
    return ""
