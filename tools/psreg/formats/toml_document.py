"""TOML documents with source positions, and TOML files that a schema checks.

`parse` never raises: what it cannot read is an issue with a location. Positions count code points
of `text`, a byte order mark included.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Issue, Span
from psreg.formats import schema
from psreg.formats.json.pointer import split
from psreg.formats.schema import Violation

MAX_BYTES = 262_144
"""Size of the largest TOML file psreg reads: 256 KiB; people write these files by hand."""

MAX_DEPTH = 64
"""Keys and array indexes from the root to the innermost value of an accepted text."""

MOST = 100
"""Items of one list or table that rules check; the schema refuses longer ones."""

Path = tuple[str, ...]

_BOM = "\ufeff"
_INTEGERS = 2**63
ESCAPE = re.compile(r'\\u[0-9a-fA-F]{4}|\\U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|\\[btnfr"\\]')
_CONTROLS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")

_TRIVIA = re.compile(r"[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)*")

_BLANK = re.compile(r"[ \t]*+")

_END = re.compile(r"[ \t]*+(?:#[^\n]*+)?(?:\n|\r\n|\Z)")

_PART = re.compile(r"""[A-Za-z0-9_-]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"|'[^'\n]*+'""")

_STRING = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"{1,2}+(?!"))[^"\\]*+)*"{3,5}'
    r"|'''[^']*+(?:'{1,2}+(?!')[^']*+)*'{3,5}"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)

_BARE = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*+|[^\s,\]}#]++")


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a key's last part and its value are; a table's value is its header."""

    key: Span
    value: Span


_ROOT = Location(key=Span(0, 0), value=Span(0, 0))


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the locations in __dict__
class TomlTree:
    """A TOML document: its text, its value, and where in the text each value is.

    `value` is None unless `parsed`; then it is a dict as `tomllib` makes it, floats as `Decimal`
    and dates as `datetime` objects.
    """

    text: str
    value: Any = None
    parsed: bool = False
    issues: tuple[Issue, ...] = ()
    located: Locations | None = None
    """Where its values are, where `parse` had to find out."""

    def span(self, pointer: str) -> Span:
        """Return where the value at `pointer` is; of a table, its header.

        A pointer to nothing resolves to its nearest existing ancestor, the root to the start.
        """
        return self._location(_path(pointer)).value

    def key_span(self, pointer: str) -> Span:
        """Return where the key at `pointer` is; see `span` for pointers to nothing."""
        path = _path(pointer)
        location = self._location(path)
        return location.key if path in self._locations else location.value

    @cached_property
    def _locations(self) -> dict[Path, Location]:
        if not self.parsed:
            return {}
        return (self.located or locate(self.text, _start(self.text))).by_path

    def _location(self, path: Path) -> Location:
        while path:
            if location := self._locations.get(path):
                return location
            path = path[:-1]
        return _ROOT


def parse(data: bytes) -> TomlTree:
    """Read TOML 1.0.0; never raises, for any `data`."""
    if len(data) > MAX_BYTES:
        issue = Issue(
            code="TOML003",
            message=f"the file has {len(data):,} bytes; the limit is {MAX_BYTES:,}",
            span=Span(0, 0),
        )
        return TomlTree(text="", issues=(issue,))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _undecodable(data, error.start)
    start = _start(text)
    marks = (_byte_order_mark(),) if start else ()
    # NOTE: each level takes a dot or a bracket: a text with few of them needs no scan.
    levels = sum(map(text.count, ".[{"))
    located = locate(text, start) if levels >= MAX_DEPTH - 2 else None
    value = _too_deep(located.too_deep) if located and located.too_deep else _value(text, start)
    if isinstance(value, Issue):
        return TomlTree(text=text, issues=(*marks, value))
    return TomlTree(text=text, value=value, parsed=True, issues=marks, located=located)


def _value(text: str, start: int) -> dict[str, Any] | Issue:
    """Return the value of the TOML from `start` on, or the issue that makes it invalid."""
    try:
        value = tomllib.loads(text[start:], parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        return _syntax(text, start, str(error))
    except (ValueError, ArithmeticError):  # int() and Decimal() have limits of their own
        return _syntax(text, start, "the number has too many digits")
    if long := _long_integer(value, ()):
        return Issue(
            code="TOML002",
            message="not valid TOML: the integer needs more than 64 bits",
            span=locate(text, start).by_path[long].value,
        )
    return value


def _long_integer(value: Any, path: Path) -> Path | None:
    """Return the path of an integer beyond 64 bits, which TOML 1.0.0 excludes, in `value`.

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
    return next((location for location in found if location), None)


