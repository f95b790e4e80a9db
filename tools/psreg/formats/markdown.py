"""The headings of a Markdown text and what stands below each; no more of Markdown than that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.diagnostics import Span

_LINE = re.compile(r"[^\n]*+\n?")
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
_HASHES = re.compile(r" {0,3}(#{1,6}+)(?=\s|$)")
_UNDERLINE = re.compile(r" {0,3}(=++|-++)\s*+")


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
    ends = [len(text)] * len(found)
    opened: list[int] = []  # the headings whose sections still go on, levels ascending
    for index, (level, _, span) in enumerate(found):
        while opened and found[opened[-1]][0] >= level:
            ends[opened.pop()] = span.start
        opened.append(index)
    return tuple(
        Section(title=title, level=level, span=span, body=text[span.end : end])
        for (level, title, span), end in zip(found, ends, strict=True)
    )


def _headings(text: str) -> list[tuple[int, str, Span]]:
    found: list[tuple[int, str, Span]] = []
    fence = ""
    paragraph: Span | None = None  # the line that an underline would make a heading
    for match in _LINE.finditer(text):
        line, span = match[0], Span(match.start(), match.end())
        before, paragraph = paragraph, None
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif hashes := _HASHES.match(line):
            found.append((len(hashes[1]), _title(line[hashes.end() :]), span))
        elif before and (underline := _UNDERLINE.fullmatch(line)):
            title = text[before.start : before.end].strip()
            level = 1 if underline[1][0] == "=" else 2
            found.append((level, title, Span(before.start, span.end)))
        elif line.strip():
            paragraph = span
    return found


def _title(text: str) -> str:
    """Return the text of a heading without the hashes that may close it."""
    title = text.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title
