"""Finding entries by words in the signed catalogue.

The entries that match all words of a query come first, then those that match most of them. What a
word means, `query` tells; where it occurs, and how often others say it so, decides the rank. The
site ranks alike (`assets/psreg/search/ranking.js`), and `tests/vectors/search.json` and tests in a
browser hold both to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial as bound
from types import MappingProxyType
from typing import Any

from psreg.core.dataclass import dataclass
from psreg.core.spelling import near_ones
from psreg.registry.catalog_segments import Row, Segment
from psreg.registry.search.query import Alternative, Term, alternatives, guesses, terms_of
from psreg.registry.search.texts import Scores, Texts
from psreg.registry.search.thesaurus import Thesaurus, psreg_thesaurus
from psreg.registry.search.words import folded, words_of

_WHOLE_NAME = 1000
"""What is added to the score of an entry if the query is its name."""

_NOT_DEPRECATED = 10
"""The factor for the score of an entry that is not deprecated."""

_MOST = 10
"""How many entries are shown if those that match all words are fewer: some match a few words."""

_NEAR = 3
"""The number of suggestions for a word."""

_COLUMNS = (
    "name", "class", "version", "summary", "use_case", "tags", "license", "date", "deprecated",
)  # fmt: skip
"""The columns that an entry shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the catalogue: the newest release of a name.

    `partial` says whether it matches only some words of the query.
    """

    name: str
    entry_class: str
    version: str
    summary: str
    use_case: str
    tags: tuple[str, ...]
    license: str
    date: str
    deprecated: str | None
    partial: bool = False

    @classmethod
    def of(cls, row: Row, *, partial: bool) -> Entry:
        """Return the line of a row."""
        named = {key: row[key] for key in _COLUMNS if key != "class"}
        return cls(entry_class=row["class"], partial=partial, **named)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "name": self.name,
            "class": self.entry_class,
            "version": self.version,
            "summary": self.summary,
            "use_case": self.use_case,
            "tags": list(self.tags),
            "license": self.license,
            "date": self.date,
            "deprecated": self.deprecated,
            "partial": self.partial,
        }


FILTERS = {
    "class": "class",
    "tag": "tags",
    "license": "license",
    "language": "language",
    "platform": "platform",
    "protocol": "protocol",
}
"""What entries can be filtered by, each with its column."""

Filters = Mapping[str, Sequence[str]]
"""By the keys of `FILTERS`, the values that an entry must have; case and accents do not count."""


def search(
    segments: Iterable[Segment],
    words: Iterable[str],
    filters: Filters = MappingProxyType({}),
    thesaurus: Thesaurus | None = None,
) -> tuple[Entry, ...]:
    """Return the entries that match `words` and pass `filters`, best first; all for no words.

    Those that match only some words come last, and are `partial`. It makes no difference whether
    words come one by one or with blanks between them.
    """
    thesaurus = thesaurus or psreg_thesaurus()
    texts, query = Texts(segments), " ".join(words)
    terms = terms_of(query, thesaurus.weak)
    if not query.strip():
        found = {number: [0] for number, *_ in texts.rows()}
    else:
        found = _matches(texts, terms, thesaurus)
    if filters:
        found = {number: found[number] for number in _passing(texts, filters) if number in found}
    whole = "_".join(word for term in terms for word in (*term.phrase, term.word) if word)
    ranked = sorted(_rank(*texts.row(number), scores, whole) for number, scores in found.items())
    number = sum(not partial for partial, *_ in ranked)
    return tuple(
        Entry.of(segment.row(at, _COLUMNS), partial=partial)
        for partial, *_, segment, at in ranked[: shortened(number)]
    )


def shortened(whole: int) -> int:
    """Return how many results are shown if `whole` ones match all words."""
    return max(whole, _MOST)


def _matches(texts: Texts, terms: Sequence[Term], thesaurus: Thesaurus) -> dict[int, list[int]]:
    """Return the rows that match a term, each with its score for every term."""
    found: dict[int, list[int]] = {}
    for each in alternatives(terms, thesaurus):
        _add(texts, found, each, len(terms))
    strong = [at for at, term in enumerate(terms) if not term.weak]
    missing = [at for at in strong if not any(each[at] for each in found.values())]
    labels = texts.labels() if missing else frozenset[str]()
    for at in missing:
        for each in guesses(terms, at, thesaurus, labels):
            _add(texts, found, each, len(terms))
    scores = {row: [each[at] for at in strong] for row, each in found.items()}
    return {row: each for row, each in scores.items() if any(each)}


def _add(texts: Texts, found: dict[int, list[int]], each: Alternative, number: int) -> None:
    """Raise the scores of the rows that have all words of an alternative."""
    scores: Scores = texts.scores(each.wanted[0])
    for wanted in each.wanted[1:]:
        others = texts.scores(wanted) if scores else {}
        scores = {row: min(score, others[row]) for row, score in scores.items() if row in others}
    for row, score in scores.items():
        totals = found.setdefault(row, [0] * number)
        for at in range(each.start, each.end):
            totals[at] = max(totals[at], score * each.factor)


def _rank(segment: Segment, at: int, scores: list[int], whole: str) -> _Ranked:
    """Return a row with what it is sorted by."""
    name = segment.names[at]
    score = sum(scores) + (_WHOLE_NAME if name == whole else 0)
    if segment.columns["deprecated"][at] is None:
        score *= _NOT_DEPRECATED
    matched = sum(map(bool, scores))
    partial = matched < len(scores) and matched != 0
    return partial, -matched, -score, name, segment, at


_Ranked = tuple[bool, int, int, str, Segment, int]


def _passing(texts: Texts, filters: Filters) -> Iterator[int]:
    """Yield the numbers of the rows that pass."""
    having: dict[int, list[set[int]]] = {}
    for number, segment, at in texts.rows():
        if id(segment) not in having:
            having[id(segment)] = [*_having(segment, filters)]
        if all(at in rows for rows in having[id(segment)]):
            yield number


def _having(segment: Segment, filters: Filters) -> Iterator[set[int]]:
    """Yield for each wanted value the numbers of the rows that have it."""
    for by, values in filters.items():
        known = FILTERS[by] in segment.columns  # the former layout lacks some
        for value in values:
            accept = bound(_is, folded(value))
            yield segment.rows_with(FILTERS[by], accept) if known else set()


def _is(value: str, found: str) -> bool:
    return folded(found) == value


def unknown_values(rows: Sequence[Row], filters: Filters) -> Iterator[tuple[str, str, str]]:
    """Yield each value of a filter that no row has: what it filters by, and a similar one or ""."""
    for by, values in filters.items():
        cells = (row.get(FILTERS[by], ()) for row in rows)
        known = {one for cell in cells for one in ([cell] if isinstance(cell, str) else cell)}
        by_letters = {folded(one): one for one in known}
        for value in values:
            if folded(value) not in by_letters:
                near = near_ones(folded(value), sorted(by_letters), 1)
                yield by, value, by_letters[near[0]] if near else ""


def suggestions(rows: Iterable[Row], words: Iterable[str]) -> tuple[str, ...]:
    """Return names and tags that are spelled a little like words that found nothing."""
    known = {text for row in rows for text in (row["name"], *row["tags"])}
    known |= {part for text in known for part in text.split("_")}
    missing = [word for word in words_of(" ".join(words)) if word not in known]
    found = [near for word in missing for near in near_ones(word, sorted(known), _NEAR)]
    return tuple(dict.fromkeys(found))