def _start(text: str) -> int:
    """Return the offset at which the TOML starts: after a byte order mark."""
    return 1 if text.startswith(_BOM) else 0


def _too_deep(span: Span) -> Issue:
    message = f"keys and lists are nested more than {MAX_DEPTH} levels deep"
    return Issue(code="TOML004", message=message, span=span)


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
        hint="Save the file as 'UTF-8', not as 'UTF-8 with BOM'.",
    )


def _syntax(text: str, start: int, said: str) -> Issue:
    """Return the issue for a message of tomllib, which may end in `(at line L, column C)`."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Locations:
    """The locations of a text by path from the root, and where it nests too deep, if it does."""

    by_path: dict[Path, Location]
    too_deep: Span | None


def locate(text: str, start: int = 0) -> Locations:
    """Return the locations of the TOML that begins at `start` of `text`; never raises.

    Array indexes are decimal strings in paths.
    """
    scan = _Scan(text, start)
    try:
        scan.run()
    except _TooDeepError as error:
        return Locations(by_path=scan.locations, too_deep=error.span)
    except _NotTomlError:
        pass
    return Locations(by_path=scan.locations, too_deep=None)


class _NotTomlError(Exception):
    """The text is not TOML from here on."""


class _TooDeepError(Exception):
    """A key or value is deeper than MAX_DEPTH."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span


class _Scan:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.locations: dict[Path, Location] = {}
        self._at = start
        self._lengths: dict[Path, int] = {}  # of the arrays of tables so far

    def run(self) -> None:
        table: Path = ()
        self._match(_TRIVIA)
        while self._at < len(self.text):
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._match(_END)
            self._match(_TRIVIA)

    def _header(self) -> Path:
        start = self._at
        brackets = 2 if self.text.startswith("[[", start) else 1
        self._at += brackets
        parts = self._key()
        self._literal("]" * brackets)
        span = Span(start, self._at)
        path: Path = ()
        for name, key in parts[:-1]:
            path = self._enter((*path, name), Location(key=key, value=span))
        name, key = parts[-1]
        path = (*path, name)
        location = Location(key=key, value=span)
        if brackets == 2:  # noqa: PLR2004 - [[array of tables]]
            self.locations.setdefault(path, location)
            length = self._lengths.get(path, 0)
            self._lengths[path] = length + 1
            path = (*path, str(length))
        self._note(path, location)
        return path

    def _enter(self, path: Path, location: Location) -> Path:
        """Return the table that `path` leads to: of an array of tables, the last one."""
        self.locations.setdefault(path, location)
        length = self._lengths.get(path)
        return path if length is None else (*path, str(length - 1))

    def _pair(self, table: Path) -> None:
        parts = self._key()
        self._literal("=")
        self._match(_BLANK)
        path = (*table, *(name for name, _ in parts))
        key = parts[-1][1]
        self._note(path, Location(key=key, value=key))
        value = self._value(path)
        self._note(path, Location(key=key, value=value))
        for end, (_, part) in enumerate(parts[:-1], len(table) + 1):
            self.locations.setdefault(path[:end], Location(key=part, value=value))

    def _key(self) -> list[tuple[str, Span]]:
        parts: list[tuple[str, Span]] = []
        while True:
            self._match(_BLANK)
            start = self._at
            raw = self._match(_PART)
            parts.append((_unquoted(raw), Span(start, self._at)))
            if len(parts) > MAX_DEPTH:
                raise _TooDeepError(parts[-1][1])
            self._match(_BLANK)
            if self._next() != ".":
                return parts
            self._at += 1

    def _value(self, path: Path) -> Span:
        start = self._at
        match self._next():
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._match(_STRING)
            case _:
                self._match(_BARE)
        return Span(start, self._at)

    def _array(self, path: Path) -> None:
        self._at += 1
        self._match(_TRIVIA)
        index = 0
        while self._next() != "]":
            element = (*path, str(index))
            here = Span(self._at, self._at + 1)
            self._note(element, Location(key=here, value=here))
            value = self._value(element)
            self._note(element, Location(key=value, value=value))
            index += 1
            self._separator("]")
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._match(_TRIVIA)
        while self._next() != "}":
            self._pair(path)
            self._separator("}")
        self._at += 1

    def _separator(self, closing: str) -> None:
        self._match(_TRIVIA)
        if self._next() == ",":
            self._at += 1
            self._match(_TRIVIA)
        elif self._next() != closing:
            raise _NotTomlError

    def _note(self, path: Path, location: Location) -> None:
        if len(path) > MAX_DEPTH:
            raise _TooDeepError(location.value)
        self.locations[path] = location

    def _next(self) -> str:
        return self.text[self._at : self._at + 1]

    def _literal(self, expected: str) -> None:
        if not self.text.startswith(expected, self._at):
            raise _NotTomlError
        self._at += len(expected)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self._at)
        if found is None:
            raise _NotTomlError
        self._at = found.end()
        return found[0]


