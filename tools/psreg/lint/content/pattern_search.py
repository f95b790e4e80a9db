"""How a text is searched for the patterns of many rows.

A row is read if a text has the words that its pattern needs; its gate, which is read off the
pattern, asks for the phrases that a match contains. Only then is the pattern compiled, and tried
where one of its `starts` occurs. In a long text, which has almost all words, they must be near one
another. Where many texts are checked, an index learns what the patterns say. Checking an ordinary
text takes little more than reading the beginnings of its words. Every repetition in a pattern is
bounded, so the time is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain
from typing import Any, ClassVar

from psreg.core.dataclass import dataclass, replace
from psreg.core.diagnostics import ERROR, Finding, Severity
from psreg.core.terminal import quoted
from psreg.lint.content.pattern_gates import Gate, compiled
from psreg.lint.content.search_marks import (
    MarkIndex,
    longest_mark,
    marks_of,
    marks_of_any,
    numbers_of,
    places_to_search,
)
from psreg.lint.content.texts import Content
from psreg.lint.segments import Segment

REACH = 80
"""How many characters before and after a match can make it harmless."""

MOST_EXCUSED = 5_000
"""How many matches of a row may be excused in a text: more take long, and are an error."""

MOST_TRIED = 20_000
"""How often a word may be in a text with which a row begins: more take long, and are an error.

