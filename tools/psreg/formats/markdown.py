"""The headings of a Markdown text and what stands below each; no more of Markdown than that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.diagnostics import Span

_LINE = re.compile(r"[^\n]*+\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?\n?")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\r?\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, its level from 1, its line, and all text up to the next one of its level."""

    title: str
    level: int
    span: Span
    body: str


def sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a Markdown text in order; headings in code fences are code."""
    found = _headings(text)
    result = []
    for index, (level, title, span) in enumerate(found):
        after = (start.start for other, _, start in found[index + 1 :] if other <= level)
        body = text[span.end : next(after, len(text))]
        result.append(Section(title=title, level=level, span=span, body=body))
    return tuple(result)


def _headings(text: str) -> list[tuple[int, str, Span]]:
    found: list[tuple[int, str, Span]] = []
    fence = ""
    before = Span(0, 0)  # the paragraph line that an underline would make a heading
    for match in _LINE.finditer(text):
        line, span = match[0], Span(match.start(), match.end())
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            before = Span(0, 0)
        elif mark:
            fence = mark[1]
            before = Span(0, 0)
        elif heading := _ATX.fullmatch(line):
            found.append((len(heading[1]), (heading[2] or "").strip(), span))
            before = Span(0, 0)
        elif (underline := _SETEXT.fullmatch(line)) and before.end:
            title = text[before.start : before.end].strip()
            level = 1 if underline[1][0] == "=" else 2
            found.append((level, title, Span(before.start, span.end)))
            before = Span(0, 0)
        else:
            before = span if line.strip() else Span(0, 0)
    return found
