"""Where the keys and values of a TOML text stand.

`tomllib` tells what a text means and not where; this scan tells where and not whether it is
valid. It accepts every TOML 1.0.0 text, runs in linear time, and stops at the first character it
cannot place: from there on the text is not TOML and `tomllib`, which reads in the same order,
says so. Nesting is bounded here because `tomllib` takes quadratic time and memory for long
dotted keys.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from psreg.core.diagnostics import Span

MAX_DEPTH = 64
"""Keys and array indexes from the root to the innermost value of an accepted text."""

Path = tuple[str, ...]

_GAP = re.compile(r"[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)*")
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
class Place:
    """Where a key's last part and its value stand; a table's value is its header."""

    key: Span
    value: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The places of a text by path from the root, and where it nests too deep, if it does."""

    by_path: dict[Path, Place]
    too_deep: Span | None


def locate(text: str, start: int = 0) -> Places:
    """Return the places of the TOML that begins at `start` of `text`; never raises.

    Array indexes are decimal strings in paths.
    """
    scan = _Scan(text, start)
    try:
        scan.run()
    except _TooDeepError as error:
        return Places(by_path=scan.places, too_deep=error.span)
    except _NotTomlError:
        pass
    return Places(by_path=scan.places, too_deep=None)


class _NotTomlError(Exception):
    """The text is not TOML from here on."""


class _TooDeepError(Exception):
    """A key or value lies deeper than MAX_DEPTH."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span


class _Scan:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.places: dict[Path, Place] = {}
        self._at = start
        self._lengths: dict[Path, int] = {}  # of the arrays of tables so far

    def run(self) -> None:
        table: Path = ()
        self._match(_GAP)
        while self._at < len(self.text):
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._match(_END)
            self._match(_GAP)

    def _header(self) -> Path:
        start = self._at
        brackets = 2 if self.text.startswith("[[", start) else 1
        self._at += brackets
        parts = self._key()
        self._literal("]" * brackets)
        span = Span(start, self._at)
        path: Path = ()
        for name, key in parts[:-1]:
            path = self._enter((*path, name), Place(key=key, value=span))
        name, key = parts[-1]
        path = (*path, name)
        place = Place(key=key, value=span)
        if brackets == 2:  # noqa: PLR2004 - [[array of tables]]
            self.places.setdefault(path, place)
            length = self._lengths.get(path, 0)
            self._lengths[path] = length + 1
            path = (*path, str(length))
        self._note(path, place)
        return path

    def _enter(self, path: Path, place: Place) -> Path:
        """Return the table that `path` leads to: of an array of tables, the last one."""
        self.places.setdefault(path, place)
        length = self._lengths.get(path)
        return path if length is None else (*path, str(length - 1))

    def _pair(self, table: Path) -> None:
        parts = self._key()
        self._literal("=")
        self._match(_BLANK)
        path = (*table, *(name for name, _ in parts))
        key = parts[-1][1]
        self._note(path, Place(key=key, value=key))
        value = self._value(path)
        self._note(path, Place(key=key, value=value))
        for end, (_, part) in enumerate(parts[:-1], len(table) + 1):
            self.places.setdefault(path[:end], Place(key=part, value=value))

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
        self._match(_GAP)
        index = 0
        while self._next() != "]":
            element = (*path, str(index))
            here = Span(self._at, self._at + 1)
            self._note(element, Place(key=here, value=here))
            value = self._value(element)
            self._note(element, Place(key=value, value=value))
            index += 1
            self._separator("]")
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._match(_GAP)
        while self._next() != "}":
            self._pair(path)
            self._separator("}")
        self._at += 1

    def _separator(self, closing: str) -> None:
        self._match(_GAP)
        if self._next() == ",":
            self._at += 1
            self._match(_GAP)
        elif self._next() != closing:
            raise _NotTomlError

    def _note(self, path: Path, place: Place) -> None:
        if len(path) > MAX_DEPTH:
            raise _TooDeepError(place.value)
        self.places[path] = place

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