A book of a mebibyte has its most frequent word 12,000 times. Signs, such as brackets, are tried
however many there are.
"""

_FEW = 200

_LONGEST = 1_000
"""The most characters of a match of a pattern that is in no row."""

LONG = 100
"""Matches with more characters are listed in `data/longest.toml`."""

_AROUND = 240
"""How many characters before and after a match can show that it is an example of an attack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A match of a pattern in a segment: `text[start:end]`."""

    segment: Segment
    start: int
    end: int
    pattern: Pattern
    most: int = 0
    """How many places like this one are judged, if the text has more."""

    @property
    def text(self) -> str:
        """The matched text."""
        return self.segment.text[self.start : self.end]

    @property
    def plain(self) -> str:
        """The matched text on one line."""
        return " ".join(self.text.split())

    @property
    def with_context(self) -> Hit:
        """The match together with what must stand before it."""
        if not self.pattern.only_after:
            return self
        before = self.segment.text[max(0, self.start - REACH) : self.start]
        context = compiled(f"(?:{self.pattern.only_after})\\Z").search(before)
        return replace(self, start=self.start - len(context[0])) if context else self

    def moved(self, segment: Segment, offset: int) -> Hit:
        """The same match in a segment that contains this one at `offset`."""
        return replace(self, segment=segment, start=self.start + offset, end=self.end + offset)

    @property
    def is_quoted(self) -> bool:
        """Whether the text teaches about attacks: it quotes the match, or says what to do if."""
        text = self.segment.text
        before = text[max(0, self.start - _AROUND) : self.start]
        after = text[self.end : self.end + _AROUND]
        from psreg.lint.content.attack_words import is_taught  # noqa: PLC0415 - see `blocking`

        return is_taught(
            before, self.text, after, in_code=partial(self.segment.in_code, self.start)
        )

    def finding(self, *, hint: str, severity: Severity | None = None) -> Finding:
        """Return a finding that quotes the text; an error if others like it are not judged."""
        message = f"{self.pattern.note}: {quoted(self.plain)}"
        if self.most:
            many = f"more than {self.most:,} places where this may be"
            message = f"{many}: {quoted(self.plain)}; the rest of the text is not checked"
        return Finding(
            message=message,
            at=self.segment.span(self.start, self.end),
            hint=hint,
            severity=ERROR if self.most else severity or self.pattern.severity,
        )


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property
class Pattern:
    """One row of a data file as it is spelled; `data/idioms.toml` explains the columns."""

    id: str
    pattern: str
    starts: tuple[str, ...]
    needles: tuple[str, ...]
    note: str
    cased: bool = False
    severity: Severity | None = None
    only_after: str = ""
    unless_before: str = ""
    unless_after: str = ""

    def begun(self, content: Content, row: Row | Pattern | None = None) -> dict[str, list[int]]:
        """Tell quickly with which words matches may begin; without any, there are none.

        Of a long text, also tell where they may begin. The pattern is a spelling of `row`.
        """
        row = row or self
        return self._begun_in(content, row) if content.is_long else self._begun(content, row)

    def _begun_in(self, content: Content, row: Row | Pattern) -> dict[str, list[int]]:
        """Tell with which words matches may begin in a long text, and where."""
        longest, gate = row.longest, row.gate or self.gate
        blocks, begun = content.blocks, dict[str, int]()
        for word, marks in chain.from_iterable(self._starts.values()):
            if found := blocks.begun(marks):
                begun[word] = begun.get(word, 0) | found
        near = blocks.near((marks_of_any(self.needles),), longest) if begun else 0
        if near:
            near &= gate.places(blocks, longest, REACH if self.only_after else 0)
        if not near:
            return {}
        places = {w: content.places_in(begun[w] & near, w) for w in self._words if w in begun}
        if not self._may_match_at(content, list(chain(*places.values())), row):
            return {}
        return {word: known for word, known in places.items() if known}

    def _begun(self, content: Content, row: Row | Pattern) -> dict[str, list[int]]:
        # NOTE: looking up words in a set is cheaper than searching the text for needles.
        marks = content.marks
        begun, starts = self.starting & marks, self._starts
        words = {word for each in begun for word, start in starts[each] if start <= marks}
        if not words or (self.needles and not content.contains_any(self.needles)):
            return {}
        if not (row.gate or self.gate).lets(content):
            return {}
        return {word: [] for word in self._words if word in words}

    def hits_at(
        self, content: Content, begun: dict[str, list[int]], told: dict[int, list[tuple[int, int]]]
    ) -> Iterator[Hit]:
        """Yield the matches that are `begun`, outside of what was `told` before."""
        places, too_many = _to_try(content, begun)
        if not places:
            return
        left, match_at = MOST_EXCUSED, self._regex.match
        texts, offsets = content.texts, content.offsets
        for at in places:
            number = bisect_right(offsets, at) - 1
            text = texts[number]
            match = match_at(text, at - offsets[number])
            if not match:
                continue
            start, end = match.span()
            others = told.setdefault(number, [])
            after = bisect_left(others, (end, 0))
            # NOTE: to tell whether something excuses a match takes longer than to find it.
            free = not after or others[after - 1][1] <= start
            if not free:
                continue
            if excused := self._excused(text, match):
                left -= 1
            if not excused or not left:
                others.insert(after, (start, end))
                segment, most = content.segments[number], 0 if left else MOST_EXCUSED
                yield Hit(segment=segment, start=start, end=end, pattern=self, most=most)
            if not left:
                return
        for at in too_many:
            number, offset = content.segment_at(at)
            segment, start = content.segments[number], at - offset
            yield Hit(segment=segment, start=start, end=start + 1, pattern=self, most=MOST_TRIED)

    def _may_match_at(self, content: Content, places: list[int], row: Row | Pattern) -> bool:
        """Tell whether what a match needs is near a place; that takes less than to compile."""
        if len(places) > _FEW:
            return True
        flat, gate = content.flat, row.gate or self.gate
        around = (flat[max(0, at - REACH) : at + row.longest] for at in places)
        return any(map(gate.lets_text, around))

    def matches_over(
        self, content: Content, begun: dict[str, list[int]], ends: list[int], row: Row | Pattern
    ) -> bool:
        """Tell whether a match may go on from before one of the offsets `ends` to it or beyond it.

        `content` is a short text, which is one segment, and the pattern a spelling of `row`.
        """
        before = REACH if self.only_after else 0
        places, _ = _to_try(content, begun)
        near = [at for at in places if _has_any(ends, at - before, at + row.longest)]
        if not self._may_match_at(content, near, row):
            return False
        match_at, text = self._regex.match, content.text
        return any(match_at(text, at) for at in near)

    def _excused(self, text: str, match: re.Match[str]) -> bool:
        start, end = match.span()
        before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
        return _excused(self.only_after, self.unless_before, self.unless_after, before, after)

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return compiled(self.pattern, cased=self.cased)

    @cached_property
    def gate(self) -> Gate:
        """What a text must contain for the row to match in it."""
        return Gate.of(f"(?:{self.only_after})(?:{self.pattern})")

    @cached_property
    def _starts(self) -> dict[str, list[tuple[str, frozenset[str]]]]:
        """The first word of each start and the marks of the start, by the longest of these."""
        found: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for start in self.starts:
            word = start[: start.find(" ") + 1] or start
            marks = marks_of(start if start.isascii() else word)
            found.setdefault(longest_mark(marks), []).append((word, marks))
        return found

    @property
    def spellings(self) -> tuple[Pattern]:
        """The pattern as it is spelled."""
        return (self,)

    longest: ClassVar[int] = _LONGEST
    """The most characters of a match."""

    anchors: ClassVar[frozenset[str]] = frozenset()
    """What is known beforehand of a `Row`, and not of a pattern alone."""

    def may_match(self, _content: Content) -> bool:
        """Tell whether the pattern may match; of it alone, nothing is known beforehand."""
        return True

    @property
    def demands(self) -> list[frozenset[str]]:
        """Sets of marks, of each of which a matching text has one; it takes long to find them."""
        starts = [marks for known in self._starts.values() for _, marks in known]
        shortest = frozenset(min(sorted(marks - {""}), key=len, default="") for marks in starts)
        marks = (self.starting, shortest, marks_of_any(self.needles))
        return [*marks, *self.gate.demands]

    def demands_beside(self, common: frozenset[str]) -> list[frozenset[str]]:
        """Return `demands` that `common`, the marks of an ordinary text, seldom meet."""
        starts = (marks for known in self._starts.values() for _, marks in known)
        needles = (marks for _, marks, _ in places_to_search(self.needles))
        each = (starts, needles, *self.gate.alternatives)
        return [frozenset(longest_mark(marks, common) for marks in sets) for sets in each]

    @cached_property
    def starting(self) -> frozenset[str]:
        """The longest mark of each start."""
        return frozenset(self._starts)

    @cached_property
    def _words(self) -> list[str]:
        """The first words of the starts."""
        return list(dict.fromkeys(start[: start.find(" ") + 1] or start for start in self.starts))


class Row:
    """One row of a data file, which is read when a text may match it.

    `read` returns its pattern in each spelling, and `known` what is known beforehand of a row of
    its rule by its id: `words`, `phrases`, and the characters of the `longest` match; else None.
    """

    def __init__(
        self,
        source: bytes,
        read: Callable[[bytes], Iterable[Pattern]],
        known: Callable[[str, bytes], Any],
    ) -> None:
        at = source.index(b'"') + 1
        self._id = source[at : source.index(b'"', at)]  # its first value
        self._source, self._read, self._known = source, read, known
        self._words: list[str] = known("words", self._id) or []
        self.anchors = frozenset(self._words[0].split() if self._words else ())

    @property
    def id(self) -> str:
        """The name of the row."""
        return self._id.decode()

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Sets of marks, of each of which a matching text has one, read off the row beforehand."""
        return tuple(frozenset(each.split()) for each in self._words)

    @cached_property
    def longest(self) -> int:
        """The most characters of a match; known beforehand."""
        known: int = self._known("longest", self._id) or LONG
        return known

    @cached_property
    def gate(self) -> Gate | None:
        """What a matching text has of each spelling, if it was read off the row beforehand."""
        clauses: list[list[list[str]]] | None = self._known("phrases", self._id)
        return None if clauses is None else Gate(clauses)

    def may_match(self, content: Content) -> bool:
        """Tell without reading the row whether it may match in `content`."""
        if content.is_long:
            return bool(content.blocks.near(self.words, self.longest))
        if any(map(content.marks.isdisjoint, self.words)):
            return False
        # NOTE: to look for phrases in a text takes less time than to read the row, but not in many.
        gate = self.gate
        return gate is None or not gate.is_first(content) or gate.lets(content)

    @cached_property
    def spellings(self) -> tuple[Pattern, ...]:
        """The pattern of the row in each of its spellings."""
        return tuple(self._read(self._source))

    @property
    def demands(self) -> list[frozenset[str]]:
        """Sets of marks, of each of which a matching text has one; it takes long to find them."""
        return _of_any(pattern.demands for pattern in self.spellings)

    def demands_beside(self, common: frozenset[str]) -> list[frozenset[str]]:
        """Return `demands` that `common`, the marks of an ordinary text, seldom meet."""
        return _of_any(pattern.demands_beside(common) for pattern in self.spellings)

    @property
    def clauses(self) -> list[list[str]]:
        """Lists of phrases, of each of which a matching text has one; they take long to find."""
        each = (pattern.gate.clauses for pattern in self.spellings)
        return [sorted({*chain(*found)}) for found in zip(*each, strict=False)]


