"""The headings of a Markdown text, the text below each, and its code; nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pkgutil import get_data

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Span
from psreg.core.regex import lazy

_LINE = lazy(r"[^\n]*+\n?")
_FENCE = lazy(r" {0,3}(`{3,}+|~{3,}+)")
_FENCE_LINE = lazy(
    r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?"  # also in a quotation or a list
    r"(`{3,}+(?![^\n`]*+`)|~{3,}+)([^\n]*+)\n?",
    re.MULTILINE,
)
_EMPTY_LINES = lazy(r"\n{2,}+")
_BACKTICKS = lazy(r"`++")
_HASHES = lazy(r" {0,3}(#{1,6}+)(?=\s|$)")
_UNDERLINE = lazy(r" {0,3}(=++|-++)\s*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, its level from 1, its line, and all text up to the next one of its level."""

    title: str
    level: int
    span: Span
    body: str


@lru_cache(maxsize=2)  # several rules ask for those of one README
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


def fences(text: str) -> tuple[Span, ...]:
    """Return the fenced code blocks of `text` in order, with their fence lines.

    A fence that is not closed goes on to the end, as in CommonMark.
    """
    found: list[Span] = []
    fence, start = "", 0
    for match in _FENCE_LINE.finditer(text):
        if not fence:
            fence, start = match[1], match.start()
        elif match[1].startswith(fence) and not match[2].strip():
            found.append(Span(start, match.end()))
            fence = ""
    if fence:
        found.append(Span(start, len(text)))
    return tuple(found)


def code_spans(text: str, blocks: Iterable[Span] = ()) -> tuple[Span, ...]:
    """Return every `inline code` of `text` outside of `blocks`, in order, with its backticks.

    As in CommonMark it ends at the next backticks of the same number, in the same paragraph.
    """
    found: list[Span] = []
    at = 0
    for block in (*blocks, Span(len(text), len(text))):
        for gap in _EMPTY_LINES.finditer(text, at, block.start):
            found.extend(_inline(text[at : gap.start()], at))
            at = gap.end()
        found.extend(_inline(text[at : block.start], at))
        at = block.end
    return tuple(found)


def _inline(text: str, at: int) -> Iterator[Span]:
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(text)]
    last = {end - start: number for number, (start, end) in enumerate(runs)}
    number = 0
    while number < len(runs):
        start, end = runs[number]
        number += 1
        if last[end - start] < number:
            continue  # nothing closes it: these backticks are text
        while runs[number][1] - runs[number][0] != end - start:
            number += 1
        yield Span(at + start, at + runs[number][1])
        number += 1


def _headings(text: str) -> list[tuple[int, str, Span]]:
    found: list[tuple[int, str, Span]] = []
    fence = ""
    paragraph: Span | None = None  # the line that an underline would make a heading
    for match in _LINE.finditer(text):
        before, paragraph = paragraph, None
        line = match[0]
        first = line.lstrip()[:1]
        if not first:
            continue
        span = Span(match.start(), match.end())
        mark = _FENCE.match(line) if first in "`~" else None
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif first == "#" and (hashes := _HASHES.match(line)):
            found.append((len(hashes[1]), _title(line[hashes.end() :]), span))
        elif before and (underline := _UNDERLINE.fullmatch(line)):
            title = text[before.start : before.end].strip()
            level = 1 if underline[1][0] == "=" else 2
            found.append((level, title, Span(before.start, span.end)))
        else:
            paragraph = span
    return found


def _title(text: str) -> str:
    """Return the text of a heading without the hashes that may close it."""
    title = text.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


@cache
def readme_words(subject: str) -> tuple[str, ...]:
    """Return what READMEs call `subject`, in lower case and several languages, English first.

    The table is the data file `readme_words.toml`.
    """
    import tomllib  # noqa: PLC0415 - a client does not read READMEs

    table = tomllib.loads((get_data("psreg.formats", "data/readme_words.toml") or b"").decode())
    return tuple(word for words in table[subject].values() for word in words)


@cache
def mark_pattern(*subjects: str) -> str:
    """Return the pattern of a whole word for one of the subjects."""
    words = (re.escape(word) for subject in subjects for word in readme_words(subject))
    return rf"\b(?:{'|'.join(words)})\b"


def is_about(section: Section, subject: str) -> bool:
    """Tell whether a heading has a word for `subject`, in any letter case."""
    title = section.title.lower().replace("’", "'")
    return any(word in title for word in readme_words(subject))


def about(found: Sequence[Section], subject: str) -> tuple[Section, ...]:
    """Return the sections whose headings have a word for `subject`."""
    return tuple(section for section in found if is_about(section, subject))


def examples(found: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections with a word for "example" in their heading."""
    return about(found, "example")


def is_marked(section: Section) -> bool:
    """Tell whether a section says anywhere that its example is recorded, or illustrative."""
    text = f"{section.title}\n{section.body}"
    return re.search(mark_pattern("recorded", "illustrative"), text, re.IGNORECASE) is not None


def recorded(section: Section) -> bool:
    """Tell whether a section says that its example is recorded.

    The mark is in the heading or in the first paragraph, before the example itself.
    """
    mark = f"{section.title}\n{section.body.strip().partition(chr(10) * 2)[0]}"
    says_recorded, says_not = (
        re.search(mark_pattern(subject), mark, re.IGNORECASE)
        for subject in ("recorded", "illustrative")
    )
    return says_recorded is not None and says_not is None
