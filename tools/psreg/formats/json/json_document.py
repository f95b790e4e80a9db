"""JSON with a place for every value: what Python parses quickly, psreg can also point at.

`parse` never raises. A sound text costs one decoding and one `json.loads`; a second, iterative
scan (`jsonscan`) gives precise places, and runs only when a place is asked for or something is
wrong. What Python's parser accepts silently is an issue here: duplicate names, NaN, byte order
marks, lone surrogates, boundless nesting (READINGS PBE-01, PBE-A14).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from psreg.core.diagnostics import Change, Span
from psreg.formats.issue import Issue
from psreg.formats.json.scanner import MAX_DEPTH, MAX_NUMBER, Node, scan

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Issue", "JsonTree", "parse"]

MAX_BYTES = 1_048_576
"""Size of the largest JSON file psreg reads: 1 MiB."""

_BOM = "\ufeff"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the scan in __dict__
class JsonTree:
    """A JSON text, its value, its issues, and the place of everything in it.

    `text` is all of the file, a byte order mark included, undecodable bytes replaced; "" if the
    file is too large. `parsed` is False if the text is no JSON: then `value` is None, `issues`
    holds the one reason, and every place is the start. Of duplicate names the last one counts.
    `scanned` is what the scanner found, if parsing needed it.
    """

    text: str
    value: Any
    parsed: bool
    issues: tuple[Issue, ...] = ()
    scanned: Node | None = field(default=None, repr=False, compare=False)

    def span(self, pointer: str) -> Span:
        """Return where the value at `pointer` (RFC 6901) stands, from bracket to bracket.

        A pointer to nothing resolves to its nearest existing ancestor.
        """
        if self._root is None:
            return Span(0, 0)
        node = self._root.find(pointer)
        return Span(node.start, node.end)

    def key_span(self, pointer: str) -> Span:
        """Return where the member name of the value at `pointer` stands, with its quotes.

        The value's own place for the root and for the items of an array.
        """
        node = self._root and self._root.find(pointer)
        return node.name if node and node.name else self.span(pointer)

    @cached_property
    def _root(self) -> Node | None:
        if self.scanned or not self.parsed:
            return self.scanned
        return scan(self.text, _start(self.text)).root


def parse(data: bytes) -> JsonTree:
    """Read a JSON file; never raises."""
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data):,} bytes; the largest allowed has {MAX_BYTES:,}"
        hint = "Keep the instructions; let the user upload reference material when it is needed."
        return _refused("", Issue(code="JSON009", message=message, span=Span(0, 0), hint=hint))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _undecodable(data, error.start)
    start = _start(text)
    value = _plain(text[start:])
    if value is not _DOUBTFUL:
        return JsonTree(text=text, value=value, parsed=True, issues=_byte_order_mark(start))
    found = scan(text, start)
    if found.root is None:
        return _refused(text, *found.issues)
    return JsonTree(
        text=text,
        value=json.loads(text[start:]),
        parsed=True,
        issues=_byte_order_mark(start) + found.issues,
        scanned=found.root,
    )


_DOUBTFUL = object()


class _DoubtError(ValueError):
    """The quick parser met something that only the scanner can judge."""


def _plain(text: str) -> Any:
    """Return the value of a JSON text beyond doubt, else `_DOUBTFUL`."""
    if _SURROGATE_ESCAPE.search(text):
        return _DOUBTFUL
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _DOUBTFUL
    brackets = text.count("[") + text.count("{")
    return _DOUBTFUL if brackets > MAX_DEPTH and _deeper(value, MAX_DEPTH) else value


def _deeper(value: Any, levels: int) -> bool:
    """Tell whether objects and arrays are nested more than `levels` deep; level by level."""
    row = [value]
    for _ in range(levels):
        row = [
            child
            for node in row
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return any(isinstance(node, (dict, list)) for node in row)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _DoubtError
    return members


def _int(literal: str) -> int:
    if len(literal) > MAX_NUMBER:
        raise _DoubtError
    return int(literal)


def _float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number) or len(literal) > MAX_NUMBER:
        raise _DoubtError
    return number


def _constant(_literal: str) -> NoReturn:
    raise _DoubtError


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant
)


def _start(text: str) -> int:
    """Return the offset at which the JSON starts: after a byte order mark."""
    return 1 if text.startswith(_BOM) else 0


def _byte_order_mark(start: int) -> tuple[Issue, ...]:
    if not start:
        return ()
    message = "the file starts with a byte order mark"
    hint = "Save it as 'UTF-8', not as 'UTF-8 with BOM'."
    mark = Span(0, len(_BOM))
    title = "delete the byte order mark"
    return (
        Issue(
            code="JSON004",
            message=message,
            span=mark,
            hint=hint,
            fix=(Change(mark, ""),),
            fix_title=title,
        ),
    )


def _undecodable(data: bytes, at: int) -> JsonTree:
    offset = len(data[:at].decode())
    message = f"byte 0x{data[at]:02x} at offset {at} is not UTF-8"
    hint = "Save the file with the encoding UTF-8."
    if data.startswith(_UTF16):
        hint = "The file looks like UTF-16, which Windows calls 'Unicode'; save it as UTF-8."
    issue = Issue(code="JSON001", message=message, span=Span(offset, offset + 1), hint=hint)
    return _refused(data.decode(errors="replace"), issue)


def _refused(text: str, *issues: Issue) -> JsonTree:
    return JsonTree(text=text, value=None, parsed=False, issues=issues)