def _of_any(demands: Iterable[list[frozenset[str]]]) -> list[frozenset[str]]:
    """Return what a text demands that one of several patterns matches, from what each demands."""
    return [frozenset.union(*sets) for sets in zip(*demands, strict=False)]


class Rows:
    """Rows of one rule, found quickly by the marks of a text. They are iterated as patterns."""

    def __init__(self, rows: Iterable[Row | Pattern]) -> None:
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Pattern]:
        return chain.from_iterable(row.spellings for row in self.rows)

    def possible(self, content: Content) -> Iterator[tuple[Pattern, dict[str, list[int]]]]:
        """Yield the patterns that may match in `content`, in order, and how matches begin."""
        for _, begun in self._begun(content):
            yield from begun

    def match_over(self, content: Content, ends: list[int]) -> bool:
        """Tell whether a match may go on from before one of `ends`, in a short text, to beyond."""
        return any(
            pattern.matches_over(content, words, ends, row)
            for row, begun in self._begun(content)
            for pattern, words in begun
        )

    def _begun(self, content: Content) -> Iterator[tuple[Row | Pattern, list[Any]]]:
        """Yield the rows that may match, and their spellings with how matches begin."""
        known = content.begun
        for row in _SEARCHES.possible(self, content.marks):
            begun = known.get(id(row))
            if begun is None:
                begun = known[id(row)] = list(_begun(row, content))
                if not begun:
                    _SEARCHES.in_vain.add(id(row))
            yield row, begun

    @classmethod
    def of_all(cls, tables: Iterable[Rows]) -> Rows:
        """Return the rows of several tables."""
        return cls(chain.from_iterable(table.rows for table in tables))


