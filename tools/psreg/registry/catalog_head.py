"""The head of the catalogue: it lists the live segments, and grows by the rows that changed.

A publish writes one small segment, merged with the newest ones that are not at least twice as
large, so that at most about log2 of the number of names are live, besides full ones. Segments are
named by their digest and immutable; only the head is a target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from psreg.core.errors import TrustError
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.chain import NOTHING, Published
from psreg.registry.catalog_segments import Row, Segment, check_schema, malformed, write_segment
from psreg.registry.json_members import Members, as_text
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import HEAD, SEGMENT_FOLDER, Target
from psreg.registry.trust.strict_json import strict_value

SCHEMA = "psreg.head/1"

NEEDS = "0.2.0"
"""The first version of psreg that reads this layout; a head says so to older ones."""

MOST_ROWS = 50_000
"""How many rows a segment has at most: about 30 MB, half of what a client reads."""

_FACETS = ("class", "license", "language", "platform", "protocol")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRef:
    """A segment as the head lists it; `count` is the number of its rows and removed names."""

    target: Target
    count: int

    @property
    def path(self) -> str:
        """Its path in the registry."""
        return f"{SEGMENT_FOLDER}/{self.target.sha256}.json"

    @classmethod
    def from_json(cls, value: Any) -> SegmentRef:
        """Read one element of `segments`. Raises ValueError on another shape."""
        members = Members(value, "a segment")
        target = Target(length=members.integer("length"), sha256=members.digest("sha256"))
        return cls(target=target, count=members.integer("count"))

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {"sha256": self.target.sha256, "length": self.target.length, "count": self.count}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head: its segments, the oldest first, the number of rows, and counts per facet.

    `version` increases with every change. `inputs` are digests of what the records were computed
    from besides the entries, by name; `latest` is the newest date of a release. Older heads have
    neither, and their segments fewer columns. `actions` are those that were taken over. `synonyms`
    are the lines that the search of the registry knows besides those of psreg.
    """

    version: int = 0
    count: int = 0
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    segments: tuple[SegmentRef, ...] = ()
    inputs: Mapping[str, str] | None = None
    latest: str = ""
    actions: Published = NOTHING
    synonyms: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: Any) -> Head:
        """Read a head. Raises ValueError on another shape."""
        members = Members(value, "the head")
        facets = members.object("facets")
        return cls(
            version=members.integer("version"),
            count=members.integer("count"),
            facets={facet: _counts(counts) for facet, counts in facets.items()},
            segments=tuple(map(SegmentRef.from_json, members.array("segments"))),
            inputs=_inputs(members.object("inputs")) if "inputs" in value else None,
            latest=members.text("latest") if "latest" in value else "",
            actions=_published(members.object("actions")) if "actions" in value else NOTHING,
            synonyms=tuple(as_text(one, "a synonym") for one in members.optional_array("synonyms")),
        )

    def to_bytes(self) -> bytes:
        """Return the canonical JSON that is signed."""
        return canonical(
            {
                "schema": SCHEMA,
                "needs": NEEDS,
                "version": self.version,
                "count": self.count,
                "facets": {facet: dict(counts) for facet, counts in self.facets.items()},
                "segments": [each.to_json() for each in self.segments],
                **({} if self.inputs is None else {"inputs": dict(self.inputs)}),
                **({"latest": self.latest} if self.latest else {}),
                **({"actions": asdict(self.actions)} if self.actions.count else {}),
                **({"synonyms": list(self.synonyms)} if self.synonyms else {}),
            }
        )


ACTIONS = "actions"
"""The input that only concerns the names that it is about."""


