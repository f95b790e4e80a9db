"""The text of a `.prompt` file without its comments, and where each character came from.

Comments go first, on the whole file, before sections are found (PROMPT-A8). An excerpt
never changes a character: it only leaves some out, so every offset leads back to the original.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from psreg.core.dataclass import dataclass, field
from psreg.core.diagnostics import Span

BOM = "\ufeff"
BLANKS = " \t\r\f\v"
"""The blanks that are trimmed and that make a line blank: ASCII only; other spaces are text."""

NAME = r"[A-Za-z0-9_-]++"
"""The letters of keys and variables (PROMPT-06, PROMPT-A18), as a pattern."""

_OPEN, _CLOSE = "(%", "%)"
_TOKEN = re.compile(rf"\{{\{{|\}}\}}|\{{({NAME})\}}|\n++")
_NAMED = re.compile(rf"({NAME})\}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Text made of pieces of another one. `starts[i]` and `origins[i]`: where piece i is."""

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    whole: Excerpt | None = None

    def origin(self, offset: int) -> int:
        """Return where the character at `offset` is in the original text."""
        return self.span(offset, offset).start

    def span(self, start: int, end: int) -> Span:
        """Return the span of the original text that contains `[start, end)` of this one."""
        # NOTE: the end is that of the last character; else a span would include a comment after it.
        last, size = (end - 1, 1) if end > start else (start, 0)
        excerpt: Excerpt | None = self
        while excerpt:  # one loop for both ends, because a prompt may have very many variables
            starts, origins = excerpt.starts, excerpt.origins
            first = bisect_right(starts, start)
            then = first
            if first < len(starts) and starts[first] <= last:
                then = bisect_right(starts, last)
            start += origins[first - 1] - starts[first - 1]
            last += origins[then - 1] - starts[then - 1]
            excerpt = excerpt.whole
        return Span(start, last + size)

    def cut(self, ranges: Iterable[tuple[int, int]]) -> Excerpt:
        """Return the excerpt made of the ascending `ranges` of this text."""
        parts, starts, origins, size = [], [0], [0], 0
        for start, end in ranges:
            parts.append(self.text[start:end])
            starts.append(size)
            origins.append(start)
            size += end - start
        return Excerpt(
            text="".join(parts), starts=tuple(starts), origins=tuple(origins), whole=self
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    r"""A file ready to be cut into sections.

    `excerpt` has no comments, no byte-order mark, and `\n` for every `\r\n`; `comments` are the
    ascending offsets in it where a comment was; `unclosed` is the first `(%` without a `%)`;
    `nested` are the comments with another `(%` inside, which probably lack their own `%)`; `torn`
    are those that begin behind text and end in another line or behind a `)` of their own, so that
    they are perhaps not meant as comments: "50 (% of all) or 30 %)".
    """

    excerpt: Excerpt
    comments: tuple[int, ...]
    unclosed: Span | None
    nested: tuple[Span, ...] = ()
    torn: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The text of the excerpt."""
        return self.excerpt.text

    def lines(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each line of the excerpt, its line break not counted."""
        start = 0
        while (end := self.text.find("\n", start)) >= 0:
            yield start, end
            start = end + 1
        yield start, len(self.text)

    def without_blank_comments(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the lines `[start, end)` as ranges, without those that held only a comment."""
        begun = next_line = start
        for number in range(bisect_left(self.comments, start), len(self.comments)):
            comment = self.comments[number]
            if comment > end:
                break
            if comment < next_line:  # another comment of the same line
                continue
            line = self.text.rfind("\n", next_line, comment) + 1 or next_line
            next_line = line_end(self.text, comment, end) + 1
            if not self.text[line : next_line - 1].strip(BLANKS):
                if begun < line:
                    yield begun, line - 1
                begun = next_line
        if begun <= end:
            yield begun, end

    def held_comment(self, start: int, end: int) -> bool:
        """Tell whether there was a comment in the line `[start, end)`, or beside its text."""
        first = bisect_left(self.comments, start)
        return first < len(self.comments) and self.comments[first] <= end


def line_end(text: str, start: int, end: int | None = None, mark: str = "\n") -> int:
    """Return where the next `mark` in `text[start:end]` is, else the end."""
    found = text.find(mark, start, end)
    if found >= 0:
        return found
    return len(text) if end is None else end


def comment_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each comment, its parentheses included."""
    at = 0
    while (start := text.find(_OPEN, at)) >= 0:
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            return
        at = end + len(_CLOSE)
        yield start, at


def without_comments(text: str) -> Source:
    """Return `text` without byte-order mark and comments; the first `%)` closes a comment.

    A comment without end is literal text (PROMPT-A9). One pass, so that removing a
    comment never makes a new one, and so that a file of nothing but `(%` takes no longer.
    """
    at = len(BOM) if text.startswith(BOM) else 0
    ranges: list[tuple[int, int]] = []
    comments: list[int] = []
    nested: list[Span] = []
    torn: list[Span] = []
    size = 0
    for start, after in comment_ranges(text):
        end = after - len(_CLOSE)
        for piece in _unix_lines(text, at, start):
            ranges.append(piece)
            size += piece[1] - piece[0]
        comments.append(size)
        if text.find(_OPEN, start + len(_OPEN), end) >= 0:
            nested.append(Span(start, after))
        elif _is_torn(text, at, start, end):
            torn.append(Span(start, after))
        at = after
    unclosed = text.find(_OPEN, at)
    ranges.extend(_unix_lines(text, at, len(text)))
    return Source(
        excerpt=Excerpt(text=text).cut(ranges),
        comments=tuple(comments),
        unclosed=Span(unclosed, unclosed + len(_OPEN)) if unclosed >= 0 else None,
        nested=tuple(nested),
        torn=tuple(torn),
    )


def _is_torn(text: str, after: int, start: int, end: int) -> bool:
    line = max(after, text.rfind("\n", after, start) + 1)
    if not text[line:start].strip():
        return False
    return text.find("\n", start, end) >= 0 or text.count(")", start, end) > text.count(
        "(", start + 1, end
    )


def _unix_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    r"""Yield the ranges of `text[start:end]` that leave out the `\r` of every `\r\n`."""
    while (cut := text.find("\r\n", start, end)) >= 0:
        yield start, cut
        start = cut + 1
    yield start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One `{name}` or `{{name}}`: where its braces start and end in the scanned text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Braces:
    """All that a scan found, as offsets into the scanned text.

    `pairs` are the offsets of `{{` and `}}` of each literal pair, `literals` those pairs around
    nothing but a name; `spanning` are pairs whose ends stand on different lines, which stay as
    they are (PROMPT-A7).
    """

    uses: list[Use] = field(default_factory=list)
    literals: list[Use] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    spanning: list[tuple[int, int]] = field(default_factory=list)


def scan(text: str) -> Braces:
    """Return what the braces of `text` mean; uses and literals are in order of place."""
    braces = Braces()
    opened: list[int] = []  # the `{{` of this line that wait for their `}}`
    waiting: list[int] = []  # those of the lines before
    for token in _TOKEN.finditer(text):
        at, what = token.start(), token[0]
        if what == "{{":
            opened.append(at)
        elif what == "}}":
            if opened:
                _close(text, opened.pop(), at, braces)
            elif waiting:
                braces.spanning.append((waiting.pop(), at))
        elif what[0] == "\n":
            _end_line(text, opened, waiting, braces)
        else:
            braces.uses.append(Use(name=token[1], start=at, end=token.end()))
    _end_line(text, opened, waiting, braces)
    for uses in (braces.uses, braces.literals):
        uses.sort(key=lambda use: use.start)
    return braces


def _close(text: str, opening: int, closing: int, braces: Braces) -> None:
    braces.pairs.append((opening, closing))
    named = _NAMED.match(text, opening + 2)
    if named and named.end() == closing + 1:
        braces.literals.append(Use(name=named[1], start=opening, end=closing + 2))


def _end_line(text: str, opened: list[int], waiting: list[int], braces: Braces) -> None:
    """Settle the `{{` that found no `}}` on their line: they enclose nothing here."""
    for at in opened:
        if named := _NAMED.match(text, at + 2):  # `{{x}`: a brace, then the variable `{x}`
            braces.uses.append(Use(name=named[1], start=at + 1, end=named.end()))
        else:
            waiting.append(at)
    opened.clear()
