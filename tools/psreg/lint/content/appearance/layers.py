"""A text after edits, the text before them, and where each part of it came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from psreg.core.dataclass import dataclass, field
from psreg.core.diagnostics import Span
from psreg.core.regex import lazy

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
CARRIED = "is divided among strings, cells or lines"
SIGNED = "has signs inside words"
HIDDEN_AMONG = "is in another order, or hidden among other words"

JOINED = "is split over several values"

EXCUSED = "is harmless only beside text that no model reads"

SCATTERED = frozenset((CARRIED, HIDDEN_AMONG, SIGNED))
"""Disguises whose parts are far from one another: what is between them says nothing."""

PERHAPS = frozenset(
    (
        *(EXCUSED, SIGNS, JOINED, LETTERS, DIGITS, BACKWARDS, ROT13, ROTATED, DIVIDED, RUN_ON),
        *(PERCENT, ESCAPES, MISSPELT, BROKEN, DRESSED, CARRIED, HIDDEN_AMONG, SIGNED),
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
    changed: list[tuple[int, int]] | None = None
    """What `changes` returned; many parts of a text may ask the same one below."""

    def near_edits(self, reach: int) -> Iterator[Span]:
        """Yield the parts of this text that are at most `reach` characters from an edit of it."""
        if not self.starts:  # letter for letter
            yield Span(0, len(self.text))
            return
        yield from around(zip(self.starts, self.ends, strict=True), reach, len(self.text))

    def near_changes(self, reach: int) -> Iterator[Span]:
        """Yield the parts of this text that are near what is not as in the lowest text."""
        return around(self.changes(), reach, len(self.text))

    def changes(self) -> list[tuple[int, int]]:
        """Return, ascending, the ranges of this text that are not as in the lowest text."""
        if self.changed is None:
            self.changed = sorted(self._changes(self.below)) if self.below else []
        return self.changed

    def _changes(self, below: Layer) -> Iterator[tuple[int, int]]:
        lower: Iterable[tuple[int, int]] = below.changes()
        if not self.starts:  # letter for letter
            pairs = enumerate(zip(self.text, below.text, strict=True))
            yield from ((at, at + 1) for at, (here, other) in pairs if here != other)
            yield from lower
            return
        if self.how:
            yield from zip(self.starts, self.ends, strict=True)
        else:  # a part, in which nothing is seen of what was changed elsewhere
            begin, size = self.origins[0].end, self.origins[-1].start
            lower = [(start, end) for start, end in lower if end >= begin and start <= size]
        yield from ((self._above(start), self._above(end)) for start, end in lower)

    def _above(self, offset: int) -> int:
        """Return where a place of the text below is in this one."""
        before = bisect_right(self.origins, (offset,)) - 1
        if before < 0:
            return offset
        edit = self.origins[before]
        return self.starts[before] if offset < edit.end else offset + self.ends[before] - edit.end

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
    if not found.starts:
        return below
    found.text = "".join([*parts, below.text[done:]])
    return found


def replaced(below: Layer, how: str, pattern: re.Pattern[str], read: Callable[[str], str]) -> Layer:
    """Return `below` with what `read` makes of each match of `pattern`."""
    known = _Known(read)
    edits = (
        Edit(match.start(), match.end(), known[match[0]])
        for match in pattern.finditer(below.text)
        if known[match[0]] != match[0]
    )
    return layer(below, how, edits)


class _Known(dict[str, str]):
    """What `read` makes of texts; most words are in a text more than once."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read

    def __missing__(self, said: str) -> str:
        self[said] = found = self._read(said)
        return found


def around(ranges: Iterable[tuple[int, int]], reach: int, size: int) -> Iterator[Span]:
    """Yield the parts of a text of `size` at most `reach` characters from ascending `ranges`."""
    begin, done = 0, -1
    for start, end in ranges:
        if start - reach > done:
            if done >= 0:
                yield Span(begin, done)
            begin = max(0, start - reach)
        done = max(done, min(end + reach, size))
    if done >= 0:
        yield Span(begin, done)


_PART, _COMMON = 5_000, 600
"""Characters of a part of a long text that no other part has, and of those that two have."""


def parts(below: Layer) -> Iterator[Layer]:
    """Yield the parts of a long text; they overlap by the length of some sentences."""
    size = len(below.text)
    for begin in range(0, max(1, size - _COMMON), _PART):
        end = min(begin + _PART + _COMMON, size)
        yield layer(below, "", (Edit(0, begin, ""), Edit(end, size, "")))


# What is scattered over a text.


