"""Findings about files as data; only renderers turn them into text.

A rule yields `Finding`s that name a location (JSON pointer or span). The engine, which knows the
document, turns them into `Diagnostic`s with lines and columns; a `Report` contains all of one run.
Offsets and columns count code points; lines and columns start at 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Protocol

from psreg.core.dataclass import dataclass, field
from psreg.core.identity import ReleaseId
from psreg.core.version import FIRST_PSREG


class Severity(StrEnum):
    """How serious a finding is: only errors make a run fail (with `--strict`, warnings do too)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for errors, then 1 and 2."""
        return tuple(Severity).index(self)


ERROR, WARNING, INFO = Severity

HARM = "PS"
"""The family of the rules about content that can do harm."""


class Mode(StrEnum):
    """`strict` is for what gets published; `read` is as lenient as a reader."""

    STRICT = "strict"
    READ = "read"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range `[start, end)` of code-point offsets in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position in a file; both numbers count from 1, the column in code points."""

    line: int
    column: int


class LineIndex:
    r"""Converts offsets in a text to positions. Lines end at `\n`; a `\r` before it is kept."""

    __slots__ = ("_last", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._last = (0, "")  # so that a single long line is not copied for every finding
        self._starts = [0, *(at.end() for at in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Return the position of `offset`; an offset past the end counts as the end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a `position` of this index."""
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


@lru_cache(maxsize=2)
def line_index(text: str) -> LineIndex:
    """Return the index of a text; what several rules report in a large file needs it only once."""
    return LineIndex(text)


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the code points of `span` in the document's text by `replacement`."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A message of a rule about a location.

    `at` is a JSON pointer (RFC 6901) or a span; `key` points at the member's name instead of its
    value. `path` names one file of a submission; "" is the document itself. `severity` and `read`
    override the rule's levels for this one finding, and `since` the version of psreg from which on
    the rule reports it. `fix` is a safe, automatic fix: changes of the
    document's text that do not overlap, all of them or none; `fix_title` names them in the
    imperative.
    """

    message: str
    at: str | Span = ""
    key: bool = False
    path: str = ""
    hint: str = ""
    severity: Severity | None = None
    read: Severity | None = None
    since: str = ""
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
    """A safe, automatic change. `title` is an imperative sentence."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another location that explains a diagnostic, such as the first of two duplicates."""

    message: str
    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding of a rule in a file, with everything a renderer needs except the source text.

    `path` is repo-relative POSIX; `pointer` is "" if the location is not a JSON value; `waived`
    is the reason of a waiver, or None, and `waived_by` where it is: `release` (release.toml) or
    `policy`; `excerpt` is the source line of `start`; `more` is the number of findings like this
    one that are not listed, which the message says as well. `since` is the first version of psreg
    that reports it; `newer` means that the release it is about was published before that.
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
    more: int = 0
    since: str = FIRST_PSREG
    newer: bool = False

    @property
    def family(self) -> str:
        """The letters of the code: `PBE006` is of family `PBE`."""
        return self.code.rstrip("0123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All diagnostics of one run over `checked` files, sorted by path and position.

    `site` is the address of the site with the rules' pages, ending in `/`; "" if unknown.
    `fixed` are the findings that were fixed, in the order of fixing.
    """

    checked: int
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    site: str = ""
    fixed: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, checked: int, diagnostics: Iterable[Diagnostic], site: str = "") -> Report:
        """Return a report with `diagnostics` sorted by path, position and code."""
        key = sorted(diagnostics, key=lambda d: (d.path, d.start, d.code, d.message))
        return cls(checked=checked, diagnostics=tuple(key), site=site)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of `severity`, listed or not, without waived ones."""
        return sum(1 + d.more for d in self.standing() if d.severity is severity)

    def standing(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that are not waived."""
        return tuple(d for d in self.diagnostics if d.waived is None)

    def dangerous_releases(self) -> dict[ReleaseId, list[str]]:
        """Return the codes of newer content rules by the release that they report errors in.

        Such a release can be yanked or revoked, but not fixed.
        """
        found: dict[ReleaseId, list[str]] = {}
        for d in self.diagnostics:
            release = ReleaseId.of(PurePosixPath(d.path)) if d.newer and d.family == HARM else None
            if release and d.code not in found.setdefault(release, []):
                found[release].append(d.code)
        return found

    def address(self, page: str) -> str:
        """Return the address of a page of the site, "" if the site is not known."""
        return f"{self.site}{page}" if self.site and page else ""

    def failed(self, *, strict: bool = False) -> bool:
        """Return whether the run fails: an error, or with `strict` a warning."""
        return self.count(ERROR) > 0 or (strict and self.count(WARNING) > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing wrong with a text, at a place. `code` is the code of the rule that reports it.

    `fix`, `fix_title` and `since` are those of a `Finding`.
    """

    code: str
    message: str
    span: Span
    hint: str = ""
    fix: tuple[Change, ...] = ()
    fix_title: str = ""
    since: str = ""

    @property
    def finding(self) -> Finding:
        """The same as a rule reports it."""
        return Finding(
            message=self.message,
            at=self.span,
            hint=self.hint,
            fix=self.fix,
            fix_title=self.fix_title,
            since=self.since,
        )


def described(diagnostic: Diagnostic) -> str:
    """Return position and message of a diagnostic in one line: `FILE:LINE:COLUMN: CODE message`."""
    start = diagnostic.start
    place = f"{diagnostic.path}:{start.line}:{start.column}"
    return f"{place}: {diagnostic.code} {diagnostic.message}"


class Document(Protocol):
    """Anything with text in which a JSON pointer names a location."""

    @property
    def text(self) -> str:
        """The decoded text; offsets of spans count its code points."""

    def span(self, pointer: str, /) -> Span:
        """Return where the value at `pointer` is."""

    def key_span(self, pointer: str, /) -> Span:
        """Return where the name of the member at `pointer` is."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A document without structure: every pointer means its start."""

    text: str

    def span(self, pointer: str, /) -> Span:  # noqa: ARG002 - there is only one answer
        """Return the start."""
        return Span(0, 0)

    key_span = span
