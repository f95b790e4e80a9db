"""Finding entries by words in the signed catalogue.

Every word must occur in an entry's name, tags, summary or use case; where it occurs decides the
rank. Case and accents do not count. `site/overrides/assets/psreg/catalogue.js` ranks alike, and
`tests/vectors/search.json` holds both to it.
The catalogue's columns are read defensively: they are signed, but may be newer than we are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.identity import is_name, normal_name
from psreg.core.spelling import near_ones
from psreg.registry.records import is_later_schema, newer_format
from psreg.registry.trust.strict_json import strict_value

SCHEMA = "psreg.catalog/1"

_TEXTS = ("name", "version", "summary", "use_case", "date", "sha256")
_CODED = ("tags", "license")
_CODED_LATER = ("language", "platform")

_WHOLE_NAME, _NAME_BEGINS, _NAME, _WHOLE_TAG, _TAG, _SUMMARY, _USE_CASE = 100, 50, 30, 25, 20, 10, 5
"""What an occurrence of a word, or of all words, adds to the score of an entry."""

_NOT_DEPRECATED = 10
"""The factor for the score of an entry that is not deprecated."""

_NEAR = 3
"""The number of suggestions for a word."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One class of the catalogue, column by column; all columns have the same length."""

    entry_class: str
    columns: Mapping[str, Sequence[Any]]

    @property
    def names(self) -> Sequence[str]:
        """The names of the entries, in the order of the catalogue."""
        return self.columns["name"]

    def entries(self) -> Iterator[Entry]:
        """Return the entries, in the order of the catalogue (by name)."""
        wanted = ("name", "version", "summary", "use_case", "tags", "license", "date", "deprecated")
        for values in zip(*(self.columns[key] for key in wanted), strict=True):
            yield Entry(entry_class=self.entry_class, **dict(zip(wanted, values, strict=True)))


def read_shard(name: str, data: bytes) -> Shard:
    """Return the shard in `data`, the verified bytes of the target `catalog/<name>.json`.

    Raises:
        TrustError: `TRUST_METADATA`: it is not a strict catalogue shard.
        UnavailableError: `NEWER_FORMAT`.
    """
    try:
        value = strict_value(data)
        if is_later_schema(schema := value["schema"], SCHEMA):
            raise newer_format(f"the registry's catalogue has the format {schema}")
        if schema != SCHEMA:
            raise ValueError("it is not a catalogue")  # noqa: TRY301 - one message below
        if value["shard"] != name:
            raise ValueError(f"it is the catalogue of {value['shard']!r}")  # noqa: TRY301 - one message below
        columns: dict[str, Sequence[Any]] = {key: _texts(value[key]) for key in _TEXTS}
        later = [key for key in _CODED_LATER if key in value]
        columns |= {key: _decoded(value[key]) for key in (*_CODED, *later)}
        columns["license"] = ["".join(row) for row in columns["license"]]
        columns["deprecated"] = [x if isinstance(x, str) else None for x in value["deprecated"]]
        if {len(column) for column in columns.values()} != {value["count"]}:
            raise ValueError("its columns differ in length")  # noqa: TRY301 - one message below
        if not all(map(is_name, columns["name"])):
            raise ValueError("it lists an invalid name")  # noqa: TRY301 - one message below
    except (TrustError, ValueError, KeyError, TypeError, IndexError) as error:
        raise TrustError(
            "TRUST_METADATA", f"the registry's catalogue of {name} is malformed: {error}"
        ) from error
    return Shard(entry_class=name, columns=columns)


def search(shards: Iterable[Shard], words: Iterable[str]) -> tuple[Entry, ...]:
    """Return the entries that match all `words`, best first; all entries by name for no words.

    It makes no difference whether words come one by one or with blanks between them.
    """
    wanted = [word for word in _BLANKS.split(folded(" ".join(words))) if word]
    found = ((_score(e, wanted), e) for shard in shards for e in shard.entries())
    scored = [(-score, e.name, e.entry_class, e) for score, e in found if score is not None]
    scored.sort(key=lambda item: item[:3])
    return tuple(entry for *_, entry in scored)


def suggestions(shards: Iterable[Shard], words: Iterable[str]) -> tuple[str, ...]:
    """Return what is spelled like those of `words` that no entry has, the most similar first.

    These are names, words in names, and tags.
    """
    entries = [entry for shard in shards for entry in shard.entries()]
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


def _texts(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("a column is not a list of strings")
    return values


def _decoded(column: Any) -> list[tuple[str, ...]]:
    """Return the rows of a dictionary-coded column: numbers, or lists of them, into `values`."""
    values = _texts(column["values"])
    rows = [row if isinstance(row, list) else [row] for row in column["rows"]]
    if any(number < 0 for row in rows for number in row):
        raise ValueError("a column points before its values")
    return [tuple(values[number] for number in row) for row in rows]
