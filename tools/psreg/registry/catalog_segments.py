"""Segments of the catalogue: what search and the site need about each name, column by column.

A row describes the latest release of a name (`PackageRecord.latest`). Each column has one element
per row, and rows are sorted by name; a column with repeated values is `{"values": sorted, "rows":
indexes}`. A row in a newer segment replaces that of the same name in an older one. `catalog_head`
lists the segments that are live.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import is_name
from psreg.core.version import is_version
from psreg.formats.json.canonical import canonical
from psreg.formats.protocol_versions import STUB
from psreg.lint.likeness import START
from psreg.registry.json_members import is_later_schema, newer_format
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.strict_json import strict_value

SEGMENT_SCHEMA = "psreg.segment/1"
SHARD_SCHEMA = "psreg.catalog/1"
"""The schema of the former layout: one target per class, in which no column tells the class."""

_TEXTS = ("name", "version", "summary", "use_case", "date", "sha256")
_ONE = ("class", "license")
_MANY = ("tags", "language", "platform", "protocol", "aliases", "owners")
_NEWER_TEXTS = ("sketch", "words")
_COLUMNS = (*_TEXTS, "deprecated", *_NEWER_TEXTS, *_ONE, *_MANY)
_NEWER = ("aliases", "owners", *_NEWER_TEXTS)
"""The columns that the segments of the first heads lack."""

_DECODER = json.JSONDecoder()

Row = Mapping[str, Any]
"""A row: texts, lists of texts for the columns with several values, `deprecated` or None."""


def row_of(record: PackageRecord) -> Row | None:
    """Return the row of a name; None if it has no release to show."""
    release = record.latest
    if release is None:
        return None
    return {
        "name": record.name,
        "class": record.entry_class,
        "version": release.version,
        "summary": release.text("summary"),
        "use_case": release.text("use_case"),
        "date": release.date,
        "sha256": release.sha256,
        "tags": sorted(set(release.texts("tags"))),
        "license": release.text("license"),
        "language": sorted(set(release.texts("languages"))),
        "platform": sorted(set(_platforms(release))),
        "protocol": _protocols(release),
        "deprecated": _reason(record),
        "aliases": sorted(set(record.aliases)),
        "owners": sorted({account(owner) for owner in record.owners}),
        "sketch": release.sketch[:START],
        "words": release.words,
    }


def account(owner: Mapping[str, Any]) -> str:
    """Return an owner as a text: forge and numeric id."""
    return f"{owner.get('forge')}:{owner.get('id')}"


def _platforms(release: ReleaseRecord) -> list[str]:
    """Return the platforms on which exactly this artifact passed, except the stub."""
    if release.runs is not None:
        return [run.platform for run in release.runs if run.counts and run.result == "pass"]
    return [
        row["platform"]
        for row in release.tables("tested")
        if row.get("result") == "pass"
        and row.get("sha256") == release.sha256
        and isinstance(row.get("platform"), str)
        and row["platform"] != STUB
    ]


def _protocols(release: ReleaseRecord) -> list[str]:
    """Return the protocols that the release declares."""
    declared = release.release.get("protocols")
    return sorted(declared) if isinstance(declared, dict) else []


def _reason(record: PackageRecord) -> str | None:
    if record.deprecated is None:
        return None
    reason = record.deprecated.get("reason")
    return reason if isinstance(reason, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A segment as it is read: its columns, all of one length, and the names that are gone."""

    columns: Mapping[str, Sequence[Any]]
    gone: Sequence[str] = ()

    @property
    def names(self) -> Sequence[str]:
        """The names of its rows, ascending."""
        return self.columns["name"]

    def row(self, at: int, keys: Iterable[str]) -> Row:
        """Return some columns of one of its rows, from 0."""
        return {key: self.columns[key][at] for key in keys}

    def rows_with(self, column: str, accept: Callable[[str], bool]) -> set[int]:
        """Return the numbers of the rows with an accepted value in a column."""
        cells = self.columns[column]
        if isinstance(cells, Cells):
            return cells.rows_with(accept)
        each = ([cell] if isinstance(cell, str) else cell for cell in cells)
        return {at for at, values in enumerate(each) if any(map(accept, values))}

    def rows(self) -> dict[str, Row]:
        """Return its rows by name."""
        keys = tuple(self.columns)
        each = zip(*self.columns.values(), strict=True)
        return {
            row["name"]: row for row in (dict(zip(keys, values, strict=True)) for values in each)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What a search reads: segments, the oldest first, and the registry's own `synonyms`."""

    segments: Sequence[Segment]
    synonyms: Sequence[str] = ()


def write_segment(rows: Mapping[str, Row], gone: Iterable[str] = ()) -> bytes:
    """Return the canonical JSON of a segment with these rows, which removes the names `gone`."""
    found = [rows[name] for name in sorted(rows)]
    return canonical(
        {
            "schema": SEGMENT_SCHEMA,
            "count": len(found),
            **{key: [row[key] for row in found] for key in (*_TEXTS, "deprecated")},
            **{key: [row.get(key, "") for row in found] for key in _NEWER_TEXTS},
            **{key: _coded([[row[key]] for row in found]) for key in _ONE},
            **{key: _coded([row.get(key, ()) for row in found]) for key in _MANY},
            "gone": sorted(gone),
        }
    )


def _coded(cells: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return a column with a set of values per row, each value stored once."""
    values = sorted({value for cell in cells for value in cell})
    at = {value: index for index, value in enumerate(values)}
    return {"values": values, "rows": [[at[value] for value in cell] for cell in cells]}


def read_segment(data: bytes, entry_class: str | None = None) -> Segment:
    """Return the segment in `data`, verified bytes; of the former layout, the shard of a class.

    Raises:
        TrustError: TRUST_METADATA: it is not a strict segment, or the shard of another class.
        UnavailableError: NEWER_FORMAT.
    """
    try:
        value = strict_value(data)
        check_schema(value["schema"], SEGMENT_SCHEMA if entry_class is None else SHARD_SCHEMA)
        columns: dict[str, Sequence[Any]] = {key: _texts(value[key]) for key in _TEXTS}
        if entry_class is not None:
            if value["shard"] != entry_class:
                raise ValueError(f"it is the catalogue of {value['shard']!r}")  # noqa: TRY301 - one message below
            columns["class"] = [entry_class] * len(columns["name"])
        one = [key for key in _ONE if key not in columns]
        columns |= {key: ["".join(cell) for cell in _decoded(value[key])] for key in one}
        columns |= {key: _decoded(value[key]) for key in _MANY if key in value or key == "tags"}
        columns |= {key: _texts(value[key]) for key in _NEWER_TEXTS if key in value}
        columns["deprecated"] = [x if isinstance(x, str) else None for x in value["deprecated"]]
        gone = _texts(value.get("gone", []))
        if {len(column) for column in columns.values()} != {value["count"]}:
            raise ValueError("its columns differ in length")  # noqa: TRY301 - one message below
        if not all(map(is_name, (*columns["name"], *gone))):
            raise ValueError("it lists an invalid name")  # noqa: TRY301 - one message below
    except (TrustError, ValueError, KeyError, TypeError, IndexError) as error:
        raise malformed(str(error)) from error
    return Segment(columns=columns, gone=gone)


def check_segment(data: bytes) -> None:
    """Check that `data` is a segment, and that `read_checked_segment` reads the same in it.

    Raises:
        TrustError, UnavailableError: as `read_segment`.
    """
    whole, gone = read_segment(data), False
    try:
        found = read_checked_segment(data)
        same = all([*found.columns[key]] == [*whole.columns[key]] for key in whole.columns)
        gone = [*found.gone] == [*whole.gone]
    except (ValueError, KeyError, IndexError):
        same = False
    if not (same and gone):
        raise malformed("it can be read in two ways")


def read_checked_segment(data: bytes) -> Segment:
    """Return the segment in `data`, which `check_segment` has accepted before.

    Its columns are read when they are used: a search needs few of them.
    """
    columns = _CheckedColumns(data.decode())
    if not columns.are_canonical:
        return read_segment(data)
    return Segment(columns=columns, gone=columns.value("gone"))


class _CheckedColumns(Mapping[str, Sequence[Any]]):
    """The columns of a segment in canonical JSON, each parsed on its first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, Sequence[Any]] = {}
        self._places: dict[str, int] = {}
        at = 0
        for key in sorted((*_COLUMNS, "gone")):
            # No text in JSON contains a quote that is not escaped: this is a member.
            start = f'{"," if at else "{"}"{key}":'
            if (found := text.find(start, at)) >= 0:
                at = self._places[key] = found + len(start)
        self.are_canonical = len(self._places) > len(_COLUMNS) - len(_NEWER)

    def value(self, key: str) -> Any:
        """Return the value of a member."""
        return _DECODER.raw_decode(self._text, self._places[key])[0]

    def __getitem__(self, key: str) -> Sequence[Any]:
        if key not in self._found:
            self._found[key] = self._column(key)
        return self._found[key]

    def _column(self, key: str) -> Sequence[Any]:
        if key in _ONE or key in _MANY:
            start, one = self._places[key] + len('{"rows":['), key in _ONE
            end = self._text.index('],"values":', start)
            values = _DECODER.raw_decode(self._text, end + len('],"values":'))[0]
            return Cells(self._text[start:end], values, one=one)
        value: Sequence[Any] = self.value(key)
        return value if key != "deprecated" else [x if isinstance(x, str) else None for x in value]

    def __iter__(self) -> Iterator[str]:
        return (key for key in _COLUMNS if key in self._places)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Cells(Sequence[Any]):
    """A column with repeated values: `rows` are lists of the numbers of `values`, as JSON.

    Each cell is a tuple of values, or with `one` a value.
    """

    def __init__(self, rows: str, values: Sequence[str], *, one: bool) -> None:
        self._rows = rows[1:-1].split("],[") if rows else []
        self._values, self._one = values, one

    def __getitem__(self, at: Any) -> Any:
        cell = tuple(self._values[int(number)] for number in self._rows[at].split(",") if number)
        return "".join(cell) if self._one else cell

    def __len__(self) -> int:
        return len(self._rows)

    def rows_with(self, accept: Callable[[str], bool]) -> set[int]:
        """Return the numbers of the rows that have an accepted value."""
        numbers = {str(number) for number, value in enumerate(self._values) if accept(value)}
        each = enumerate(self._rows) if numbers else ()
        return {at for at, row in each if not numbers.isdisjoint(row.split(","))}


def check_schema(found: Any, known: str, needs: str = "") -> None:
    """Check that `found` is the schema `known`; `needs` is the version of psreg that reads `found`.

    Raises:
        ValueError: it is another schema.
        UnavailableError: NEWER_FORMAT: it is a later version of it.
    """
    if is_later_schema(found, known):
        error = newer_format(f"the registry's catalogue has the format {found}")
        hint = f"Install psreg {needs} or newer."
        raise UnavailableError(error.code, error.message, hint) if is_version(needs) else error
    if found != known:
        raise ValueError(f"its schema is {found!r}")


def malformed(why: str) -> TrustError:
    """Return the error for a part of the catalogue that is not as it must be."""
    return TrustError("TRUST_METADATA", f"the registry's catalogue is malformed: {why}")


def _texts(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("a column is not a list of strings")
    return values


def _decoded(column: Any) -> list[tuple[str, ...]]:
    """Return the rows of a column with repeated values: numbers, or lists of them."""
    values = _texts(column["values"])
    rows = [row if isinstance(row, list) else [row] for row in column["rows"]]
    if any(number < 0 for row in rows for number in row):
        raise ValueError("a column points before its values")
    return [tuple(values[number] for number in row) for row in rows]


def live_rows(segments: Iterable[Segment]) -> Iterator[tuple[Segment, Sequence[int]]]:
    """Yield segments, the newest first, each with the numbers of the rows that are in force."""
    later: set[str] = set()
    for segment in reversed([*segments]):
        names = segment.names
        yield segment, [at for at, name in enumerate(names) if name not in later]
        later.update(names, segment.gone)


def folded_rows(segments: Iterable[Segment]) -> dict[str, Row]:
    """Return the rows of a catalogue by name, ascending; newer segments come later."""
    rows: dict[str, Row] = {}
    for segment in segments:
        rows |= segment.rows()
        for name in segment.gone:
            rows.pop(name, None)
    return dict(sorted(rows.items()))
