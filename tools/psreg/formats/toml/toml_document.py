"""TOML documents with source positions.

`parse` never raises: what it cannot read is an issue with a place. Positions count code points
of `text`, a byte order mark included.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from typing import Any

from psreg.core.diagnostics import Span
from psreg.formats.issue import Issue
from psreg.formats.json.pointer import split
from psreg.formats.toml.positions import MAX_DEPTH, Path, Place, locate

MAX_BYTES = 1_048_576

_BOM = "\ufeff"
_INTEGERS = 2**63
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the places in __dict__
class TomlTree:
    """A TOML document: its text, its value, and where in the text each value stands.

    `value` is None unless `parsed`; then it is a dict as `tomllib` makes it, floats as `Decimal`
    and dates as `datetime` objects.
    """

    text: str
    value: Any = None
    parsed: bool = False
    issues: tuple[Issue, ...] = ()

    def span(self, pointer: str) -> Span:
        """Return where the value at `pointer` stands; of a table, its header.

        A pointer to nothing resolves to its nearest existing ancestor, the root to the start.
        """
        return self._place(_path(pointer)).value

    def key_span(self, pointer: str) -> Span:
        """Return where the key at `pointer` stands; see `span` for pointers to nothing."""
        path = _path(pointer)
        place = self._place(path)
        return place.key if path in self._places else place.value

    @cached_property
    def _places(self) -> dict[Path, Place]:
        return locate(self.text, _start(self.text)).by_path if self.parsed else {}

    def _place(self, path: Path) -> Place:
        while path:
            if place := self._places.get(path):
                return place
            path = path[:-1]
        return _ROOT


_ROOT = Place(key=Span(0, 0), value=Span(0, 0))


def parse(data: bytes) -> TomlTree:
    """Read TOML 1.0.0; never raises, whatever `data` holds."""
    if len(data) > MAX_BYTES:
        issue = Issue(
            code="TOML003",
            message=f"the file has {len(data):,} bytes; the largest allowed has {MAX_BYTES:,}",
            span=Span(0, 0),
        )
        return TomlTree(text="", issues=(issue,))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _undecodable(data, error.start)
    start = _start(text)
    marks = (_byte_order_mark(),) if start else ()
    value = _value(text, start)
    if isinstance(value, Issue):
        return TomlTree(text=text, issues=(*marks, value))
    return TomlTree(text=text, value=value, parsed=True, issues=marks)


def _value(text: str, start: int) -> dict[str, Any] | Issue:
    """Return what the TOML from `start` on means, or why it means nothing."""
    if deep := _too_deep(text, start):
        message = f"keys and arrays are nested more than {MAX_DEPTH} deep"
        return Issue(code="TOML004", message=message, span=deep)
    try:
        value = tomllib.loads(text[start:], parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        return _syntax(text, start, str(error))
    except (ValueError, ArithmeticError):  # int() and Decimal() have limits of their own
        return _syntax(text, start, "a number has more digits than can be read")
    if long := _long_integer(value, ()):
        return Issue(
            code="TOML002",
            message="not valid TOML: the integer has more than 64 bits",
            span=locate(text, start).by_path[long].value,
        )
    return value


def _long_integer(value: Any, path: Path) -> Path | None:
    """Return where `value` holds an integer beyond 64 bits, which TOML 1.0.0 excludes.

    `tomllib` reads them; one of a million bits could not even be printed in a message.
    """
    if isinstance(value, int):
        return None if -_INTEGERS <= value < _INTEGERS else path
    items: Iterable[tuple[object, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    found = (_long_integer(item, (*path, str(key))) for key, item in items)
    return next((place for place in found if place), None)


def _start(text: str) -> int:
    """Return the offset at which the TOML starts: after a byte order mark."""
    return 1 if text.startswith(_BOM) else 0


def _too_deep(text: str, start: int) -> Span | None:
    # Each level takes a dot or a bracket: few of them need no scan.
    if sum(map(text.count, ".[{")) < MAX_DEPTH - 2:
        return None
    return locate(text, start).too_deep


def _undecodable(data: bytes, at: int) -> TomlTree:
    offset = len(data[:at].decode())
    issue = Issue(
        code="TOML001",
        message=f"byte 0x{data[at]:02x} at offset {at} is not UTF-8",
        span=Span(offset, offset + 1),
        hint="Save the file with the encoding UTF-8.",
    )
    return TomlTree(text=data.decode(errors="replace"), issues=(issue,))


def _byte_order_mark() -> Issue:
    return Issue(
        code="TOML005",
        message="the file starts with a byte order mark",
        span=Span(0, 1),
        hint="Save it as 'UTF-8', not as 'UTF-8 with BOM'.",
    )


def _syntax(text: str, start: int, said: str) -> Issue:
    """Make an issue of tomllib's sentence, which ends in `(at line L, column C)` if it knows."""
    found = _WHERE.search(said)
    at = start
    if found and found[1]:
        at = _line_start(text, int(found[1])) + int(found[2]) - 1
        at += start if found[1] == "1" else 0
    elif found:
        at = len(text)
    message = _WHERE.sub("", said)
    return Issue(
        code="TOML002",
        message=f"not valid TOML: {message[:1].lower()}{message[1:]}",
        span=Span(at, min(at + 1, len(text))),
    )


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.index("\n", at) + 1
    return at


def json_value(value: Any) -> Any:
    """Return a TOML value as JSON data: dates as ISO 8601 strings, floats as decimal text."""
    if isinstance(value, dict):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _path(pointer: str) -> Path:
    return tuple(split(pointer))
