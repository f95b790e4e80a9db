"""Finding entries by words in the signed catalogue.

Every word must occur in an entry's name, tags, summary or use case; where it occurs decides the
rank. The catalogue's columns are read defensively: they are signed, but may be newer than we are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import is_name
from psreg.registry.trust.strict_json import strict_value

SCHEMA = "psreg.catalog/1"

_TEXTS = ("name", "version", "summary", "use_case", "date", "sha256")
_CODED = ("tags", "license", "language", "platform")


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
        schema = value["schema"]
        if schema != SCHEMA:
            raise UnavailableError(
                "NEWER_FORMAT",
                f"the registry's catalogue has the format {schema!r}, which this psreg does "
                "not know",
                "install a newer psreg",
            )
        columns: dict[str, Sequence[Any]] = {key: _texts(value[key]) for key in _TEXTS}
        columns |= {key: _decoded(value[key]) for key in _CODED if key in value}
        columns["license"] = ["".join(row) for row in columns["license"]]
        columns["deprecated"] = [x if isinstance(x, str) else None for x in value["deprecated"]]
        if {len(column) for column in columns.values()} != {value["count"]}:
            raise ValueError("its columns differ in length")  # noqa: TRY301 - one message below
        if not all(map(is_name, columns["name"])):
            raise ValueError("it lists a name that is none")  # noqa: TRY301 - one message below
    except (TrustError, ValueError, KeyError, TypeError, IndexError) as error:
        raise TrustError(
            "TRUST_METADATA", f"the registry's catalogue of {name} is malformed: {error}"
        ) from error
    return Shard(entry_class=name, columns=columns)


def search(shards: Iterable[Shard], words: Iterable[str]) -> tuple[Entry, ...]:
    """Return the entries that match all `words`, best first; all entries by name for no words."""
    wanted = [word.casefold() for word in words]
    scored = []
    for shard in shards:
        for entry in shard.entries():
            score = _score(entry, wanted)
            if score is not None:
                scored.append((score, entry.name, entry))
    scored.sort(key=lambda item: item[:2])
    return tuple(entry for *_, entry in scored)


def _score(entry: Entry, words: Sequence[str]) -> int | None:
    """Return how badly `entry` matches (0 is best); None if a word does not occur in it."""
    tags = [tag.casefold() for tag in entry.tags]
    places = (entry.name, " ".join(tags), entry.summary.casefold(), entry.use_case.casefold())
    total = 0
    for word in words:
        if word in (entry.name, entry.name.replace("_", " ")):
            continue
        place = next((rank for rank, text in enumerate(places, 1) if word in text), None)
        if place is None:
            return None
        total += place * 2 - (word in tags)
    return total


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
