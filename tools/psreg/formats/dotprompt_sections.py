"""Divides a `.prompt` file into its sections, and METADATA and DEFAULTS into their entries.

Nothing is refused here: a line that means nothing is an issue, a section in the wrong place is an
issue and is read all the same, so that all problems of a file are reported at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from psreg.core.dataclass import dataclass, field
from psreg.core.diagnostics import Change, Issue, Span
from psreg.core.spelling import meant
from psreg.formats.dotprompt_source import BLANKS, NAME, Source, comment_ranges, line_end

METADATA, DEFAULTS, CONTENT = ORDER = ("METADATA", "DEFAULTS", "CONTENT")
"""The sections, in the order they must have (PROMPT-02)."""

_EXACT = {f"[{name}]": name for name in ORDER}
_KEY = re.compile(rf"@({NAME})")
_SHAPE = "Write an entry as `@key value`, with one space."
MOST_ENTRIES = 10_000
"""The most entries of METADATA and DEFAULTS together."""

_MOST = 500  # more invalid lines than anyone reads
_LINE_BREAK = re.compile(rf"[{BLANKS}]*+\n[{BLANKS}]*+")
_FARTHEST = 100
"""The most blanks between a value and a comment beside it."""

_SECTIONS = "Use the sections [METADATA], [DEFAULTS] and [CONTENT]."


def _hint(line: str) -> str:
    """Return what is right in place of a line that has no meaning where it is."""
    if not line.startswith("["):
        return _SHAPE
    near = meant(line.strip("[]"), ORDER)
    return f"Write `[{near}]`." if near else _SECTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A section header; `span` is its text, with what is before it on its line."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A key with its value, trimmed; `key_span` leaves out the `@`, `span` is the value's."""

    section: str
    key: str
    value: str
    key_span: Span
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """What a file holds: headers and entries in order, and the lines of CONTENT.

    `content` has start and end of lines, and of several lines that follow one another, in the text
    without comments.
    """

    headers: tuple[Header, ...]
    entries: tuple[Entry, ...]
    content: tuple[tuple[int, int], ...]
    issues: tuple[Issue, ...]


def cut(source: Source) -> Sections:
    """Return the sections of `source`."""
    cutter = _Cutter(source)
    text, start = source.text, 0
    while start <= len(text):
        if cutter.section == CONTENT and not text.startswith("[", start):
            end = line_end(text, start, mark="\n[")  # none of these lines is a header
            cutter.take_content(start, end)
        else:
            end = line_end(text, start)
            cutter.take(start, end)
        start = end + 1
    cutter.end_value()
    return Sections(
        headers=tuple(cutter.headers.values()),
        entries=tuple(cutter.entries),
        content=tuple(cutter.content),
        issues=tuple(cutter.issues),
    )


