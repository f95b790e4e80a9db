"""Decides which metadata must be signed again, and in which order it is written.

Pure: returns documents and writes nothing. A file comes after everything that it names, so
`timestamp.json` is last; until it is written, the old state is current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar

from psreg.registry.trust.metadata import Document, MetadataSigner
from psreg.registry.trust.reading import RegistryState, targets_in
from psreg.registry.trust.roles import (
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Bins,
    Target,
    is_in_releases,
)

_T = TypeVar("_T", Target, Target | None)


def issue_first(
    root: Document, wanted: Mapping[str, Target], signer: MetadataSigner, names: int
) -> tuple[Document, ...]:
    """Return the documents that make `wanted` the targets of a new registry, but for `root`.

    `names` is how many names there are.

    Raises:
        TrustError: KEY_MISSING.
    """
    targets, below = signer.first_targets(root), Bins.for_names(names)
    shares = _shares(wanted, below)
    releases = signer.first_releases(shares.pop(RELEASES, {}), below, targets, root)
    bins = [signer.next_bin(n, shares.get(n, {}), releases, None) for n in below.roles]
    first = min(each.expires for each in bins)
    return _make_current({}, root, [*bins, releases, targets], signer, first)


def _shares(targets: Mapping[str, _T], bins: Bins) -> dict[str, dict[str, _T]]:
    """Return targets by the role that is to list them."""
    shares: dict[str, dict[str, _T]] = {}
    for path, target in targets.items():
        role = RELEASES if is_in_releases(path) else bins.of(path)
        shares.setdefault(role, {})[path] = target
    return shares


def issue(
    state: RegistryState,
    changes: Mapping[str, Target | None],
    signer: MetadataSigner,
    names: int = 0,
) -> tuple[Document, ...]:
    """Return the documents that change the registry's targets; () if nothing changes.

    `changes` are new targets by path; None removes one. Only roles whose targets change are signed
    again, every document that is due, and those that do not name their role, as older versions of
    psreg signed them. If the registry has too few bins for the number of `names`, all targets move
    to more bins. Bins are read only if they are signed again.

    Raises:
        TrustError: KEY_MISSING, also if the key of a role that is due is missing.
    """
    renewal = _Renewal(state, signer, everything=True)
    roots, targets = renewal.roles((ROOT, ROOT)), renewal.roles((TARGETS, ROOT))
    wanted = Bins.for_names(names)
    if wanted.bits > state.bins.bits:
        below = renewal.more_bins(changes, wanted)
    else:
        below = renewal.listing(changes)
    fresh, changed = renewal.fresh, [*below, *targets]
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
    targets = renewal.roles((TARGETS, ROOT))
    changed = [*renewal.listing({}), *targets]
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
    where one may have to be signed again, or where all of them move.
    """

    def __init__(self, state: RegistryState, signer: MetadataSigner, *, everything: bool) -> None:
        top = (ROOT, TARGETS, RELEASES, SNAPSHOT, TIMESTAMP)
        self.fresh = {role: state.documents[role] for role in top}
        self._state, self._bins = state, state.bins
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

    def listing(self, changes: Mapping[str, Target | None]) -> list[Document]:
        """Return `releases` and the bins in which targets change, and those that are renewed."""
        shares, listed = _shares(changes, self._bins), targets_in(self.fresh[RELEASES])
        for path in shares.get(RELEASES, {}).keys() - listed.keys():
            shares.setdefault(self._bins.of(path), {})[path] = None  # psreg before 0.2 put it there
        above = self._changed(RELEASES, shares.get(RELEASES, {}))
        each = self._bins.roles if self._reads_all else sorted(shares.keys() - {RELEASES})
        bins = [bin_ for name in each for bin_ in self._changed(name, shares.get(name, {}))]
        return [*bins, *above]

    def _changed(self, role: str, changes: Mapping[str, Target | None]) -> list[Document]:
        """Return `releases` or a bin if targets in it change, or if it is renewed."""
        before = self.fresh[role] = self._state.documents[role]
        was = targets_in(before)
        now = {path: target for path, target in {**was, **changes}.items() if target}
        if now == was:
            return self.roles((role, TARGETS if role == RELEASES else RELEASES))
        above = self.fresh[TARGETS if role == RELEASES else RELEASES]
        if role == RELEASES:
            self.fresh[role] = self._signer.next_releases(now, self._bins, above, before)
        else:
            self.fresh[role] = self._signer.next_bin(role, now, above, before)
        return [self.fresh[role]]

    def more_bins(self, changes: Mapping[str, Target | None], bins: Bins) -> list[Document]:
        """Return `releases` and all of the new `bins`, with the targets of those before them."""
        targets = {p: t for p, t in {**self._state.targets, **changes}.items() if t}
        shares, self._bins, self._reads_all = _shares(targets, bins), bins, True
        listed, before = shares.get(RELEASES, {}), self.fresh[RELEASES]
        above = self._signer.next_releases(listed, bins, self.fresh[TARGETS], before)
        below = {n: self._signer.next_bin(n, shares.get(n, {}), above, None) for n in bins.roles}
        self.fresh |= {RELEASES: above, **below}
        return [*below.values(), above]

    def bins_expire(self) -> datetime | None:
        """Return a time before which no bin expires, after `bins`; the exact one if all are read.

        What is signed is the same however the bins were read.
        """
        known = None if self._reads_all else self.fresh[SNAPSHOT].bins_expire
        times = [self.fresh[name].expires for name in self._bins.roles if name in self.fresh]
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