def _unquoted(part: str) -> str:
    """Return the key that a bare or quoted part spells."""
    if part[0] not in "\"'":
        return part
    if "\\" not in part:
        return part[1:-1]
    try:
        key: str = tomllib.loads(f"key = {part}")["key"]
    except tomllib.TOMLDecodeError as error:
        raise _NotTomlError from error
    return key


def decoded(source: str) -> str:
    """Return a TOML text with every escape replaced by its character, wherever it is."""
    return ESCAPE.sub(_toml_character, source) if "\\" in source else source


def _toml_character(match: re.Match[str]) -> str:
    letter, digits = match[0][1], match[0][2:]
    return _CONTROLS.get(letter) or chr(int(digits, 16))


class TomlFile:
    """One file: its tree with positions, its value as JSON data, its violations of the schema."""

    schema_name: ClassVar[str]
    most_items: ClassVar[int | None] = None
    """Items of an array that `strings` and `tables` look at: as many as the schema allows."""

    def __init__(self, tree: TomlTree) -> None:
        self.tree = tree

    @cached_property
    def value(self) -> dict[str, Any]:
        """The file as JSON data, dates as ISO strings and floats as decimal text; {} if none."""
        return json_value(self.tree.value) if self.tree.parsed else {}

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The violations of the schema; () for a file that did not parse."""
        if not self.tree.parsed:
            return ()
        return schema.violations(self.schema_name, self.value, self.tree.value)

    def text(self, key: str) -> str:
        """Return the string under `key`, or "" if there is none."""
        value = self.value.get(key)
        return value if isinstance(value, str) else ""

    def strings(self, key: str) -> tuple[tuple[int, str], ...]:
        """Return the strings in the array under `key`, each with its index."""
        return tuple((index, item) for index, item in self._items(key) if isinstance(item, str))

    def table(self, key: str) -> dict[str, Any]:
        """Return the table under `key`, or an empty one."""
        value = self.value.get(key)
        return value if isinstance(value, dict) else {}

    def texts(self, key: str) -> Mapping[str, str]:
        """Return the strings in the table under `key`, by their keys."""
        return {k: v for k, v in self.table(key).items() if isinstance(v, str)}

    def tables(self, key: str) -> tuple[tuple[int, dict[str, Any]], ...]:
        """Return the tables in the array under `key`, each with its index."""
        return tuple((index, row) for index, row in self._items(key) if isinstance(row, dict))

    def _items(self, key: str) -> Iterator[tuple[int, Any]]:
        value = self.value.get(key)
        return islice(enumerate(value if isinstance(value, list) else ()), self.most_items)
