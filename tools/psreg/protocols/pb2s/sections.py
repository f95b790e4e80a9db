"""The grammar of a PB2S answer: its sections, the points of a list, the questions it asks.

A header is a line with only the name of a section in capitals and an optional colon (PB2S-A3);
everything up to the next header is its body. This module reports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Span

PHASES = ("DRAFT", "REFLECT", "REVISE", "LEARNED")
"""The four steps, in their order."""

CLARIFY = "CLARIFY"
"""The section with questions, after the steps; also the decision that requires it."""

SECTION_NAMES = (*PHASES, CLARIFY)

_HEADER = re.compile(
    r"[ \t]*(?P<before>(?:#{1,6}[ \t]*)?[*_]{0,3})"
    rf"(?P<name>{'|'.join(SECTION_NAMES)})"
    r"(?P<after>[*_]{0,3})"
    r"(?:[ \t]*(?P<colon>:)(?P<late>[*_]{0,3})(?P<inline>.*)|(?:[ \t]*(?P<close>#+))?)"
)

_BULLET = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]+|[•–][ \t]*|-(?=[^\W\d_]))\S")
_BREAK = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}")

_MARKS = re.compile(r"[?？!！]+")
_CLOSING = "\"'”’»)]}*_`"
_CLOSED = 8
"""Characters after a question mark that may close quotes and brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section: `header` is its line, `body` its text without surrounding white space.

    `decorated` means that there is Markdown around the name. `inline` is the text on the line of
    the header, None if there is none.
    """

    name: str
    header: Span
    body: Span
    decorated: bool
    inline: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A text split into its sections, in the order of the text, and the text before them."""

    text: str
    preamble: Span
    sections: tuple[Section, ...]

    def named(self, name: str) -> tuple[Section, ...]:
        """Return the sections called `name`."""
        return tuple(section for section in self.sections if section.name == name)

    def body(self, section: Section) -> str:
        """Return the text of `section`."""
        return self.text[section.body.start : section.body.end]


def answer_of(text: str) -> Answer:
    """Split a text into sections; any text is an answer, perhaps without sections."""
    heads = list(_heads(text))
    starts = [start for _, start, _ in heads]
    sections = tuple(
        _section(text, head, start, stop, end)
        for (head, start, stop), end in zip(heads, [*starts[1:], len(text)], strict=False)
    )
    before = _trimmed(text, 0, min(starts, default=len(text)))
    return Answer(text=text, preamble=before, sections=sections)


def _heads(text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield the headers, each with the start of its line and the start of the next one."""
    for start, stop in lines_of(text):
        head = _HEADER.fullmatch(text[start:stop].rstrip(" \t\r"))
        if head:
            yield head, start, min(stop + 1, len(text))


def _section(text: str, head: re.Match[str], start: int, stop: int, end: int) -> Section:
    marks = (head["before"], head["after"], head["late"], head["close"])
    rest = head["inline"] or ""
    inline = _trimmed(text, start + head.start("inline"), start + head.end("inline"))
    line = _trimmed(text, start, start + head.end())
    return Section(
        name=head["name"],
        header=Span(line.start, start + head.end("late")) if rest.strip() else line,
        body=_trimmed(text, inline.start if rest.strip() else stop, end),
        decorated=any(marks),
        inline=inline if rest.strip() else None,
    )


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    r"""Yield start and end of each line; only `\n` ends one."""
    start = 0
    while start <= len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return the span from `start` to `end` without white space at either side."""
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return Span(start + left, max(start + left, start + len(part.rstrip())))


def bullets_of(text: str, within: Span) -> tuple[Span, ...]:
    """Return the lines of `within` that are points of a list, including nested ones (PB2S-A10)."""
    body = text[within.start : within.end]
    return tuple(
        _trimmed(text, within.start + start, within.start + stop)
        for start, stop in lines_of(body)
        if _BULLET.match(body, start, stop) and not _BREAK.fullmatch(body[start:stop].rstrip())
    )


def questions_of(text: str, within: Span) -> tuple[Span, ...]:
    """Return the marks of the questions asked in `within` (PB2S-A5).

    A sentence that ends in a question mark is a question; a line may have several, and "??" or
    "?!" ends one. A question mark in an address or in code does not end a sentence.
    """
    return tuple(
        Span(*mark.span())
        for mark in _MARKS.finditer(text, within.start, within.end)
        if "？" in mark[0] or ("?" in mark[0] and _ends_sentence(text, mark.end(), within.end))
    )


def _ends_sentence(text: str, after: int, end: int) -> bool:
    following = text[after : min(after + _CLOSED, end)].lstrip(_CLOSING)[:1]
    return not following or following.isspace() or following.isupper()
