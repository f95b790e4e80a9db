"""Decides which metadata must be signed again, and in which order it is written.

Pure: returns documents and writes nothing. A file comes after everything that it names, so
`timestamp.json` is last; until it is written, the old state is current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psreg.registry.trust.metadata import Document, MetadataSigner
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
)


def issue_first(
    root: Document, wanted: Mapping[str, Target], signer: MetadataSigner
) -> tuple[Document, ...]:
    """Return the documents that make `wanted` the targets of a new registry, but for `root`.

    Raises:
        TrustError: KEY_MISSING.
    """
    targets = signer.first_targets(root)
    releases = signer.first_releases(targets, root)
    bins = [signer.next_bin(n, t, releases, None) for n, t in _by_bin(wanted).items()]
    return _make_current({}, root, [*bins, releases, targets], signer)


def issue(
    state: RegistryState, wanted: Mapping[str, Target], signer: MetadataSigner
) -> tuple[Document, ...]:
    """Return the documents that make `wanted` the registry's targets; () if nothing changes.

    Only bins whose targets changed are signed again, every document that is due, and those that do
    not name their role, as older versions of psreg signed them.

    Raises:
        TrustError: KEY_MISSING, also if the key of a role that is due is missing.
    """
    renewal = _Renewal(state, signer, everything=True)
    was, now = _by_bin(state.targets), _by_bin(wanted)
    roots = renewal.roles((ROOT, ROOT))
    delegators = renewal.roles((TARGETS, ROOT), (RELEASES, TARGETS))
    fresh, bins = renewal.fresh, []
    for name in BINS:
        if now[name] != was[name]:
            bins.append(signer.next_bin(name, now[name], fresh[RELEASES], fresh[name]))
        else:
            bins += renewal.roles((name, RELEASES))
    changed = [*bins, *reversed(delegators)]
    if changed or signer.is_due(fresh[SNAPSHOT]):
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer))
    if signer.is_due(fresh[TIMESTAMP]):
        timestamp = signer.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
        return (*roots, timestamp)
    return tuple(roots)


def renew(state: RegistryState, signer: MetadataSigner) -> tuple[Document, ...]:
    """Return the documents that renew the signatures of `state` without other changes.

    The timestamp is always renewed, and every role that is due and whose key is at hand; () if the
    timestamp already lasts as long as a new one would: a clock that is behind never shortens it.

    Raises:
        TrustError: KEY_MISSING, for the timestamp and for a role that has expired.
    """
    renewal = _Renewal(state, signer, everything=False)
    roots = renewal.roles((ROOT, ROOT))
    delegators = renewal.roles((TARGETS, ROOT), (RELEASES, TARGETS))
    changed = [*renewal.roles(*((name, RELEASES) for name in BINS)), *reversed(delegators)]
    fresh = renewal.fresh
    if changed or renewal.wants(SNAPSHOT, ROOT):
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer))
    timestamp = signer.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
    lasts = not roots and fresh[TIMESTAMP].expires >= timestamp.expires
    return () if lasts else (*roots, timestamp)


class _Renewal:
    """The documents of a registry while they are renewed; `fresh` are the newest ones by role.

    With `everything`, a missing key is an error, also before a document expires.
    """

    def __init__(self, state: RegistryState, signer: MetadataSigner, *, everything: bool) -> None:
        self.fresh = dict(state.documents)
        self._signer = signer
        self._everything = everything

    def wants(self, role: str, delegator: str) -> bool:
        """Return whether `role` has to be signed again, and can be."""
        document, signer = self.fresh[role], self._signer
        unbound = self._everything and role != ROOT and not document.bound
        if not unbound and not signer.is_due(document):
            return False
        overdue = self._everything or document.expires <= signer.now
        return overdue or signer.can_sign(self.fresh[delegator], role)

    def roles(self, *roles: tuple[str, str]) -> list[Document]:
        """Return the renewed documents of those (role, delegator) that are to be renewed."""
        renewed = []
        for role, delegator in roles:
            if self.wants(role, delegator):
                self.fresh[role] = self._signer.renewed(self.fresh[role], self.fresh[delegator])
                renewed.append(self.fresh[role])
        return renewed


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
