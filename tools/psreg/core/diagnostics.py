"""What psreg has to say about a file, as data; only renderers turn it into text.

A rule yields `Finding`s that name a place (JSON pointer or span); the engine, which knows the
document, makes `Diagnostic`s with lines and columns of them; a `Report` holds all of one run.
Offsets and columns count code points; lines and columns start at 1 (DESIGN §4).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is: only errors make a run fail (warnings do under `--strict`)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


ERROR, WARNING, INFO = Severity


class Mode(StrEnum):
    """`strict` judges what is published; `read` lets files in the wild be used (READINGS)."""

    STRICT = "strict"
    READ = "read"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch `[start, end)` of code-point offsets in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file; both numbers count from 1, the column in code points."""

    line: int
    column: int


class LineIndex:
    r"""Turns offsets of one text into positions. Lines end at `\n`; a `\r` before it stays."""

    __slots__ = ("_last", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._last = (0, "")  # a file of one long line is not copied once per finding
        self._starts = [0, *(at.end() for at in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Return the position of `offset`; an offset past the end is the end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a `position` that this index has given."""
        return self._starts[position.line - 1] + position.column - 1

    def line(self, number: int) -> str:
        """Return the text of line `number` (from 1) without its line ending; "" if absent."""
        if not 1 <= number <= len(self._starts):
            return ""
        if self._last[0] != number:
            start = self._starts[number - 1]
            end = self.text.find("\n", start)
            line = self.text[start : len(self.text) if end < 0 else end].removesuffix("\r")
            self._last = (number, line)
        return self._last[1]


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the code points of `span` in the document's text by `replacement`."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule says: a message about a place.

    `at` is a JSON pointer (RFC 6901) or a span; `key` points at the member's name instead of its
    value. `path` names one file of a submission; "" is the document itself. `severity` and `read`
    override the rule's levels for this one finding. `fix` is what a machine may do about it without
    asking: changes of the document's text that do not overlap, all of them or none; `fix_title`
    names them in the imperative.
    """

    message: str
    at: str | Span = ""
    key: bool = False
    path: str = ""
    hint: str = ""
    severity: Severity | None = None
    read: Severity | None = None
    fix: tuple[Change, ...] = ()
    fix_title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the text from `start` to `end` (end exclusive) of `path` by `replacement`."""

    path: str
    start: Position
    end: Position
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change a machine may make. `title` is an imperative sentence."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another place that explains a diagnostic, for instance the first of two duplicates."""

    message: str
    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding of one rule in one file, complete: all a renderer needs but the source text.

    `path` is repo-relative POSIX; `pointer` is "" where the place is not a JSON value; `waived`
    is the reason a person gave, or None, and `waived_by` where: `release` (release.toml) or
    `policy`; `excerpt` is the source line of `start`.
    """

    code: str
    slug: str
    severity: Severity
    message: str
    path: str
    start: Position
    end: Position
    hint: str = ""
    url: str = ""
    pointer: str = ""
    fingerprint: str = ""
    waived: str | None = None
    waived_by: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    excerpt: str = ""

    @property
    def family(self) -> str:
        """The letters of the code: `PBE006` is of family `PBE`."""
        return self.code.rstrip("0123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All diagnostics of one run over `checked` files, in order of path and place.

    `site` is the address of the site that has the rules' pages, ending in `/`; "" if unknown.
    `fixed` are findings that were mended and stand no more, in the order it was done.
    """

    checked: int
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    site: str = ""
    fixed: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, checked: int, diagnostics: Iterable[Diagnostic], site: str = "") -> Report:
        """Return a report with `diagnostics` sorted by path, place and code."""
        key = sorted(diagnostics, key=lambda d: (d.path, d.start, d.code, d.message))
        return cls(checked=checked, diagnostics=tuple(key), site=site)

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics of `severity` stand, waived ones not counted."""
        return sum(d.severity is severity and d.waived is None for d in self.diagnostics)

    def standing(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that nobody waived."""
        return tuple(d for d in self.diagnostics if d.waived is None)

    def address(self, page: str) -> str:
        """Return the address of a page of the site, "" if the site is not known."""
        return f"{self.site}{page}" if self.site and page else ""

    def failed(self, *, strict: bool = False) -> bool:
        """Tell whether the run fails: an error, or under `strict` a warning (DESIGN §4)."""
        return self.count(ERROR) > 0 or (strict and self.count(WARNING) > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing wrong with a text, at a place. `code` is the code of the rule that reports it.

    `fix` and `fix_title` are those of a `Finding`.
    """

    code: str
    message: str
    span: Span
    hint: str = ""
    fix: tuple[Change, ...] = ()
    fix_title: str = ""