def changed_inputs(signed: Mapping[str, str] | None, inputs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the inputs, but for the actions, that are not as they were signed."""
    signed = signed or {}
    names = dict.fromkeys([*inputs, *signed])
    return tuple(each for each in names if each != ACTIONS and signed.get(each) != inputs.get(each))


def _published(value: Any) -> Published:
    members = Members(value, "the actions")
    return Published(count=members.integer("count"), last=members.digest("last"))


def _counts(value: Any) -> dict[str, int]:
    counts = Members(value, "a facet").left
    if any(type(number) is not int for number in counts.values()):
        raise ValueError("a facet: a count is not an integer")
    return counts


def _inputs(value: Mapping[str, Any]) -> dict[str, str]:
    members = Members(value, "the inputs")
    return {name: members.digest(name) for name in value}


def read_head(data: bytes) -> Head:
    """Return the head in `data`, the verified bytes of its target.

    Raises:
        TrustError: TRUST_METADATA: it is not a strict head.
        UnavailableError: NEWER_FORMAT; the hint says which psreg reads it.
    """
    try:
        value = strict_value(data)
        needs = value.get("needs")
        check_schema(value["schema"], SCHEMA, needs if isinstance(needs, str) else "")
        return Head.from_json(value)
    except (TrustError, ValueError, KeyError, AttributeError) as error:
        raise malformed(str(error)) from error


def head_of(state: RegistryState) -> Head | None:
    """Return the head in a verified state; None if it has the former layout. As `read_head`."""
    signed = state.catalog.get(HEAD)
    return read_head(signed.data) if signed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """What the row of a name was and is; None for no row."""

    was: Row | None
    now: Row | None


def next_head(
    before: Head,
    changes: Mapping[str, RowChange],
    read: Callable[[SegmentRef], Segment],
    most: int = MOST_ROWS,
) -> tuple[Head, list[bytes]]:
    """Return the head after `changes` by name, at least one, and the bytes of its new segments.

    `read` reads a live segment that is merged; a segment has `most` rows. If more rows than that,
    and than there are names, have been replaced, all segments are merged. The
    version stays the same.
    """
    rows = {name: each.now for name, each in changes.items() if each.now is not None}
    gone = {name for name in changes if name not in rows}
    were = sum(each.was is not None for each in changes.values())
    count = before.count + len(rows) - were
    kept = list(before.segments)
    stale = sum(each.count for each in kept) + len(changes) - count
    whole = stale > max(count, most)
    while kept and (whole or _is_to_merge(kept[-1].count, len(rows) + len(gone), most)):
        older = read(kept.pop())
        rows = {n: row for n, row in older.rows().items() if n not in gone} | rows
        gone |= {name for name in older.gone if name not in rows}
    if not kept:
        gone.clear()  # there is nothing to remove them from
    names = sorted(rows)
    parts = [names[at : at + most] for at in range(0, len(names), most)] or [[]]
    removed = [*[()] * (len(parts) - 1), gone]
    data = [
        write_segment({name: rows[name] for name in part}, less)
        for part, less in zip(parts, removed, strict=True)
    ]
    new = (
        SegmentRef(target=Target.of(each), count=len(part) + len(less))
        for each, part, less in zip(data, parts, removed, strict=True)
    )
    facets = _facets(before, changes.values())
    return replace(before, count=count, facets=facets, segments=(*kept, *new)), data


def _is_to_merge(older: int, newer: int, most: int) -> bool:
    """Return whether a segment with `older` rows is merged with `newer` ones."""
    return older < 2 * newer and older + newer <= most


def _facets(before: Head, changes: Iterable[RowChange]) -> dict[str, dict[str, int]]:
    """Return the counts per facet after `changes`."""
    facets = {facet: Counter(before.facets.get(facet, {})) for facet in _FACETS}
    for change in changes:
        for facet, counts in facets.items():
            counts.subtract(_values(change.was, facet))
            counts.update(_values(change.now, facet))
    return {facet: {v: n for v, n in counts.items() if n > 0} for facet, counts in facets.items()}


def _values(row: Row | None, facet: str) -> Iterable[str]:
    value = () if row is None else row[facet]
    return (value,) if isinstance(value, str) else value


def segment_data(segment: SegmentRef, read: Callable[[str], bytes | None]) -> bytes:
    """Return the verified bytes of a live segment; `read` reads a path in the registry.

    Raises:
        TrustError: TRUST_MIXED (it is missing) or TRUST_DIGEST.
    """
    data = read(segment.path)
    if data is None:
        raise TrustError("TRUST_MIXED", f"{segment.path} is missing", _RESTORE)
    if Target.of(data) != segment.target:
        raise TrustError(
            "TRUST_DIGEST", f"{segment.path} is not the file that was signed", _RESTORE
        )
    return data


_RESTORE = "Restore the registry's files from Git or from a mirror."
