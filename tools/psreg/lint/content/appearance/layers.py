"""A text after edits, the text before them, and where each part of it came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import NamedTuple

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Span

COMMENTS, DEFAULTS = "is split by comments", "is put together from defaults"
SIGNS = "has entities for signs"
ENTITIES, MARKUP = "is written with entities", "is cut up by markup"
ESCAPES = "is written with escapes"
CHARACTERS = "is disguised with other characters"
LETTERS, DIGITS = "is spelled letter by letter", "is written with digits for letters"
BACKWARDS, ROT13 = "is written backwards", "is written in ROT13"
ROTATED = "is written in other letters of the alphabet"
DIVIDED, RUN_ON = "is divided into lines or sentences", "is written as one word"
MISSPELT, BROKEN = "is misspelt", "is broken into pieces"
PERCENT = "is written with percent signs"
DRESSED = "has markup inside"

JOINED = "is split over several values"

EXCUSED = "is harmless only beside text that no model reads"

PERHAPS = frozenset(
    (
        *(EXCUSED, SIGNS, JOINED, LETTERS, DIGITS, BACKWARDS, ROT13, ROTATED, DIVIDED, RUN_ON),
        *(PERCENT, ESCAPES, MISSPELT, BROKEN, DRESSED),
    )
)
"""Disguises that can be an accident, or an example in a text about attacks."""


class Edit(NamedTuple):  # a text may have very many
    """The characters `[start, end)` of a text, and what to read instead."""

    start: int
    end: int
    instead: str


@dataclass(slots=True, kw_only=True)
class Layer:
    """A text after edits of one kind; `below` is the text before them.

    The edits are `[starts[i], ends[i])` of this text and `origins[i]` of the one below.
    """

    text: str
    how: str = ""
    below: Layer | None = None
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    origins: list[Edit] = field(default_factory=list)

    def span(self, start: int, end: int) -> Span:
        """Return the characters of the lowest text that became `[start, end)` of this one."""
        if self.below is None:
            return Span(start, end)
        return self.below.span(self._below(start).start, self._below(end - 1).end)

    def _below(self, offset: int) -> Span:
        before = bisect_right(self.starts, offset) - 1
        if before >= 0 and offset < self.ends[before]:
            return Span(self.origins[before].start, self.origins[before].end)
        if before >= 0:
            offset += self.origins[before].end - self.ends[before]
        return Span(offset, offset + 1)

    def disguises(self, start: int, end: int) -> list[str]:
        """Return the kinds of edits within `[start, end)`, the lowest first."""
        if self.below is None:
            return []
        if not self.starts:  # letter for letter
            here = self.text[start:end] != self.below.text[start:end]
        else:
            first = bisect_right(self.ends, start)
            here = first < len(self.starts) and self.starts[first] < end
        around = Span(self._below(start).start, self._below(end - 1).end)
        return [*self.below.disguises(around.start, around.end), *[self.how] * here]


def layer(below: Layer, how: str, edits: Iterable[Edit]) -> Layer:
    """Return `below` after `edits`, which are ascending and do not overlap."""
    found = Layer(text="", how=how, below=below)
    parts, done, size = [], 0, 0
    for edit in edits:
        parts += [below.text[done : edit.start], edit.instead]
        size += edit.start - done
        found.starts.append(size)
        size += len(edit.instead)
        found.ends.append(size)
        found.origins.append(edit)
        done = edit.end
    if not done:
        return below
    found.text = "".join([*parts, below.text[done:]])
    return found


def replaced(below: Layer, how: str, pattern: re.Pattern[str], read: Callable[[str], str]) -> Layer:
    """Return `below` with what `read` makes of each match of `pattern`."""
    edits = (
        Edit(match.start(), match.end(), instead)
        for match in pattern.finditer(below.text)
        if (instead := read(match[0])) != match[0]
    )
    return layer(below, how, edits)
