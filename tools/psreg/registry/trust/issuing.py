"""Decides which metadata must be signed again, and in which order it is written.

Pure: returns documents and writes nothing. A file comes after everything that it names, so
`timestamp.json` is last; until it is written, the old state is current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from psreg.registry.trust.metadata import Document, MetadataSigner
from psreg.registry.trust.reading import RegistryState, targets_in
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
    shares: dict[str, dict[str, Target]] = {name: {} for name in BINS}
    for path, target in wanted.items():
        shares[bin_of(path)][path] = target
    bins = [signer.next_bin(n, t, releases, None) for n, t in shares.items()]
    first = min(each.expires for each in bins)
    return _make_current({}, root, [*bins, releases, targets], signer, first)


def issue(
    state: RegistryState, changes: Mapping[str, Target | None], signer: MetadataSigner
) -> tuple[Document, ...]:
    """Return the documents that change the registry's targets; () if nothing changes.

    `changes` are new targets by path; None removes one. Only bins whose targets change are read and
    signed again, every document that is due, and those that do not name their role, as older
    versions of psreg signed them.

    Raises:
        TrustError: KEY_MISSING, also if the key of a role that is due is missing.
    """
    renewal = _Renewal(state, signer, everything=True)
    roots = renewal.roles((ROOT, ROOT))
    delegators = renewal.roles((TARGETS, ROOT), (RELEASES, TARGETS))
    bins = renewal.bins(changes)
    fresh, changed = renewal.fresh, [*bins, *reversed(delegators)]
    if changed or signer.is_due(fresh[SNAPSHOT]):
        expire = renewal.bins_expire()
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer, expire))
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
    changed = [*renewal.bins({}), *reversed(delegators)]
    fresh = renewal.fresh
    if changed or renewal.wants(SNAPSHOT, ROOT):
        expire = renewal.bins_expire()
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer, expire))
    timestamp = signer.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
    lasts = not roots and fresh[TIMESTAMP].expires >= timestamp.expires
    return () if lasts else (*roots, timestamp)


class _Renewal:
    """The documents of a registry while they are renewed; `fresh` are the newest ones by role.

    With `everything`, a missing key is an error, also before a document expires. Bins are read only
    where one may have to be signed again.
    """

    def __init__(self, state: RegistryState, signer: MetadataSigner, *, everything: bool) -> None:
        top = (ROOT, TARGETS, RELEASES, SNAPSHOT, TIMESTAMP)
        self.fresh = {role: state.documents[role] for role in top}
        self._state = state
        self._signer = signer
        self._everything = everything
        self._reads_all = signer.may_have_due_bins(self.fresh[SNAPSHOT])

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

    def bins(self, changes: Mapping[str, Target | None]) -> list[Document]:
        """Return the bins in which targets change, and the renewed ones."""
        changing: dict[str, dict[str, Target | None]] = {}
        for path, target in changes.items():
            changing.setdefault(bin_of(path), {})[path] = target
        found = []
        for name in BINS if self._reads_all else sorted(changing):
            self.fresh[name] = self._state.documents[name]
            was = targets_in(self.fresh[name])
            now = {p: t for p, t in (was | changing.get(name, {})).items() if t}
            if now != was:
                releases = self.fresh[RELEASES]
                self.fresh[name] = self._signer.next_bin(name, now, releases, self.fresh[name])
                found.append(self.fresh[name])
            else:
                found += self.roles((name, RELEASES))
        return found

    def bins_expire(self) -> datetime | None:
        """Return a time before which no bin expires, after `bins`; the exact one if all are read.

        What is signed is the same however the bins were read.
        """
        known = None if self._reads_all else self.fresh[SNAPSHOT].bins_expire
        times = [self.fresh[name].expires for name in BINS if name in self.fresh]
        return min([*times, known] if known else times)


def _make_current(
    before: Mapping[str, Document],
    root: Document,
    changed: Iterable[Document],
    signer: MetadataSigner,
    bins_expire: datetime | None,
) -> tuple[Document, ...]:
    """Return `changed`, then the snapshot that lists them and the timestamp that names it."""
    documents = tuple(changed)
    snapshot = signer.next_snapshot(documents, root, before.get(SNAPSHOT), bins_expire)
    return (*documents, snapshot, signer.next_timestamp(snapshot, root, before.get(TIMESTAMP)))
