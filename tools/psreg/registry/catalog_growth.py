"""The catalogue after a publish: its head, a new segment, and what of former states may go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from psreg.registry.baseline import Store
from psreg.registry.catalog_head import (
    Head,
    RowChange,
    due,
    head_of,
    next_head,
    retire,
    segment_data,
)
from psreg.registry.records import PackageRecord
from psreg.registry.segments import read_segment, row_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    HEAD,
    METADATA_FOLDER,
    ROOT,
    TIMESTAMP,
    Target,
    metadata_path,
    role_and_version,
    target_path,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The bytes of the head and of new segments by path, and the paths of files to remove."""

    head: bytes
    segments: dict[str, bytes]
    removable: tuple[str, ...] = ()


def grow(  # noqa: PLR0917 - before, after, and the time
    state: RegistryState | None,
    previous: Mapping[str, PackageRecord],
    records: Mapping[str, PackageRecord],
    packages: Mapping[str, bytes],
    now: datetime,
    keep: timedelta,
    store: Store,
) -> Growth:
    """Return how the catalogue of `state`, with the records `previous`, grows to `records`.

    `packages` are the targets of the records. Files that the next state does not refer to are kept
    for the time `keep`, and until the current timestamp has expired. If no record changed, neither
    does the head.

    Raises:
        TrustError: a segment, or the head, is not as it was signed.
        UnavailableError: NEWER_FORMAT; a file cannot be read.
    """
    before = head_of(state) if state else None
    known = previous if before else {}  # the former layout has no rows
    changed = [name for name, record in records.items() if record != known.get(name)]
    if state and before and not changed:
        return Growth(head=state.catalog[HEAD].data, segments={})
    rows = {name: _row_change(known.get(name), records[name]) for name in changed}
    changes = {name: change for name, change in rows.items() if change.was != change.now}
    head, segments = before or Head(), {}
    # All of them are compared with their digest: nothing that was altered is listed again.
    live = {segment: segment_data(segment, store.read) for segment in head.segments}
    if changes:
        head, data = next_head(head, changes, lambda segment: read_segment(live[segment]))
        segments[head.segments[-1].path] = data
    if state:
        until = max(now + keep, state.documents[TIMESTAMP].expires)
        head = retire(head, _superseded(state, before, packages, store), until, now)
    data = replace(head, version=head.version + 1).to_bytes()
    return Growth(head=data, segments=segments, removable=due(before, now) if before else ())


def _row_change(before: PackageRecord | None, now: PackageRecord) -> RowChange:
    return RowChange(was=row_of(before) if before else None, now=row_of(now))


def _superseded(
    state: RegistryState, before: Head | None, packages: Mapping[str, bytes], store: Store
) -> Iterator[str]:
    """Yield the paths that the next state does not refer to: old targets, segments, metadata.

    The metadata that this publish replaces is found by the next one.
    """
    for path, target in state.targets.items():
        if path not in packages or Target.of(packages[path]) != target:
            yield target_path(path, target.sha256)
    for segment in before.segments if before else ():
        yield segment.path  # `retire` leaves out those that stay live
    for name in store.names(METADATA_FOLDER):
        role, version = role_and_version(name) or (ROOT, 0)
        if role != ROOT and version < state.versions.get(role, 0):
            yield metadata_path(role, version)