_STRINGS = lazy(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`")
_BRACKETS = lazy(r"\[([^\[\]\n]{1,200})\]")
_COMMENTS = lazy(
    r"(?<![^\n])[ \t]{0,12}(?://+|#+|--+|;+|REM\b|%+|\*+|<!--|>+)[ \t]*([^\n]{1,300})",
    re.IGNORECASE,
)
_LABELLED = lazy(r"(?<![^\n])\W{0,6}(?:[\w:.]{1,16}[ \t]?){0,3}[]:=+|>)][^\w\n]{0,6}([^\n]{1,300})")
_LOGGED = lazy(r"(?<![^\n])(?:[\w:.,\[\]-]{1,24}[ \t]){1,4}[ \t]{0,4}([^\n]{1,300})")
_ADDED = lazy(r"(?<![^\n])\+([^\n]{1,300})")
_ROW = lazy(r"(?<![^\n])\|?([^\n|]{0,100})\|([^\n|]{0,100})(?:\|([^\n|]{0,100}))?")
_ROWS = ((1,), (2,), (3,))
_FEWEST = 2

Part = tuple[int, int]


def carriers(text: str) -> Iterator[tuple[list[Part], str]]:
    """Yield parts of a text that may be a text of their own, and what is between them."""
    for pattern, sign in ((_STRINGS, ""), (_BRACKETS, "["), (_COMMENTS, ""), (_LABELLED, "")):
        if sign in text:
            yield _parts(text, pattern), " "
    yield _parts(text, _LOGGED), " "
    if "\n+" in text:
        yield _parts(text, _ADDED), " "
    if "|" in text:
        rows = list(_ROW.finditer(text))
        for (column,) in _ROWS:
            yield [row.span(column) for row in rows if row.end(column) > row.start(column)], " "
    strings = _parts(text, _STRINGS)
    yield strings, ""


def _parts(text: str, pattern: re.Pattern[str]) -> list[Part]:
    return [match.span(match.lastindex or 0) for match in pattern.finditer(text)]


def carried(below: Layer, says: Callable[[str], bool]) -> Iterator[Layer]:
    """Yield what parts of a text say together, if it `says` more than the whole does."""
    for parts, between in carriers(below.text):
        if len(parts) >= _FEWEST:
            joined = between.join([below.text[start:end] for start, end in parts])
            if says(joined):
                yield layer(below, CARRIED, _without(parts, between, len(below.text)))


def _without(parts: Iterable[Part], between: str, size: int) -> Iterator[Edit]:
    """Yield edits that leave only `parts`."""
    done, instead = 0, "\n"
    for start, end in parts:
        if start > done:
            yield Edit(done, start, instead)
        done, instead = end, between
    if done < size:
        yield Edit(done, size, "\n")


_STEPS = range(2, 5)
_NUMBERED = lazy(r"(?<!\w)([0-9]{1,2})[^\w\s]{0,2}[ ]?([^\W\d_][^\s]{0,40})")


def in_other_order(below: Layer, says: Callable[[str], bool]) -> Iterator[Layer]:
    """Yield the words from the last to the first, every second one, if that `says` more."""
    words = below.text.split()
    lines = (" ".join(reversed(line.split())) for line in below.text.split("\n"))
    ways = [(HIDDEN_AMONG, " ".join(words[::-1])), (HIDDEN_AMONG, "\n".join(lines))]
    ways += [(HIDDEN_AMONG, " ".join(words[at::n])) for n in _STEPS for at in range(n)]
    numbered = _NUMBERED.findall(below.text)
    ways += [(HIDDEN_AMONG, " ".join(word for _, word in sorted(numbered, key=_number)))]
    for how, text in ways:
        if says(text):
            yield read_as(below, how, text)


def _number(found: tuple[str, str]) -> int:
    return int(found[0])


_WIDEST = 2_000
"""More columns than a model can read as words."""


def columns(below: Layer) -> Layer:
    """Return a text of which each column was a word."""
    # NOTE: a text may have many short lines and a long one: columns are not filled up.
    found: list[list[str]] = []
    last: list[int] = []
    for row, whole in enumerate(below.text.split("\n")):
        line = whole[:_WIDEST]
        new = len(line) - len(found)
        found += ([] for _ in range(new))
        last += (row for _ in range(new))
        for at, character in enumerate(line):
            if row - last[at] > 1:
                found[at].append(" ")
            found[at].append(character)
            last[at] = row
    return read_as(below, HIDDEN_AMONG, " ".join("".join(column).strip() for column in found))


def read_as(below: Layer, how: str, text: str) -> Layer:
    """Return a layer of which no part is at a place of its own in the text below."""
    whole = Edit(0, len(below.text), text)
    return Layer(text=text, how=how, below=below, starts=[0], ends=[len(text)], origins=[whole])
