"""Decides which metadata must be signed again, and in which order it is written.

Pure: returns documents and writes nothing. A file comes after everything that it names, so
`timestamp.json` is last; until it is written, the old state is current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from psreg.registry.trust.metadata import MODES, Document, MetadataSigner
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
    state: RegistryState | None,
    root: Document,
    wanted: Mapping[str, Target],
    signer: MetadataSigner,
) -> tuple[Document, ...]:
    """Return the documents that make `wanted` the registry's targets; () if nothing changes.

    Only bins whose targets changed are signed again, not the roles that delegate to them; and all
    documents that do not name their role, as older versions of psreg signed them. `state` is None
    if nothing has been published yet.

    Raises:
        TrustError: KEY_MISSING.
    """
    if state is None:
        targets = signer.first_targets(root)
        releases = signer.first_releases(targets, root)
        bins = [signer.next_bin(n, t, releases, None) for n, t in _by_bin(wanted).items()]
        return _make_current({}, root, [*bins, releases, targets], signer)
    was = _by_bin(state.targets)
    before = state.documents
    changed = [
        signer.next_bin(name, targets, before[RELEASES], before[name])
        for name, targets in _by_bin(wanted).items()
        if targets != was[name] or not before[name].bound
    ]
    delegators = ((RELEASES, TARGETS), (TARGETS, ROOT))
    changed += [
        signer.renewed(before[role], before[delegator])
        for role, delegator in delegators
        if not before[role].bound
    ]
    return _make_current(before, root, changed, signer) if changed else ()


def renew(state: RegistryState, now: datetime, signer: MetadataSigner) -> tuple[Document, ...]:
    """Return the documents that renew the signatures of `state` without other changes.

    Every role that is due is renewed, the timestamp always; the root only if its key is an ordinary
    file (mode `dev`). () if the timestamp already lasts as long as a new one would.

    Raises:
        TrustError: KEY_MISSING.
    """
    fresh = dict(state.documents)

    def renew_if_due(role: str, delegator: str) -> list[Document]:
        if not is_due(fresh[role].expires, now):
            return []
        fresh[role] = signer.renewed(fresh[role], fresh[delegator])
        return [fresh[role]]

    roots = renew_if_due(ROOT, ROOT) if state.mode == MODES[0] else []
    targets = renew_if_due(TARGETS, ROOT)
    releases = renew_if_due(RELEASES, TARGETS)
    bins = [document for name in BINS for document in renew_if_due(name, RELEASES)]
    changed = [*bins, *releases, *targets]
    if changed or is_due(fresh[SNAPSHOT].expires, now):
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer))
    if not roots and fresh[TIMESTAMP].expires >= signer.expires:
        return ()
    timestamp = signer.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
    return (*roots, timestamp)


def _make_current(
    before: Mapping[str, Document],
    root: Document,
    changed: Iterable[Document],
    signer: MetadataSigner,
) -> tuple[Document, ...]:
    """Return `changed`, then the snapshot that lists them and the timestamp that names it."""
    documents = tuple(changed)
    snapshot = signer.next_snapshot(documents, root, before.get(SNAPSHOT))
    return (*documents, snapshot, signer.next_timestamp(snapshot, root, before.get(TIMESTAMP)))


def _by_bin(targets: Mapping[str, Target]) -> dict[str, dict[str, Target]]:
    """Return the targets of every bin."""
    bins: dict[str, dict[str, Target]] = {name: {} for name in BINS}
    for path, target in targets.items():
        bins[bin_of(path)][path] = target
    return bins
