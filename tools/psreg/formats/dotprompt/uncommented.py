"""The text of a `.prompt` file without its comments, and where each character came from.

Comments go first, on the whole file, before sections are found (READINGS PROMPT-A8). An excerpt
never changes a character: it only leaves some out, so every offset leads back to the original.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Span

BOM = "\ufeff"
BLANKS = " \t\r\f\v"
"""What is trimmed and what a blank line is made of: ASCII only; other spaces are text."""

_OPEN, _CLOSE = "(%", "%)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Text made of pieces of another one. `starts[i]` and `origins[i]`: where piece i stands."""

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    whole: Excerpt | None = None

    def origin(self, offset: int) -> int:
        """Return where the character at `offset` stands in the original text."""
        piece = bisect_right(self.starts, offset) - 1
        at = self.origins[piece] + offset - self.starts[piece]
        return self.whole.origin(at) if self.whole else at

    def span(self, start: int, end: int) -> Span:
        """Return the stretch of the original text that holds `[start, end)` of this one."""
        # NOTE: the end is that of the last character, or a span would swallow a comment after it.
        return Span(
            self.origin(start), self.origin(end - 1) + 1 if end > start else self.origin(start)
        )

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
    ascending offsets in it where a comment was; `unclosed` is the first `(%` without a `%)`.
    """

    excerpt: Excerpt
    comments: tuple[int, ...]
    unclosed: Span | None

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

    def held_comment(self, start: int, end: int) -> bool:
        """Tell whether a comment stood in the line `[start, end)`, or beside its text."""
        first = bisect_left(self.comments, start)
        return first < len(self.comments) and self.comments[first] <= end


def without_comments(text: str) -> Source:
    """Return `text` without byte-order mark and comments; the first `%)` closes a comment.

    A comment without end is literal text (READINGS PROMPT-A9). One pass, so that removing a
    comment never makes a new one, and so that a file of nothing but `(%` takes no longer.
    """
    at = len(BOM) if text.startswith(BOM) else 0
    ranges: list[tuple[int, int]] = []
    comments: list[int] = []
    size = 0
    while (start := text.find(_OPEN, at)) >= 0:
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            break
        for piece in _unix_lines(text, at, start):
            ranges.append(piece)
            size += piece[1] - piece[0]
        comments.append(size)
        at = end + len(_CLOSE)
    ranges.extend(_unix_lines(text, at, len(text)))
    return Source(
        excerpt=Excerpt(text=text).cut(ranges),
        comments=tuple(comments),
        unclosed=Span(start, start + len(_OPEN)) if start >= 0 else None,
    )


def _unix_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    r"""Yield the ranges of `text[start:end]` that leave out the `\r` of every `\r\n`."""
    while (cut := text.find("\r\n", start, end)) >= 0:
        yield start, cut
        start = cut + 1
    yield start, end
