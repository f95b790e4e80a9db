"""The catalogue after a publish: its head, a new segment, and what of former states may go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from psreg.registry.actions.chain import NOTHING, Published
from psreg.registry.baseline import Store
from psreg.registry.catalog_head import (
    Head,
    RowChange,
    next_head,
    segment_data,
)
from psreg.registry.catalog_segments import read_segment, row_of
from psreg.registry.logged_releases import LoggedReleases
from psreg.registry.records import PackageRecord
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.retired_files import (
    RETIRED,
    read_retired,
    remove_due,
    retire,
    superseded_metadata,
    write_retired,
)
from psreg.registry.trust.roles import (
    HEAD,
    METADATA_FOLDER,
    TIMESTAMP,
    Target,
    catalog_target,
    target_path,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What records are computed from besides the entries: `inputs` by digest, and the actions.

    And the `synonyms` of the policy.
    """

    inputs: Mapping[str, str] | None
    actions: Published = NOTHING
    synonyms: tuple[str, ...] = ()

    @classmethod
    def of(cls, head: Head) -> Basis:
        """Return that of the records under a head."""
        return cls(inputs=head.inputs, actions=head.actions, synonyms=head.synonyms)

    def under(self, head: Head) -> Head:
        """Return a head with this basis."""
        return replace(head, inputs=self.inputs, actions=self.actions, synonyms=self.synonyms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The head, as bytes and read, new files by path, and the paths of files to remove.

    The new files are a segment and the list of what is retired.
    """

    head: Head
    data: bytes
    files: dict[str, bytes]
    removable: tuple[str, ...] = ()


def grow(  # noqa: PLR0917 - before, after, and the time
    state: RegistryState | None,
    before: Head | None,
    previous: Mapping[str, PackageRecord],
    log: LoggedReleases,
    signed: Mapping[str, bytes],
    now: datetime,
    keep: timedelta,
    store: Store,
    basis: Basis,
) -> Growth:
    """Return how the catalogue of `state` grows, from the records `previous` to those in `log`.

    `before` is its head. Both records may be about some names only, the others stay as they are,
    unless the catalogue has an older layout. `signed` are the targets besides the head. Files that
    the next state does not refer to are kept for the time `keep`, and until the current timestamp
    has expired. If neither a record nor the `basis` changed, neither does the head.

    Raises:
        TrustError: a segment, or the head, is not as it was signed.
        UnavailableError: NEWER_FORMAT; a file cannot be read.
    """
    records = log.records
    known = previous if is_current(before) else {}  # an older layout has no rows, or fewer columns
    changed = [name for name, record in records.items() if record != known.get(name)]
    if state and before and basis == Basis.of(before) and not changed:
        return Growth(head=before, data=state.catalog[HEAD].data, files={})
    rows = {name: _row_change(known.get(name), records[name]) for name in changed}
    changes = {name: change for name, change in rows.items() if change.was != change.now}
    head, files = _start(before), dict[str, bytes]()
    # All of them are compared with their digest: nothing that was altered is listed again.
    for segment in head.segments:
        segment_data(segment, store.read)
    if changes:
        head, new = next_head(
            head, changes, lambda each: read_segment(segment_data(each, store.read))
        )
        paths = [segment.path for segment in head.segments[-len(new) :]]
        files |= dict(zip(paths, new, strict=True))
    dates = [row.date for name in changed for row in records[name].releases]
    latest, version = max([head.latest, *dates]), head.version + 1
    head = basis.under(replace(head, latest=latest, version=version))
    if state is None:
        return Growth(head=head, data=head.to_bytes(), files=files)
    until = max(now + keep, state.documents[TIMESTAMP].expires)
    live = {segment.path for segment in head.segments} | log.live
    gone = [path for path in _superseded(state, before, signed, store) if path not in live]
    gone += sorted(log.superseded)
    listed = read_retired(store.read(RETIRED), state.versions[TIMESTAMP])
    left, removable = remove_due(state, retire(state, listed, gone, until), live, now)
    files[RETIRED] = write_retired(left)
    return Growth(head=head, data=head.to_bytes(), files=files, removable=tuple(removable))


def is_current(head: Head | None) -> bool:
    """Return whether a publish can add to the catalogue of `head`, and need not write it again."""
    return head is not None and head.inputs is not None


def _start(before: Head | None) -> Head:
    """Return the head that a publish adds to: an empty one after an older layout."""
    if before is None or is_current(before):
        return before or Head()
    return Head(version=before.version)


def _row_change(before: PackageRecord | None, now: PackageRecord) -> RowChange:
    return RowChange(was=row_of(before) if before else None, now=row_of(now))


def _superseded(
    state: RegistryState, before: Head | None, signed: Mapping[str, bytes], store: Store
) -> Iterator[str]:
    """Yield the paths that the next state does not refer to: old targets, segments, metadata.

    The metadata that this publish replaces is found by the next one.
    """
    shards = () if before else map(catalog_target, state.catalog)
    for path in (*shards, catalog_target(HEAD), *signed):
        target = state.targets.get(path)
        if target and (path not in signed or Target.of(signed[path]) != target):
            yield target_path(path, target.sha256)
    for segment in before.segments if before else ():
        yield segment.path
    yield from superseded_metadata(state, store.names(METADATA_FOLDER))
