"""The texts of a catalogue in which a search looks for words.

The columns of a segment are scanned as bytes: most rows of a large catalogue are never put
together. A row is worth the weight of the column in which a word is, times how well it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from psreg.core.dataclass import dataclass
from psreg.registry.catalog_segments import Segment, live_rows
from psreg.registry.search.words import stem, words_of

EXACT, FORM, BEGINNING = 10, 9, 7
"""How well a word of a text fits: it is the wanted one, a form of it, or begins with it."""

_FIRST_WORD = 44
_NAME, _TAGS, _SUMMARY, _USE_CASE, _WORDS = 40, 32, 18, 12, 6
"""The weight of a name's first word, and of words in columns."""

_SENTENCES = {"summary": _SUMMARY, "use_case": _USE_CASE}
_TEXTS = {**_SENTENCES, "words": _WORDS}
"""The columns besides names and tags; `words` are in no order, so that they have no neighbours."""

_SHORTEST_BEGINNING = 3
"""The fewest letters with which a word in a sentence begins."""

Scores = dict[int, int]
"""What rows are worth, by their numbers in a catalogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A folded word, or with `second` two neighbours, to look for.

    `forms` and `beginnings` count as well, if so. Sentences are searched unless it is for `labels`
    only, which are names and tags.
    """

    word: str
    second: str = ""
    forms: bool = False
    beginnings: bool = False
    labels: bool = False

    def fit(self, word: str, *, label: bool) -> int:
        """Return how well a word of a text fits; 0 if it is another one."""
        if word == self.word:
            return EXACT
        if self.forms and stem(word) == stem(self.word):
            return FORM
        long = label or len(self.word) >= _SHORTEST_BEGINNING
        return BEGINNING if self.beginnings and long and word.startswith(self.word) else 0


class Texts:
    """The rows of a catalogue that are in force, numbered from 0."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self._parts: list[_Part] = []
        number = 0
        for segment, live in live_rows(segments):
            self._parts.append(_Part(segment, live, number))
            number += len(segment.names)

    def rows(self) -> Iterator[tuple[int, Segment, int]]:
        """Yield the number of each row, its segment, and its number in that."""
        for part in self._parts:
            yield from ((part.start + at, part.segment, at) for at in part.live)

    def row(self, number: int) -> tuple[Segment, int]:
        """Return the segment of a row, and its number in that."""
        part = next(each for each in reversed(self._parts) if each.start <= number)
        return part.segment, number - part.start

    def scores(self, wanted: Wanted) -> Scores:
        """Return what the rows are worth in which a word is."""
        found: Scores = {}
        for part in self._parts:
            part.add(wanted, found)
        return found

    def labels(self) -> frozenset[str]:
        """Return all words of names and tags."""
        return frozenset(word for part in self._parts for word in part.labels())


class _Part:
    """The rows `live` of a segment; the first of all is number `start` of the catalogue."""

    def __init__(self, segment: Segment, live: Sequence[int], start: int) -> None:
        self.segment, self.live, self.start = segment, live, start
        self._all = len(live) == len(segment.names)
        self._live = frozenset(live)
        self._sentences: dict[str, bytes] = {}
        self._tags: dict[str, list[str]] = {}
        segment.rows_with("tags", self._note)

    def _note(self, tag: str) -> bool:
        self._tags[tag] = words_of(tag)
        return False

    def labels(self) -> Iterator[str]:
        """Yield the words of names and tags."""
        names, tags = self.segment.names, self.segment.columns["tags"]
        for at in self.live:
            yield from names[at].split("_")
        shown = self._tags if self._all else {tag for at in self.live for tag in tags[at]}
        for tag in shown:
            yield from self._tags[tag]

    def add(self, wanted: Wanted, found: Scores) -> None:
        """Raise the scores of the rows in which a word is."""
        for at, fit, first in self._hits("name", wanted):
            self._raise(found, at, fit * (_FIRST_WORD if first else _NAME))
        fits = {tag: _best(words, wanted) for tag, words in self._tags.items()}
        for fit in sorted({*fits.values()} - {0}):
            for at in self.segment.rows_with("tags", partial(_has, fits, fit)):
                self._raise(found, at, fit * _TAGS)
        if not wanted.labels:
            for column, weight in (_SENTENCES if wanted.second else _TEXTS).items():
                # Older segments have no words.
                known = column in self.segment.columns
                for at, fit, _ in self._hits(column, wanted) if known else ():
                    self._raise(found, at, fit * weight)

    def _raise(self, found: Scores, at: int, score: int) -> None:
        number = self.start + at
        if score > found.get(number, 0) and (self._all or at in self._live):
            found[number] = score

    def _hits(self, column: str, wanted: Wanted) -> Iterator[tuple[int, int, bool]]:
        """Yield the number of a row for each hit, how well it fits, and whether it is the first."""
        if column not in self._sentences:
            self._sentences[column] = _scannable(self.segment.columns[column])
        data, label = self._sentences[column], column == "name"
        fits: dict[bytes, int] = {}
        row = last = 0
        for hit in re.finditer(_pattern(wanted), data):
            word, at = hit[0], hit.start()
            if word not in fits:
                fits[word] = EXACT if wanted.second else wanted.fit(word[1:].decode(), label=label)
            if fits[word]:
                row, last = row + data.count(b"\n", last, at), at
                yield row, fits[word], at == 0 or data[at - 1] == _LINE_BREAK


def _has(fits: Mapping[str, int], fit: int, tag: str) -> bool:
    return fits[tag] == fit


def _best(words: Sequence[str], wanted: Wanted) -> int:
    if wanted.second:
        return EXACT if (wanted.word, wanted.second) in pairwise(words) else 0
    return max((wanted.fit(word, label=True) for word in words), default=0)


def _pattern(wanted: Wanted) -> bytes:
    """Return the pattern of all that may fit; forms and beginnings begin with the stem."""
    if wanted.second:
        two = (re.escape(word.encode()) for word in (wanted.word, wanted.second))
        return b" " + b" +".join(two) + b"(?![^ \n])"
    return b" " + re.escape(stem(wanted.word).encode()) + b"[^ \n]*"


_LINE_BREAK = ord("\n")
_PLAIN = bytes(
    ord(c) if (c := chr(n).lower()).isascii() and (c.isalnum() or n == _LINE_BREAK) else ord(" ")
    for n in range(256)
)
"""What becomes of each byte of ASCII: letters in lower case, digits and line breaks stay."""


def _scannable(texts: Sequence[str]) -> bytes:
    """Return the folded words of texts, one text a line, a blank before each word."""
    joined = "\n".join(texts)
    if joined.isascii() and joined.count("\n") == max(len(texts) - 1, 0):
        return b" " + joined.encode().translate(_PLAIN).replace(b"\n", b"\n ")
    return "\n".join(" " + " ".join(words_of(text)) for text in texts).encode()
