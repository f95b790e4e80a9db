"""Catalogue shards: what search and the site need about all entries of a class, by column.

A shard is a class folder. Each column has one element per entry, and entries are sorted by name. A
column with repeated values is `{"values": sorted, "rows": indexes}`. The column `protocol` exists
only if a release declares one. Each entry shows its latest release (`PackageRecord.latest`).
Shards are signed bytes: nothing in them is computed elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psreg.formats.json.canonical import canonical
from psreg.formats.protocol_versions import STUB
from psreg.registry.records import PackageRecord, ReleaseRecord

SCHEMA = "psreg.catalog/1"


def catalog_shards(records: Mapping[str, PackageRecord]) -> Mapping[str, bytes]:
    """Return the canonical JSON of each class that has an entry with a release, by class."""
    shards: dict[str, list[tuple[PackageRecord, ReleaseRecord]]] = {}
    for name in sorted(records):
        record = records[name]
        if latest := record.latest:
            shards.setdefault(record.entry_class, []).append((record, latest))
    return {shard: canonical(_shard(shard, shards[shard])) for shard in sorted(shards)}


def _shard(shard: str, entries: Sequence[tuple[PackageRecord, ReleaseRecord]]) -> dict[str, Any]:
    releases = [release for _, release in entries]
    protocols = [_protocols(release) for release in releases]
    return {
        "schema": SCHEMA,
        "shard": shard,
        "count": len(entries),
        "name": [record.name for record, _ in entries],
        "version": [release.version for release in releases],
        "summary": [release.text("summary") for release in releases],
        "use_case": [release.text("use_case") for release in releases],
        "date": [release.date for release in releases],
        "sha256": [release.sha256 for release in releases],
        "tags": _many(release.texts("tags") for release in releases),
        "license": _one(release.text("license") for release in releases),
        "language": _many(release.texts("languages") for release in releases),
        "platform": _many(_platforms(release) for release in releases),
        "deprecated": [_reason(record) for record, _ in entries],
        **({"protocol": _many(protocols)} if any(protocols) else {}),
    }


def _one(column: Iterable[str]) -> dict[str, Any]:
    """Return a column with one value per entry, each value stored once."""
    cells = list(column)
    values = sorted(set(cells))
    at = {value: index for index, value in enumerate(values)}
    return {"values": values, "rows": [at[cell] for cell in cells]}


def _many(column: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return a column with a set of values per entry, each value stored once."""
    cells = list(column)
    values = sorted({value for cell in cells for value in cell})
    at = {value: index for index, value in enumerate(values)}
    return {"values": values, "rows": [sorted({at[value] for value in cell}) for cell in cells]}


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
    return list(declared) if isinstance(declared, dict) else []


def _reason(record: PackageRecord) -> str | None:
    if record.deprecated is None:
        return None
    reason = record.deprecated.get("reason")
    return reason if isinstance(reason, str) else ""
