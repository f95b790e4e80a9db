"""What actions do: which releases are withdrawn, which keys are void, and what the log says.

An action that takes something away counts once it is signed by the key that publishes, or by the
keys of the role `root`. One that was published before is not verified again: its digest was, so
keys can change. A lift counts as long as it is signed as the root in force requires.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.registry.actions.action import LIFT, PURGE, Action
from psreg.registry.actions.chain import (
    FOLDER,
    NOTHING,
    Published,
    check_continues,
    invalid,
    read_actions,
)
from psreg.registry.actions.withdrawal import VoidKey, Withdrawal
from psreg.registry.baseline import Baseline, Store
from psreg.registry.catalog_growth import Basis
from psreg.registry.log.entry import LogEntry
from psreg.registry.owners.claim import read_claim, signatures_in
from psreg.registry.owners.ownership import ownership_of
from psreg.registry.records import PackageRecord, ReleaseRecord, Row
from psreg.registry.trust.metadata import Document, is_signed
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import RELEASES, ROOT, TARGETS


def is_lifted_by(lift: Action, root: Document) -> bool:
    """Tell whether a lift is signed as `root` requires of the role `root`."""
    return is_signed(lift.message, ROOT, root, lift.signatures)


class Effects:
    """The effect of `actions` on a registry with this state; `published` is what it has of them.

    Raises:
        FindingsError: ACTIONS_INVALID: they are not those of the registry.
        TrustError: TRUST_SIGNATURE: one is not signed by the keys of the registry.
    """

    def __init__(
        self, actions: Iterable[Action], state: RegistryState | None, published: Published
    ) -> None:
        self.all = tuple(actions)
        check_continues(self.all, published, state.registry_id if state else "")
        self.new = self.all[published.count :]
        self._owners = state.owners if state else {}
        signed = [each for each in self.all if state and _is_in_force(each, state, self.new)]
        self.waiting = tuple(each for each in self.all if each not in signed)
        """The lifts that too few people have signed."""
        self.lifts = lifts = [each for each in signed if each.kind == LIFT]
        self.standing = [
            each
            for each in self.all
            if each.kind != LIFT and not any(lift.lifts(each) for lift in lifts)
        ]

    @classmethod
    def after(cls, baseline: Baseline, actions: Iterable[Action]) -> Effects:
        """Return the effect of actions on a registry with this state. Raises as above."""
        head = baseline.head
        return cls(actions, baseline.state, head.actions if head else NOTHING)

    @classmethod
    def stored(cls, baseline: Baseline, store: Store) -> Effects:
        """Return the effect of the actions in a registry, published or not. Raises as above."""
        files = {name: store.read(f"{FOLDER}/{name}") or b"" for name in store.names(FOLDER)}
        return cls.after(baseline, read_actions(files))

    @property
    def files(self) -> dict[str, bytes]:
        """Their files, by path in the registry."""
        return {f"{FOLDER}/{each.file}": each.data for each in self.all}

    @property
    def published(self) -> Published:
        """What a registry has of them after a publish."""
        return Published(count=len(self.all), last=self.all[-1].digest if self.all else "")

    @property
    def names(self) -> Collection[str]:
        """The names that actions are about."""
        return {each.subject.name for each in self.all if each.subject.name is not None}

    @property
    def purged(self) -> Collection[str]:
        """The names of which a version is purged."""
        purges = (each.subject.name for each in self.standing if each.kind == PURGE)
        return {name for name in purges if name is not None}

    @property
    def void(self) -> Mapping[str, VoidKey]:
        """The keys that no longer count, by fingerprint, each from the earliest entry."""
        found: dict[str, VoidKey] = {}
        for action in self.standing:
            key, after = action.subject.key, action.subject.after
            if key is not None and after is not None:
                void = VoidKey(key=key, after=after, action=action.number)
                found[key] = min(found.get(key, void), void, key=_after)
        return found

    def basis(self, inputs: Mapping[str, str], synonyms: tuple[str, ...]) -> Basis:
        """Return what records are computed from with these inputs, and the synonyms."""
        return Basis(inputs=inputs, actions=self.published, synonyms=synonyms)

    def entries(self, *, whole: bool = False) -> tuple[LogEntry, ...]:
        """Return what the log says about new actions, or about all."""
        return tuple(map(entry_of, self.all if whole else self.new))

    def purges(self, name: str, version: str) -> bool:
        """Tell whether a version is purged."""
        return any(each.kind == PURGE for each in self._about(name, version))

    def __call__(self, record: PackageRecord) -> PackageRecord:
        """Return a record with what actions say about its releases and its owners' keys.

        Raises:
            FindingsError: ACTIONS_INVALID: one is about other bytes than were released.
        """
        if not self.all:
            return record
        rows = tuple(self._withdrawn(record.name, row) for row in record.rows)
        void = self.void
        keys = {key.fingerprint for key in self._keys(record)} if void or self.lifts else set()
        released = {(record.name, row.version, row.sha256) for row in record.releases}
        lifts = tuple(
            each.to_json()
            for each in self.lifts
            if each.subject.key in keys or each.subject.release in released
        )
        found = tuple(void[key] for key in sorted(keys & void.keys()))
        return replace(record, rows=rows, void=found, lifts=lifts)

    def _about(self, name: str, version: str) -> Iterator[Action]:
        for each in self.standing:
            if (each.subject.name, each.subject.version) == (name, version):
                yield each

    def _withdrawn(self, name: str, row: Row) -> Row:
        """Return a row with its last withdrawal; a purge is the last one for good."""
        if not isinstance(row, ReleaseRecord):
            return row
        found = list(self._about(name, row.version))
        for each in found:
            if each.subject.sha256 != row.sha256:
                told = (
                    f"{each.file} is about other bytes than were released as {name} {row.version}"
                )
                raise invalid(told)
        last = next((a for a in found if a.kind == PURGE), found[-1] if found else None)
        if last is None:
            return replace(row, revoked=None)
        revoked = Withdrawal(kind=last.kind, reason=last.reason, date=last.date, action=last.number)
        return _emptied(row, revoked) if revoked.is_purge else replace(row, revoked=revoked)

    def _keys(self, record: PackageRecord) -> Iterator[SshKey]:
        """Yield the keys of the owners, and those with which they signed.

        Reviews with a void key are left out of a record, so those of reviewers are not needed.
        """
        yield from ownership_of(record).keys
        if data := self._owners.get(record.name):
            yield from ownership_of(read_claim(data, record.name)).keys
        for row in record.releases:
            with suppress(TrustError):
                yield from (each.key for each in signatures_in(row.statement))


def _after(void: VoidKey) -> int:
    return void.after


def entry_of(action: Action) -> LogEntry:
    """Return what the log says about an action."""
    subject = action.subject
    return LogEntry(
        kind=action.kind,
        name=subject.name,
        version=subject.version,
        artifact=subject.sha256,
        owners=None,
        statement=action.digest,
    )


def fault_of(action: Action, state: RegistryState) -> str:
    """Return why an action is not one of the registry with this state, "" if it is one."""
    if action.registry_id != state.registry_id:
        return f"it is about the registry {action.registry_id}"
    try:
        _is_in_force(action, state, (action,))
    except TrustError:
        return "it is not signed by the keys of the registry"
    return ""


def _is_in_force(action: Action, state: RegistryState, new: Collection[Action]) -> bool:
    """Tell whether an action is signed; only a lift can wait for that.

    Raises:
        TrustError: TRUST_SIGNATURE.
    """
    if action.kind == LIFT:
        return is_lifted_by(action, state.root)
    if action in new:
        _check_signed(action, state)
    return True


def _check_signed(action: Action, state: RegistryState) -> None:
    delegators = ((RELEASES, state.documents[TARGETS]), (ROOT, state.root))
    if not any(is_signed(action.message, r, by, action.signatures) for r, by in delegators):
        raise TrustError(
            "TRUST_SIGNATURE",
            f"registry/actions/{action.file} is not signed by the keys of the registry",
            "Remove it, and let a maintainer make it with `psreg revoke`, `purge` or `keys`.",
        )


def _emptied(row: ReleaseRecord, revoked: Withdrawal) -> ReleaseRecord:
    """Return what is left of a purged release: nothing that it contained."""
    return ReleaseRecord(
        version=row.version,
        path=row.path,
        media_type=row.media_type,
        sha256=row.sha256,
        size=row.size,
        date=row.date,
        files=(),
        release={},
        log=row.log,
        psreg=row.psreg,
        revoked=revoked,
    )
