"""Segments of the catalogue: what search and the site need about each name, column by column.

A row describes the latest release of a name (`PackageRecord.latest`). Each column has one element
per row, and rows are sorted by name; a column with repeated values is `{"values": sorted, "rows":
indexes}`. A row in a newer segment replaces that of the same name in an older one. `catalog_head`
lists the segments that are live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import is_name
from psreg.core.version import is_version
from psreg.formats.json.canonical import canonical
from psreg.formats.protocol_versions import STUB
from psreg.registry.records import PackageRecord, ReleaseRecord, is_later_schema, newer_format
from psreg.registry.trust.strict_json import strict_value

SEGMENT_SCHEMA = "psreg.segment/1"
SHARD_SCHEMA = "psreg.catalog/1"
"""The schema of the former layout: one target per class, in which no column tells the class."""

_TEXTS = ("name", "version", "summary", "use_case", "date", "sha256")
_ONE = ("class", "license")
_MANY = ("tags", "language", "platform", "protocol", "aliases", "owners")

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

    def rows(self) -> dict[str, Row]:
        """Return its rows by name."""
        keys = tuple(self.columns)
        each = zip(*self.columns.values(), strict=True)
        return {
            row["name"]: row for row in (dict(zip(keys, values, strict=True)) for values in each)
        }


def write_segment(rows: Mapping[str, Row], gone: Iterable[str] = ()) -> bytes:
    """Return the canonical JSON of a segment with these rows, which removes the names `gone`."""
    found = [rows[name] for name in sorted(rows)]
    return canonical(
        {
            "schema": SEGMENT_SCHEMA,
            "count": len(found),
            **{key: [row[key] for row in found] for key in (*_TEXTS, "deprecated")},
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
        columns["deprecated"] = [x if isinstance(x, str) else None for x in value["deprecated"]]
        gone = _texts(value.get("gone", []))
        if {len(column) for column in columns.values()} != {value["count"]}:
            raise ValueError("its columns differ in length")  # noqa: TRY301 - one message below
        if not all(map(is_name, (*columns["name"], *gone))):
            raise ValueError("it lists an invalid name")  # noqa: TRY301 - one message below
    except (TrustError, ValueError, KeyError, TypeError, IndexError) as error:
        raise malformed(str(error)) from error
    return Segment(columns=columns, gone=gone)


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


def folded_rows(segments: Iterable[Segment]) -> dict[str, Row]:
    """Return the rows of a catalogue by name, ascending; newer segments come later."""
    rows: dict[str, Row] = {}
    for segment in segments:
        rows |= segment.rows()
        for name in segment.gone:
            rows.pop(name, None)
    return dict(sorted(rows.items()))