def help_texts(text: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Return what comments of a file say about its defaults, by key, each on one line.

    The specification gives comments no meaning. By convention, one on a line of its own directly
    above a default is about it, and so is one beside its value.
    """
    defaults = [entry for entry in entries if entry.section == DEFAULTS]
    starts = {entry.key_span.start - 1: entry.key for entry in defaults}
    places = [entry.key_span.start for entry in defaults]
    found: dict[str, list[str]] = {}
    for start, end, is_above in reversed([*_placed_comments(text)]):
        key = starts.get(_next_line(text, end)) if is_above else None
        if key is None and (at := bisect_right(places, start)):
            key = _key_beside(text, start, defaults[at - 1])
        elif key is not None:
            starts[start] = key  # for a comment above this one
        said = " ".join(text[start + 2 : end - 2].split())
        if key is not None and said and not said.startswith("@"):
            found.setdefault(key, []).append(said)
    return {key: " ".join(reversed(said)) for key, said in found.items()}


def _placed_comments(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start and end of each comment, and whether it is the first on a line of its own."""
    before = 0
    for start, end in comment_ranges(text):
        line = max(text.rfind("\n", before, start) + 1, before)
        first = line > before or before == 0
        yield start, end, first and not text[line:start].strip(BLANKS)
        before = end


def _next_line(text: str, at: int) -> int:
    """Return where the text of the next line begins; -1 if this line goes on after `at`."""
    found = _LINE_BREAK.match(text, at)
    return found.end() if found else -1


def _key_beside(text: str, at: int, entry: Entry) -> str | None:
    """Return the key of `entry` if a comment at `at` is in its value, or behind it on its line."""
    end = entry.span.end
    beside = at < end or (at - end <= _FARTHEST and not text[end:at].strip(BLANKS))
    return entry.key if beside else None


@dataclass(slots=True)
class _Cutter:
    """Reads the lines of a file one after the other."""

    source: Source
    headers: dict[str, Header] = field(default_factory=dict)  # the first of each name
    entries: list[Entry] = field(default_factory=list)
    content: list[tuple[int, int]] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    invalid: int = 0  # lines, of which at most _MOST become issues
    full: bool = False  # whether it has all the entries that a file may have
    section: str = ""
    stray: tuple[int, int] | None = None  # text before the first header
    key: tuple[int, int] | None = None  # the key of an open multi-line value
    value: list[tuple[int, int]] = field(default_factory=list)  # its trimmed lines

    def take(self, start: int, end: int) -> None:
        """Read the line `[start, end)`."""
        text = self.source.text[start:end]
        if name := self._header(text):
            self._enter(name, start, _trimmed(text, start))
        elif self.section == CONTENT:
            self.take_content(start, end)
        elif text.strip(BLANKS):
            self._take_text(start, *_trimmed(text, start), end)

    def take_content(self, start: int, end: int) -> None:
        """Read lines of CONTENT."""
        if self.content and self.content[-1][1] + 1 == start:
            start, _ = self.content.pop()
        self.content.append((start, end))

    def _header(self, text: str) -> str | None:
        """Return the section that a line opens; inside CONTENT, only the exact form counts."""
        if exact := _EXACT.get(text.rstrip(BLANKS)):
            return exact
        text = text.strip(BLANKS)
        if CONTENT in self.headers or not (text.startswith("[") and text.endswith("]")):
            return None
        name = text[1:-1].strip(BLANKS).upper()
        return name if name in ORDER else None

    def _enter(self, name: str, line: int, place: tuple[int, int]) -> None:
        """Enter section `name`; its header is at `place` in the line that starts at `line`."""
        self.end_value()
        if self.stray and not self.headers:
            hint = "Move it into a section, or into a comment (% … %)."
            self._invalid(*self.stray, "text before the first section is ignored", hint)
        span = self.source.excerpt.span(line, place[1])
        if self.source.text[line : place[1]] != f"[{name}]":
            hint = f"Write `[{name}]` alone on its line."
            message = f"the header is not spelled `[{name}]`"
            # NOTE: a comment inside the header would be lost with it.
            whole = span.end - span.start == place[1] - line
            change = Change(span, f"[{name}]") if whole else None
            self._issue("PROMPT015", span, message, hint, change)
        self._judge_order(name, self.source.excerpt.span(*place))
        self.headers.setdefault(name, Header(name=name, span=span))
        self.section = name

    def _judge_order(self, name: str, span: Span) -> None:
        later = [other for other in self.headers if ORDER.index(other) > ORDER.index(name)]
        if name in self.headers:
            message = f"section [{name}] appears twice"
        elif later:
            message = f"section [{name}] comes after [{later[0]}]"
        else:
            return
        hint = "Write [METADATA], [DEFAULTS] if there are any, then [CONTENT], each once."
        self._issue("PROMPT002", span, message, hint)

    def _take_text(self, line: int, start: int, stop: int, end: int) -> None:
        """Read a line outside CONTENT, `[line, end)`, whose text is `[start, stop)`."""
        if not self.section:
            self.stray = (self.stray[0] if self.stray else start, stop)
        elif self.source.text[start] == "@":
            self.end_value()
            self._judge_indentation(line, start)
            self._take_entry(start, stop, end)
        elif self.key:
            self.value.append((start, stop))
        else:
            hint = _hint(self.source.text[start:stop])
            self._invalid(start, stop, "this line does not start with `@` and is ignored", hint)

    def _take_entry(self, start: int, stop: int, end: int) -> None:
        text = self.source.text
        key = _KEY.match(text, start, end)
        if key is None or text[key.end() : key.end() + 1] != " ":
            self._invalid(start, stop, *_why_invalid(text[start:stop], key))
            return
        at, _ = _trimmed(text[key.end() : end], key.end())
        place = (start + 1, key.end())
        self._judge_blanks(key.end(), min(at, stop))
        if text[at:stop] == ">":
            self.key = place
        else:
            self._keep(place, [(at, stop)] if at < stop else [])

    def _judge_indentation(self, line: int, start: int) -> None:
        """Report blanks before an `@`, unless a comment is there, too."""
        if line < start and not self.source.held_comment(line, start):
            span = self.source.excerpt.span(line, start)
            hint = "Start the line with `@`."
            message = "this line starts with a blank, not with `@`"
            self._issue("PROMPT026", span, message, hint, Change(span, ""))

    def _judge_blanks(self, start: int, stop: int) -> None:
        """Report more than one blank before a value; a comment between them is not a blank."""
        span = self.source.excerpt.span(start, stop)
        if span.end - span.start == stop - start > 1:
            hint = "Leave one space between the key and its value."
            message = "there is more than one space after the key"
            self._issue("PROMPT016", span, message, hint, Change(span, " "))

    def end_value(self) -> None:
        """End the multi-line value that is open, if one is."""
        if self.key:
            self._keep(self.key, self.value)
        self.key, self.value = None, []

    def _keep(self, key: tuple[int, int], lines: list[tuple[int, int]]) -> None:
        text, excerpt = self.source.text, self.source.excerpt
        if len(self.entries) >= MOST_ENTRIES:
            if not self.full:
                self.full = True
                message = f"the file has more than {MOST_ENTRIES:,} entries"
                self._issue("PROMPT024", excerpt.span(*key), message, "Delete the others.")
            return
        start, stop = (lines[0][0], lines[-1][1]) if lines else (key[1], key[1])
        self.entries.append(
            Entry(
                section=self.section,
                key=text[slice(*key)],
                value="\n".join(text[slice(*line)] for line in lines),
                key_span=excerpt.span(*key),
                span=excerpt.span(start, stop),
            )
        )

    def _invalid(self, start: int, stop: int, message: str, hint: str = _SHAPE) -> None:
        self.invalid += 1
        if self.invalid <= _MOST:
            self._issue("PROMPT008", self.source.excerpt.span(start, stop), message, hint)

    def _issue(
        self, code: str, span: Span, message: str, hint: str, change: Change | None = None
    ) -> None:
        self.issues.append(
            Issue(
                code=code,
                message=message,
                span=span,
                hint=hint,
                fix=(change,) if change else (),
                fix_title=f"{hint[0].lower()}{hint[1:-1]}" if change else "",
            )
        )


def _trimmed(text: str, at: int) -> tuple[int, int]:
    """Return start and end of `text` without blanks around it, where `text` starts at `at`."""
    start = at + len(text) - len(text.lstrip(BLANKS))
    return start, max(start, at + len(text.rstrip(BLANKS)))


def _why_invalid(line: str, key: re.Match[str] | None) -> tuple[str, str]:
    """Return message and hint for a line that starts with `@` but is not an entry."""
    if key is None:
        message = "there is no key of letters, digits, `-` and `_` after the `@`"
        return f"{message}, so this line is ignored", _SHAPE
    after = line[len(key[0]) : len(key[0]) + 1]
    if not after:
        hint = f"For an empty value, write `@{key[1]} ` with a space at its end."
        return f"there is no space after `@{key[1]}`, so this line is ignored", hint
    if after == "\t":
        return f"there is a tab after `@{key[1]}`, so this line is ignored", "Use one space."
    return f"a key cannot contain {after!r}, so this line is ignored", _SHAPE
