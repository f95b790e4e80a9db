"""Decides which metadata must be signed again, and in which order it is written.

Pure: returns documents and writes nothing. A file comes after everything that it names, so
`timestamp.json` is last; until it is written, the old state is current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from psreg.registry.trust.metadata import Document, MetadataSigner, accepts, has_keys_below
from psreg.registry.trust.reading import RegistryState, targets_in
from psreg.registry.trust.roles import (
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Bins,
    Target,
    above_bins_of,
    is_in_releases,
    is_offline,
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
    shares = _shares(wanted, {RELEASES: below})
    releases = signer.first_releases(shares.pop(RELEASES, {}), below, targets)
    bins = [signer.next_bin(n, shares.get(n, {}), releases, None) for n in below.roles]
    first = {RELEASES: min(each.expires for each in bins)}
    return _make_current({}, root, [*bins, releases, targets], signer, first)


def _shares(targets: Mapping[str, _T], bins: Mapping[str, Bins]) -> dict[str, dict[str, _T]]:
    """Return targets by the role that is to list them; `bins` are those below each role."""
    shares: dict[str, dict[str, _T]] = {}
    for path, target in targets.items():
        role = RELEASES if is_in_releases(path) else bins[above_bins_of(path)].of(path)
        shares.setdefault(role, {})[path] = target
    return shares


def issue(
    state: RegistryState,
    changes: Mapping[str, Target | None],
    signer: MetadataSigner,
    names: int = 0,
    owners_key: bytes = b"",
    *,
    drafts: Sequence[Document] = (),
    root_first: bool = False,
) -> tuple[Document, ...]:
    """Return the documents that change the registry's targets; () if nothing changes.

    `changes` are new targets by path; None removes one. Only roles whose targets change are signed
    again, every document that is due, and those that do not name their role, as older versions of
    psreg signed them. If the registry has too few bins for the number of `names`, all targets move
    to more bins. Bins are read only if they are signed again. `owners_key` is the PEM of the key
    with which the role `owners` begins, if there is none yet.
    `drafts` are documents that others have signed; they become current with the rest. Where
    `targets` then names other keys of `releases`, that role and its bins are signed with them.
    `root_first` is whether clients need a new root for something that the targets contain.

    Raises:
        TrustError: KEY_MISSING, also if the key of a role that is due is missing; that of `owners`
            is needed only if it has expired.
    """
    renewal = _Renewal(state, signer, everything=True)
    signed = renewal.take(drafts)
    follows = signed.pop(ROOT, None)
    roots = [] if follows else renewal.roles((ROOT, ROOT))
    shares: dict[str, dict[str, Target | None]] = {above: {} for above in renewal.bins}
    for path, target in changes.items():
        shares.setdefault(above_bins_of(path), {})[path] = target
    if owners_key:
        shares.setdefault(OWNERS, {})
    if shares.keys() > renewal.bins.keys():
        targets = [renewal.delegate_owners(owners_key)]
    else:
        targets = [] if TARGETS in signed else renewal.roles((TARGETS, ROOT))
    below = [*signed.values()]
    for above, share in shares.items():
        if above == OWNERS and signed:
            continue  # none of them may get two new versions at once
        wanted, has = Bins.for_names(names, above), renewal.bins.get(above)
        used = share or above == RELEASES
        if has is None or (wanted.bits > has.bits and used):
            below += renewal.all_bins(share, wanted)
        elif not has_keys_below(renewal.fresh[above], renewal.fresh[TARGETS]):
            below += renewal.all_bins(share, has)
        else:
            below += renewal.listing(above, share)
    current = renewal.current([*below, *targets])
    if follows:
        current = _in_order(state.root, follows, current, root_first=root_first)
    return (*roots, *current)


def _in_order(
    before: Document, root: Document, current: Sequence[Document], *, root_first: bool
) -> tuple[Document, ...]:
    """Return what becomes current with a new root in the order in which it is written.

    A client has one root or the other, and everything else as it is at the time. So what the new
    root requires comes first, as long as the one `before` accepts it, too. If the keys that sign
    so are gone, the root comes right before the timestamp: what is read between the two is refused.
    """
    top = (each for each in current if each.role in (TARGETS, SNAPSHOT, TIMESTAMP))
    if not root_first and all(accepts(before.signed, each) for each in top):
        return (*current, root)
    *others, timestamp = current
    return (*others, root, timestamp)


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
    below = [document for above in renewal.bins for document in renewal.listing(above, {})]
    changed = [*below, *targets]
    fresh = renewal.fresh
    if changed or renewal.wants(SNAPSHOT, ROOT):
        expire = renewal.bins_expire()
        return (*roots, *_make_current(fresh, fresh[ROOT], changed, signer, expire))
    timestamp = signer.next_timestamp(fresh[SNAPSHOT], fresh[ROOT], fresh[TIMESTAMP])
    lasts = not roots and fresh[TIMESTAMP].expires >= timestamp.expires
    return () if lasts else (*roots, timestamp)


class _Renewal:
    """The documents of a registry while they are renewed; `fresh` are the newest ones by role.

    `bins` are the hash bins by the role above them. With `everything`, a missing key is an error,
    also before a document expires, unless it may be kept elsewhere. Bins are read only where one
    may have to be signed again, or where all of them move.
    """

    def __init__(self, state: RegistryState, signer: MetadataSigner, *, everything: bool) -> None:
        self.bins = dict(state.bins_below)
        top = (ROOT, TARGETS, *self.bins, SNAPSHOT, TIMESTAMP)
        self.fresh = {role: state.documents[role] for role in top}
        self._state = state
        self._signer = signer
        self._everything = everything
        snapshot = self.fresh[SNAPSHOT]
        self._read = {role for role in self.bins if signer.may_have_due_bins(snapshot, role)}
        """The roles all of whose bins are read."""

    def take(self, drafts: Iterable[Document]) -> dict[str, Document]:
        """Take over what others have signed; return it by role."""
        signed = {document.role: document for document in drafts}
        if ROOT in signed:
            self._signer = replace(self._signer, former=self.fresh[ROOT])
        self.fresh |= signed
        return signed

    def current(self, changed: Sequence[Document]) -> tuple[Document, ...]:
        """Return `changed`, and the snapshot and the timestamp if they are needed or due."""
        fresh, root, signer = self.fresh, self.fresh[ROOT], self._signer
        if changed or self._is_stale(fresh[SNAPSHOT]):
            return _make_current(fresh, root, changed, signer, self.bins_expire())
        if self._is_stale(fresh[TIMESTAMP]):
            return (signer.next_timestamp(fresh[SNAPSHOT], root, fresh[TIMESTAMP]),)
        return ()

    def _is_stale(self, document: Document) -> bool:
        """Return whether a document is due, or not signed as a new root requires."""
        due = self._signer.is_due(document)
        return due or (
            self._signer.former is not None and not accepts(self.fresh[ROOT].signed, document)
        )

    def wants(self, role: str, delegator: str) -> bool:
        """Return whether `role` has to be signed again, and can be."""
        document, signer = self.fresh[role], self._signer
        unbound = self._everything and role != ROOT and not document.bound
        if not unbound and not signer.is_due(document):
            return False
        # The keys of the offline roles may be elsewhere, and their holders renew them.
        required = unbound or (self._everything and not is_offline(role))
        overdue = required or document.expires <= signer.now
        return overdue or signer.can_sign(self.fresh[delegator], role)

    def roles(self, *roles: tuple[str, str]) -> list[Document]:
        """Return the renewed documents of those (role, delegator) that are to be renewed."""
        renewed = []
        for role, delegator in roles:
            if self.wants(role, delegator):
                self.fresh[role] = self._signer.renewed(self.fresh[role], self.fresh[delegator])
                renewed.append(self.fresh[role])
        return renewed

    def delegate_owners(self, key: bytes) -> Document:
        """Return `targets`, which now delegates to `owners`."""
        root, before = self.fresh[ROOT], self.fresh[TARGETS]
        self.fresh[TARGETS] = self._signer.targets_with_owners(root, before, key)
        return self.fresh[TARGETS]

    def listing(self, above: str, changes: Mapping[str, Target | None]) -> list[Document]:
        """Return the role `above` and its bins in which targets change or that are renewed."""
        shares, bins = _shares(changes, self.bins), self.bins[above]
        if above == RELEASES:
            listed = targets_in(self.fresh[RELEASES])
            for path in shares.get(RELEASES, {}).keys() - listed.keys():
                shares.setdefault(bins.of(path), {})[path] = None  # psreg before 0.2 put it there
        on_top = self._changed(above, TARGETS, shares.get(above, {}))
        each = bins.roles if above in self._read else sorted(shares.keys() - {above})
        below = [one for name in each for one in self._changed(name, above, shares.get(name, {}))]
        return [*below, *on_top]

    def _changed(
        self, role: str, delegator: str, changes: Mapping[str, Target | None]
    ) -> list[Document]:
        """Return the document of a role if targets in it change, or if it is renewed."""
        before = self.fresh[role] = self._state.documents[role]
        was = targets_in(before)
        now = {path: target for path, target in {**was, **changes}.items() if target}
        if now == was:
            return self.roles((role, delegator))
        above = self.fresh[delegator]
        if delegator == TARGETS:
            self.fresh[role] = self._signer.next_above(now, self.bins[role], above, before)
        else:
            self.fresh[role] = self._signer.next_bin(role, now, above, before)
        return [self.fresh[role]]

    def all_bins(self, changes: Mapping[str, Target | None], bins: Bins) -> list[Document]:
        """Return the role above `bins`, and all of them, with the targets of those before.

        If there were none, the role begins. The keys are those that `targets` names.
        """
        above, signer, state = bins.above, self._signer, self._state
        every = (path for path in state.targets if above_bins_of(path) == above)
        known = {path: state.targets[path] for path in every} if above in self.bins else {}
        targets = {path: target for path, target in {**known, **changes}.items() if target}
        before = self.fresh.get(above)
        former = state.documents if self.bins.get(above) == bins else {}
        self.bins[above] = bins
        self._read.add(above)
        shares = _shares(targets, self.bins)
        listed = shares.get(above, {})
        on_top = (
            signer.next_above(listed, bins, self.fresh[TARGETS], before)
            if before
            else signer.first_owners(bins, self.fresh[TARGETS])
        )
        below = {
            n: signer.next_bin(n, shares.get(n, {}), on_top, former.get(n)) for n in bins.roles
        }
        self.fresh |= {above: on_top, **below}
        return [*below.values(), on_top]

    def bins_expire(self) -> dict[str, datetime]:
        """Return a time for each role before which none of its bins expires.

        It is the exact one if all are read. What is signed is the same however they were read.
        """
        found: dict[str, datetime] = {}
        for above, bins in self.bins.items():
            known = None if above in self._read else self.fresh[SNAPSHOT].bins_expire(above)
            times = [self.fresh[name].expires for name in bins.roles if name in self.fresh]
            found[above] = min([*times, known] if known else times)
        return found


def _make_current(
    before: Mapping[str, Document],
    root: Document,
    changed: Iterable[Document],
    signer: MetadataSigner,
    bins_expire: Mapping[str, datetime],
) -> tuple[Document, ...]:
    """Return `changed`, then the snapshot that lists them and the timestamp that names it."""
    documents = tuple(changed)
    snapshot = signer.next_snapshot(documents, root, before.get(SNAPSHOT), bins_expire)
    return (*documents, snapshot, signer.next_timestamp(snapshot, root, before.get(TIMESTAMP)))
