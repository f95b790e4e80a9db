"""TOML documents with source positions.

`parse` never raises: what it cannot read is an issue with a place. Positions count code points
of `text`, which has no byte-order mark.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from typing import Any

from psreg.diagnostics import Span
from psreg.formats.issue import Issue
from psreg.formats.pointer import split
from psreg.formats.toml_places import MAX_DEPTH, Path, Place, locate

MAX_BYTES = 1_048_576

_BOM = b"\xef\xbb\xbf"
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlTree:
    """A TOML document: its text, its value, and where in the text each value stands.

    `value` is None unless `parsed`; then it is a dict as `tomllib` makes it, floats as `Decimal`
    and dates as `datetime` objects.
    """

    text: str
    value: Any = None
    parsed: bool = False
    issues: tuple[Issue, ...] = ()
    _places: dict[Path, Place] = field(default_factory=dict, repr=False)

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
            message=f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read",
            span=Span(0, 0),
        )
        return TomlTree(text="", issues=(issue,))
    marks = (_mark(),) if data.startswith(_BOM) else ()
    data = data.removeprefix(_BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode())
        issue = Issue(
            code="TOML001",
            message=f"byte 0x{data[error.start]:02x} is not UTF-8",
            span=Span(at, at + 1),
            hint="save the file as UTF-8",
        )
        return TomlTree(text=data.decode(errors="replace"), issues=(*marks, issue))
    return _parse(text, marks)


def _parse(text: str, issues: tuple[Issue, ...]) -> TomlTree:
    places = locate(text)
    if places.too_deep:
        issue = Issue(
            code="TOML004",
            message=f"keys and arrays are nested more than {MAX_DEPTH} deep",
            span=places.too_deep,
        )
        return TomlTree(text=text, issues=(*issues, issue))
    try:
        value = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        return TomlTree(text=text, issues=(*issues, _syntax(text, str(error))))
    except (ValueError, ArithmeticError):  # int() and Decimal() have limits of their own
        issue = _syntax(text, "a number has more digits than can be read (at line 1, column 1)")
        return TomlTree(text=text, issues=(*issues, issue))
    return TomlTree(text=text, value=value, parsed=True, issues=issues, _places=places.by_path)


def _mark() -> Issue:
    return Issue(
        code="TOML005",
        message="the file begins with a byte-order mark",
        span=Span(0, 0),
        hint="save the file as UTF-8 without a byte-order mark",
    )


def _syntax(text: str, said: str) -> Issue:
    """Make an issue of tomllib's sentence, which ends in `(at line L, column C)`."""
    found = _WHERE.search(said)
    at = len(text)
    if found and found[1]:
        at = _line_start(text, int(found[1])) + int(found[2]) - 1
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
