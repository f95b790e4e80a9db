"""What a site was built from: the file in its folder from which the next build goes on.

Only what differs from it is built again. It is not signed: who can change it can change the pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from psreg.catalogue.pages.listing import Row
from psreg.catalogue.previewed_registry import PreviewedRegistry
from psreg.catalogue.served_registry import ServedRegistry
from psreg.registry.journal import Seen
from psreg.registry.trust.roles import Target

SCHEMA = "psreg.site-build/1"

_ABOUT = "Written by psreg site build, which replaces the whole folder."
_COLUMNS = tuple(each.name for each in fields(Row))
_values = attrgetter(*_COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An entry on the site: the digest of its record, and its row; None without a release."""

    sha256: str
    row: Row | None


Entries = Mapping[str, Mapping[str, Shown]]
"""Entries by name, in the bin that lists their records."""


def rows_of(entries: Entries) -> list[Row]:
    """Return the rows of all entries that lists show, sorted by name."""
    shown = (one.row for each in entries.values() for one in each.values())
    return sorted((row for row in shown if row and row.version), key=lambda row: row.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a site was built from.

    `fingerprint` is of everything but the registry's state. `frames` are the pages of mkdocs into
    which entries are filled, by path, and `pages` the folders of the pages without entries. `files`
    counts all files. `roles` are the digests of the metadata in force, by role; `registry` are the
    paths of the registry's files besides records. `seen` is which tree of Git was compared for the
    drafts.
    """

    fingerprint: str
    frames: Mapping[str, str]
    pages: tuple[str, ...]
    files: int = 0
    roles: Mapping[str, str] = field(default_factory=dict)
    entries: Entries = field(default_factory=dict)
    registry: frozenset[str] = frozenset()
    seen: Seen | None = None

    def to_bytes(self) -> bytes:
        """Return the file; the same state gives the same bytes."""
        value = {
            "about": _ABOUT,
            "schema": SCHEMA,
            "fingerprint": self.fingerprint,
            "files": self.files,
            "roles": self.roles,
            "entries": {
                role: {name: _to_json(one) for name, one in entries.items()}
                for role, entries in self.entries.items()
            },
            "registry": sorted(self.registry),
            **({"seen": self.seen.to_json()} if self.seen else {}),
            "frames": self.frames,
            "pages": self.pages,
        }
        found = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return f"{found}\n".encode()


def read_manifest(data: bytes) -> Manifest | None:
    """Return the manifest in `data`, None if it is something else or of another psreg."""
    try:
        value = json.loads(data)
        if value["schema"] != SCHEMA:
            return None
        return Manifest(
            fingerprint=value["fingerprint"],
            files=value["files"],
            roles=value["roles"],
            entries={
                role: {name: _shown(one) for name, one in entries.items()}
                for role, entries in value["entries"].items()
            },
            registry=frozenset(value["registry"]),
            seen=Seen.from_json(value.get("seen")),
            frames=value["frames"],
            pages=tuple(value["pages"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs from a former site.

    `changed` are the records that do, by name, `was` the entries that the changed bins had, and
    `listed` the records that they have; `kept` are the entries of the other bins.
    """

    changed: Mapping[str, Target]
    was: Mapping[str, Shown]
    listed: Mapping[str, Mapping[str, Target]]
    kept: Entries

    @classmethod
    def since(cls, before: Manifest, registry: ServedRegistry | PreviewedRegistry) -> Difference:
        """Compare a registry with a former site; bins that are the same are not verified again."""
        roles = registry.roles
        kept = {
            role: entries
            for role, entries in before.entries.items()
            if before.roles.get(role) == roles.get(role)
        }
        listed = {role: registry.records(role) for role in registry.bins if role not in kept}
        others = (entries for role, entries in before.entries.items() if role not in kept)
        was = {name: shown for entries in others for name, shown in entries.items()}
        return cls(
            changed={
                name: record
                for name, record in flat(listed).items()
                if name not in was or was[name].sha256 != record.sha256
            },
            was=was,
            listed=listed,
            kept=kept,
        )


def flat(listed: Mapping[str, Mapping[str, Target]]) -> dict[str, Target]:
    """Return the records of all bins by name."""
    return {name: record for records in listed.values() for name, record in records.items()}


def entries_of(
    listed: Mapping[str, Mapping[str, Target]], was: Mapping[str, Shown], rows: Mapping[str, Row]
) -> dict[str, dict[str, Shown]]:
    """Return the entries of bins; `rows` are those of the records that are not as they `were`."""
    return {
        role: {
            name: Shown(
                sha256=record.sha256,
                row=was[name].row
                if name in was and was[name].sha256 == record.sha256
                else rows.get(name),
            )
            for name, record in records.items()
        }
        for role, records in listed.items()
    }


def _to_json(one: Shown) -> list[Any]:
    return [one.sha256, *(_values(one.row) if one.row else ())]


def _shown(value: list[Any]) -> Shown:
    sha256, *values = value
    row = dict(zip(_COLUMNS, values, strict=True)) if values else None
    if row:
        row["tags"], row["requires"] = tuple(row["tags"]), tuple(row["requires"])
    return Shown(sha256=sha256, row=Row(**row) if row else None)
