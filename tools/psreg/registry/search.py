"""Finding entries by words in the signed catalogue.

Every word must occur in an entry's name, tags, summary or use case; where it occurs decides the
rank. Case and accents do not count. `site/overrides/assets/psreg/ranking.js` ranks alike, and
`tests/vectors/search.json` holds both to it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from psreg.core.identity import normal_name
from psreg.core.spelling import near_ones
from psreg.registry.catalog_segments import Row, Segment, live_rows

_WHOLE_NAME, _NAME_BEGINS, _NAME, _WHOLE_TAG, _TAG, _SUMMARY, _USE_CASE = 100, 50, 30, 25, 20, 10, 5
"""What an occurrence of a word, or of all words, adds to the score of an entry."""

_NOT_DEPRECATED = 10
"""The factor for the score of an entry that is not deprecated."""

_NEAR = 3
"""The number of suggestions for a word."""

_COLUMNS = (
    "name", "class", "version", "summary", "use_case", "tags", "license", "date", "deprecated",
)  # fmt: skip
"""The columns that an entry shows."""

_BLANKS = re.compile(r"[ \t-\r]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the catalogue: the newest release of a name."""

    name: str
    entry_class: str
    version: str
    summary: str
    use_case: str
    tags: tuple[str, ...]
    license: str
    date: str
    deprecated: str | None

    @classmethod
    def of(cls, row: Row) -> Entry:
        """Return the line of a row."""
        return cls(
            entry_class=row["class"], **{key: row[key] for key in _COLUMNS if key != "class"}
        )

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
        }


def search(rows: Iterable[Row], words: Iterable[str]) -> tuple[Entry, ...]:
    """Return the entries that match all `words`, best first; all entries by name for no words.

    It makes no difference whether words come one by one or with blanks between them.
    """
    wanted = [word for word in _BLANKS.split(folded(" ".join(words))) if word]
    found = ((_score(entry, wanted), entry) for entry in map(Entry.of, rows))
    scored = [(-score, entry.name, entry) for score, entry in found if score is not None]
    scored.sort(key=lambda item: item[:2])
    return tuple(entry for *_, entry in scored)


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


def matching_rows(
    segments: Iterable[Segment], words: Iterable[str], filters: Filters = MappingProxyType({})
) -> list[Row]:
    """Return what `search` needs of the rows in which all `words` occur, and that pass `filters`.

    Most rows of a large catalogue are never put together.
    """
    wanted = [word for word in _BLANKS.split(folded(" ".join(words))) if word]
    found = []
    for segment, rows in live_rows(segments):
        at: Sequence[int] = rows
        for by, value in _each(filters):
            known = FILTERS[by] in segment.columns  # the former layout lacks some
            having = segment.rows_with(FILTERS[by], partial(_is, value)) if known else ()
            at = [row for row in at if row in having]
        for word in wanted:
            at = _with_word(segment, at, word)
        found += [segment.row(number, _COLUMNS) for number in at]
    return found


def _is(value: str, found: str) -> bool:
    return folded(found) == value


def _each(filters: Filters) -> Iterator[tuple[str, str]]:
    for by, values in filters.items():
        yield from ((by, folded(value)) for value in values)


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


def _with_word(segment: Segment, rows: Sequence[int], word: str) -> list[int]:
    """Return those of some rows in which a word occurs."""
    name, names = normal_name(word), segment.columns["name"]
    summaries, uses = (_all_folded(segment.columns[key]) for key in ("summary", "use_case"))
    tagged = segment.rows_with("tags", lambda tag: word in folded(tag))
    return [
        at
        for at in rows
        if name in names[at] or word in summaries[at] or word in uses[at] or at in tagged
    ]


def _all_folded(texts: Sequence[str]) -> Sequence[str]:
    """Return `texts`, each `folded`."""
    plain = "".join(texts).isascii()
    return [text.lower() for text in texts] if plain else [folded(text) for text in texts]


def suggestions(rows: Iterable[Row], words: Iterable[str]) -> tuple[str, ...]:
    """Return what is spelled like those of `words` that no entry has, the most similar first.

    These are names, words in names, and tags.
    """
    entries = [*map(Entry.of, rows)]
    known = {text for entry in entries for text in (entry.name, *entry.tags)}
    known |= {part for entry in entries for part in entry.name.split("_")}
    wanted = [word for word in _BLANKS.split(folded(" ".join(words))) if word]
    missing = [word for word in wanted if all(_score(entry, [word]) is None for entry in entries)]
    found = [
        near for word in missing for near in near_ones(normal_name(word), sorted(known), _NEAR)
    ]
    return tuple(dict.fromkeys(found))


def folded(text: str) -> str:
    """Return `text` without case and accents, so that `resume` finds `Résumé`."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text)
    return "".join(c for c in letters if not unicodedata.category(c).startswith("M")).lower()


def _score(entry: Entry, words: Sequence[str]) -> int | None:
    """Return how well `entry` matches; None if a word does not occur in it."""
    if not words:
        return 0
    tags = [folded(tag) for tag in entry.tags]
    summary, use_case = folded(entry.summary), folded(entry.use_case)
    total = _WHOLE_NAME if normal_name("_".join(words)) == entry.name else 0
    for word in words:
        if (name := normal_name(word)) in entry.name:
            total += _NAME_BEGINS if entry.name.startswith(name) else _NAME
        elif any(word in tag for tag in tags):
            total += _WHOLE_TAG if word in tags else _TAG
        elif word in summary:
            total += _SUMMARY
        elif word in use_case:
            total += _USE_CASE
        else:
            return None
    return total if entry.deprecated is not None else total * _NOT_DEPRECATED
