"""Reads a conversation in JSON Lines: one turn, cycle or exchange per line.

There are three kinds of file, and the keys of the first line tell which one it is: `role` and
`content` are a transcript, `instr`, `previous` and `next` a PLSP trace, `message`, `text` and
`pb2s_proof` a PB2S exchange. A file whose first line has none of these keys is read as a
transcript.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psreg.core.diagnostics import Issue, Span
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree

CODE = "REG027"
"""The rule that reports what is wrong in the evidence of a release."""

MAX_ISSUES = 20
"""Issues that are reported of one file."""

ROLES = ("user", "assistant", "system")


class Kind(StrEnum):
    """What a file records: the turns of any dialogue, or what one protocol exchanges."""

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
    Kind.PLSP: ("next",),  # a line with `next` alone is a block without its cycle
    Kind.PB2S: (),  # a missing key violates the protocol; it is not a read error
}


_TEXTS: Mapping[Kind, tuple[str, ...]] = {
    **_KEYS,
    Kind.PB2S: (),  # the protocol's rules check the types of an exchange
}


def kind_of(record: object) -> Kind | None:
    """Return the kind of a record by its keys, or None if it has none of them."""
    keys = record.keys() if isinstance(record, dict) else ()
    return next((kind for kind, known in _KEYS.items() if any(k in keys for k in known)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that is not blank: its position, its record, and what is wrong with it.

    `number` counts the lines of the file from 1; `fault` is "" if `record` can be used.
    """

    number: int
    span: Span
    kind: Kind | None
    record: Any
    fault: str


def lines(text: str) -> Iterator[Line]:
    """Yield the lines of `text` in order, without blank ones, a byte order mark and a run header.

    The first line that can be read decides the kind of all; `kind` is None before it.
    """
    kind: Kind | None = None
    for index, (number, line, start) in enumerate(_lines(text)):
        tree = json_document.parse(line.encode(errors="replace"))
        fault = _unreadable(tree)
        if not index and _is_header(tree.value):
            if not fault:
                continue
        else:
            kind = kind or (kind_of(tree.value) or Kind.TRANSCRIPT if tree.parsed else None)
            fault = fault or record_fault(kind or Kind.TRANSCRIPT, tree.value)
        span = Span(start, start + len(line))
        yield Line(number=number, span=span, kind=kind, record=tree.value, fault=fault)


def _is_header(value: Any) -> bool:
    """Tell whether a line is a run header and no record."""
    return isinstance(value, dict) and isinstance(value.get("run"), dict) and not kind_of(value)


def header_line(text: str) -> str:
    """Return the first line of `text` if it is a run header and no record, else ""."""
    first = next(_lines(text), None)
    value = json_document.parse(first[1].encode(errors="replace")).value if first else None
    return first[1] if first and _is_header(value) else ""


def issues(text: str) -> Iterator[Issue]:
    """Yield why `text` cannot be read as one of the three kinds, in order.

    An empty file is an issue. A byte order mark and blank lines are not.
    """
    number = 0
    for number, line in enumerate(lines(text), 1):  # noqa: B007 - the last number tells whether there was a line
        if line.fault:
            hint = record_hint(line.kind)
            yield Issue(code=CODE, message=line.fault, span=line.span, hint=hint)
    if not number:
        yield Issue(code=CODE, message="the file is empty", span=Span(0, 0), hint=record_hint(None))


def records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the turns, cycles or exchanges of `text` in order; other lines are skipped."""
    for _, line, _ in _lines(text):
        record = json_document.parse(line.encode(errors="replace")).value
        if kind_of(record):
            yield record


def _lines(text: str) -> Iterator[tuple[int, str, int]]:
    r"""Yield number, text and offset of each line that is not blank; only `\n` ends one."""
    start = len(text) - len(text.removeprefix("\ufeff"))
    for number, line in enumerate(text[start:].split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r"), start
        start += len(line) + 1


def record_hint(kind: Kind | None) -> str:
    """Return a hint that shows how to write a line of a file of `kind`."""
    if kind is Kind.PLSP:
        return 'Write a line of a PLSP trace as {"instr": …, "previous": …, "next": …}.'
    if kind is Kind.PB2S:
        return 'Write a line of a PB2S exchange as {"message": …, "text": …, "pb2s_proof": {…}}.'
    return 'Write a line of a transcript as {"role": "user", "content": "…"}.'


def _unreadable(tree: JsonTree) -> str:
    if not tree.parsed:
        return "the line is not JSON"
    return tree.issues[0].message if tree.issues else ""


def record_fault(kind: Kind, record: Any) -> str:
    """Return what is wrong with a record of a file of `kind`, or ""."""
    if not isinstance(record, dict):
        return "the line is not a JSON object"
    other = kind_of(record)
    if other not in (kind, None):
        return f"this is a {other} record; the file begins as {kind}"
    for key in _REQUIRED[kind]:
        if key not in record:
            return f"`{key}` is missing"
    for key in _TEXTS[kind]:
        if not isinstance(record.get(key, ""), str):
            return f"`{key}` is not a string"
    if kind is Kind.TRANSCRIPT and record["role"] not in ROLES:
        return f"`role` must be {', '.join(ROLES[:-1])} or {ROLES[-1]}"
    return ""