def _begun(row: Row | Pattern, content: Content) -> Iterator[tuple[Pattern, Any]]:
    """Yield the spellings of `row` that may match in `content`, and how matches begin."""
    if row.may_match(content):
        for pattern in row.spellings:
            if begun := pattern.begun(content, row):
                yield pattern, begun


class _Searches:
    """How texts were searched for the rows of all rules, which makes the next searches faster."""

    def __init__(self) -> None:
        self.in_vain: set[int] = set()
        """The ids of rows that no index could exclude from a text in which they were not begun."""
        self._asked = 0
        self._tables: dict[int, Rows] = {}
        self._learned: tuple[MarkIndex, dict[int, int]] = (MarkIndex(()), {})
        """An index of all rows, and by the id of a table the number of its first row there."""
        self._last: tuple[frozenset[str], MarkIndex, int] = (frozenset(), self._learned[0], 0)

    def possible(self, rows: Rows, marks: frozenset[str]) -> Iterable[Row | Pattern]:
        """Return those of `rows` that may match in a text with `marks`."""
        self._asked += 1
        if self._asked in _OFTEN:
            self._learn(marks)
        # NOTE: other threads may search and learn at the same time.
        (index, first), last = self._learned, self._last
        if id(rows) not in first:
            self._tables[id(rows)] = rows
            return [each for each in rows.rows if not _without(each.anchors, marks)]
        if last[0] is not marks or last[1] is not index:
            last = self._last = marks, index, index.possible(marks)
        bits = last[2] >> first[id(rows)] & (1 << len(rows)) - 1
        return map(rows.rows.__getitem__, numbers_of(bits))

    def _learn(self, common: frozenset[str]) -> None:
        """Make one index of all tables, with what the patterns say that were often in vain.

        What they demand is told by words that are not `common`, the marks of the last text.
        """
        tables, vain = list(self._tables.values()), self.in_vain
        rows = chain.from_iterable(each.rows for each in tables)
        index = MarkIndex(
            [row.demands_beside(common) if id(row) in vain else [row.anchors] for row in rows]
        )
        first = dict(zip(map(id, tables), accumulate(map(len, tables), initial=0), strict=False))
        self._learned = (index, first)


_OFTEN = frozenset((1_600, 12_800, 102_400))
"""After so many searches, it pays to read the patterns that were possible, but never begun."""


_SEARCHES = _Searches()


def _without(anchors: frozenset[str], marks: frozenset[str]) -> bool:
    """Tell whether `marks` are without any of `anchors`; if there are none, all texts have them."""
    return bool(anchors) and anchors.isdisjoint(marks)


def hits(content: Content, rows: Rows) -> Iterator[Hit]:
    """Return the matches of `rows`, one for each part of a text."""
    if not content.is_long:
        return _hits(content, rows)
    # NOTE: several rules ask for the same.
    found: list[Hit] | None = content.hits.get(id(rows))
    if found is None:
        found = content.hits[id(rows)] = list(_hits(content, rows))
    return iter(found)


def _hits(content: Content, rows: Rows) -> Iterator[Hit]:
    told: dict[int, list[tuple[int, int]]] = {}
    for row, begun in rows.possible(content):
        yield from row.hits_at(content, begun, told)


def _has_any(numbers: list[int], first: int, last: int) -> bool:
    """Tell whether one of `numbers`, which ascend, is from `first` to `last`."""
    at = bisect_left(numbers, first)
    return at < len(numbers) and numbers[at] <= last


def _to_try(content: Content, begun: dict[str, list[int]]) -> tuple[list[int], list[int]]:
    """Return where matches may begin; and where the first word is too often, if one is."""
    found: list[int] = []
    for word, known in begun.items():
        places = known or content.places(word)
        if len(places) > MOST_TRIED and word.strip().isalnum():
            return found + places[:MOST_TRIED], places[MOST_TRIED : MOST_TRIED + 1]
        found += places
    return found, []


@lru_cache(maxsize=1 << 12)
def _excused(
    only_after: str, unless_before: str, unless_after: str, before: str, after: str
) -> bool:
    # NOTE: a text that was made to be slow says the same again and again.
    return bool(
        (only_after and not compiled(f"(?:{only_after})\\Z").search(before))
        or (unless_before and compiled(f"(?:{unless_before})\\Z").search(before))
        or (unless_after and compiled(unless_after).match(after))
    )
