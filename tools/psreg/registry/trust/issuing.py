"""Which metadata has to be signed anew, and in which order it is to be written.

Pure: documents come back, nothing is written. The order is that of DESIGN §3: whatever is named
by a file comes before it, `timestamp.json` last; until that one stands, the old state is in force.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from psreg.registry.trust.metadata import MODES, Document, Notary
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    BINS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Target,
    bin_of,
    is_due,
)


def issue(
    state: RegistryState | None, root: Document, wanted: Mapping[str, Target], notary: Notary
) -> tuple[Document, ...]:
    """Return the documents that make `wanted` the registry's targets; () if they are that already.

    Only bins whose targets changed are signed anew, not the roles that delegate to them. `state`
    is None where nothing is in force yet.

    Raises:
        TrustError: KEY_MISSING.
    """
    if state is None:
        targets = notary.first_targets(root)
        releases = notary.first_releases(targets, root)
        bins = [notary.next_bin(n, t, releases, None) for n, t in _by_bin(wanted).items()]
        return _put_in_force({}, root, [*bins, releases, targets], notary)
    was = _by_bin(state.targets)
    before = state.documents
    changed = [
        notary.next_bin(name, targets, before[RELEASES], before[name])
        for name, targets in _by_bin(wanted).items()
        if targets != was[name]
    ]
    return _put_in_force(before, root, changed, notary) if changed else ()


def renew(state: RegistryState, now: datetime, notary: Notary) -> tuple[Document, ...]:
    """Return the documents that keep `state` in force for longer, nothing else changed.

    Every role that is due is renewed, the timestamp always; the root only where its key is an
    ordinary file (mode `dev`). () if the timestamp already lasts as long as a new one would.

    Raises:
        TrustError: KEY_MISSING.
    """
    fresh = dict(state.documents)

    def renew_if_due(role: str, delegator: str) -> list[Document]:
        if not is_due(fresh[role].expires, now):
            return []
        fresh[role] = notary.renewed(fresh[role], fresh[delegator])
        return [fresh[role]]

    roots = renew_if_due(ROOT, ROOT) if state.mode == MODES[0] else []
    targets = renew_if_due(TARGETS, ROOT)
    releases = renew_if_due(RELEASES, TARGETS)
    bins = [document for name in BINS for document in renew_if_due(name, RELEASES)]
    changed = [*bins, *releases, *targets]
    if changed or is_due(fresh[SNAPSHOT].expires, now):
        return (*roots, *_put_in_force(fresh, fresh[ROOT], changed, notary))
    if not roots and fresh[TIMESTAMP].expires >= notary.expires:
        return ()
    timestamp = notary.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
    return (*roots, timestamp)


def _put_in_force(
    before: Mapping[str, Document], root: Document, changed: Iterable[Document], notary: Notary
) -> tuple[Document, ...]:
    """Return `changed`, then the snapshot that lists them and the timestamp that names it."""
    documents = tuple(changed)
    snapshot = notary.next_snapshot(documents, root, before.get(SNAPSHOT))
    return (*documents, snapshot, notary.next_timestamp(snapshot, root, before.get(TIMESTAMP)))


def _by_bin(targets: Mapping[str, Target]) -> dict[str, dict[str, Target]]:
    """Return bin → its targets, for all bins."""
    bins: dict[str, dict[str, Target]] = {name: {} for name in BINS}
    for path, target in targets.items():
        bins[bin_of(path)][path] = target
    return bins
