"""Who owns a name, and how that changes: those who own it sign who does so from then on.

Each change is a link of a chain, so a client that knows an earlier state can follow it to the
present one. Where nobody has a key, nobody can sign, and nothing is checked. If owners lost their
keys, a claim recovers the name: that is a link, too, which was public for some time before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Protocol

from psreg.core.ssh_key import SshKey
from psreg.formats.json.canonical import canonical
from psreg.registry.json_members import Members, as_text
from psreg.registry.owners.in_toto import STATEMENT_TYPE, InTotoStatement, refused
from psreg.registry.trust.ssh_signature import SshSignature

NAMESPACE = "owners@psreg"
"""The namespace of signatures about owners: that of a release is none."""

PREDICATE_TYPE = "psreg:owners/1"
_RECOVERY_TYPE = "psreg:recovery/1"
_OBJECTION_TYPE = "psreg:objection/1"

DELAY = timedelta(days=7)
"""How long it is public that others will own a name before they do."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"


class Owned(Protocol):
    """A record or a claim: what says who owns a name."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def owners(self) -> tuple[Mapping[str, Any], ...]:
        """The owners, as in entry.toml."""

    @property
    def threshold(self) -> int:
        """How many of them sign, as in entry.toml."""

    @property
    def owner_changes(self) -> tuple[Mapping[str, Any], ...]:
        """The links of the chain, the first change first."""


@dataclass(frozen=True, kw_only=True)
class Ownership:
    """The accounts that own a name, by their keys; so many of them as `threshold` says must sign.

    Accounts without a key are not in it. The threshold is 0 if there is no key at all, and at most
    the number of accounts otherwise, so that it can be reached.
    """

    keys: Mapping[SshKey, str]
    threshold: int

    @classmethod
    def of(cls, owners: tuple[Mapping[str, Any], ...], threshold: int) -> Ownership:
        """Return what owners as in entry.toml amount to; no keys if one cannot be read."""
        try:
            keys = keys_of(owners)
        except ValueError:
            keys = {}
        return cls(keys=keys, threshold=min(max(threshold, 1), len(set(keys.values()))))

    @classmethod
    def from_json(cls, value: Any) -> Ownership:
        """Read what `to_json` returns, and leave other members. Raises ValueError."""
        members, keys = Members(value, "the owners"), dict[SshKey, str]()
        for item in members.array("owners"):
            owner = Members(item, "an owner")
            keys[SshKey.parse(owner.text("key"))] = owner.text("account")
        found = cls(keys=keys, threshold=members.integer("threshold"))
        if any(value.get(key) != told for key, told in found.to_json().items()):
            raise ValueError("the owners are not written as they must be")
        if not min(1, len(keys)) <= found.threshold <= len(set(keys.values())):
            raise ValueError(f"{found.threshold} of {len(keys)} owners cannot sign")
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the accounts, by account and key, and the threshold, as JSON data."""
        rows = sorted((account, str(key)) for key, account in self.keys.items())
        owners = [{"account": account, "key": key} for account, key in rows]
        return {"owners": owners, "threshold": self.threshold}

    @cached_property
    def digest(self) -> str:
        """The SHA-256, in hex, of `to_json` as canonical JSON."""
        return hashlib.sha256(canonical(self.to_json())).hexdigest()

    @property
    def lines(self) -> tuple[str, ...]:
        """The account and the fingerprint of each key, for a person."""
        rows = sorted((account, key.fingerprint) for key, account in self.keys.items())
        return tuple(f"{account} {fingerprint}" for account, fingerprint in rows)


@dataclass(frozen=True, kw_only=True)
class OwnersChange(InTotoStatement):
    """That `after` owns a name in a registry from now on; `number` counts its changes from 1.

    Those in `before` sign it.
    """

    namespace = NAMESPACE

    name: str
    registry_id: str
    number: int
    before: Ownership
    after: Ownership

    @property
    def title(self) -> str:
        """Which change it is."""
        return f"change {self.number} of the owners of {self.name}"

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""
        return {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": f"owners/{self.name}", "digest": {"sha256": self.after.digest}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "name": self.name,
                "registry": self.registry_id,
                "number": self.number,
                "before": self.before.digest,
                **self.after.to_json(),
            },
        }

    def link(self, signatures: Sequence[SshSignature]) -> dict[str, Any]:
        """Return the link of the chain with these signatures, as JSON data."""
        return {**self.after.to_json(), "statement": self.envelope(signatures)}


@dataclass(frozen=True, kw_only=True)
class Recovery(OwnersChange):
    """That `after` owns a name from `not_before` on, because those in `before` lost their keys.

    The role `owners` signs it with a claim, for a `reason`, on `date`. Both times are UTC, such as
    `2026-11-21T05:00:00Z`.
    """

    reason: str
    date: str
    not_before: str

    @classmethod
    def of(cls, change: OwnersChange, told: Any) -> Recovery:
        """Return the recovery that makes a change; `told` is what `told` returns.

        Raises:
            ValueError: it is of another shape, or leaves no time to object.
        """
        members = Members(told, "the recovery")
        made = cls(
            name=change.name,
            registry_id=change.registry_id,
            number=change.number,
            before=change.before,
            after=change.after,
            reason=members.text("reason"),
            date=members.text("date"),
            not_before=members.text("not_before"),
        )
        if time_of(made.not_before) - time_of(made.date) < DELAY:
            raise ValueError(f"the recovery leaves less than {DELAY.days} days to object")
        return made

    @property
    def title(self) -> str:
        """Which recovery it is."""
        return f"the recovery of {self.name} of {self.date[:10]}"

    @property
    def told(self) -> Mapping[str, str]:
        """What a claim says about it besides who owns the name then."""
        return {"reason": self.reason, "date": self.date, "not_before": self.not_before}

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data. It is in the log, by its digest."""
        members = super().members
        predicate = {**members["predicate"], **self.told}
        return {**members, "predicateType": _RECOVERY_TYPE, "predicate": predicate}

    def to_json(self) -> dict[str, Any]:
        """Return the member `recovery` of a claim, in which it is not in force yet."""
        return {**self.told, "next": self.after.to_json()}

    @property
    def completed(self) -> dict[str, Any]:
        """The link of the chain, as JSON data, with which it is in force."""
        return {**self.after.to_json(), "recovery": dict(self.told)}


@dataclass(frozen=True, kw_only=True)
class Objection(InTotoStatement):
    """That an owner still has a key, so that nobody else gets the name by a recovery."""

    namespace = NAMESPACE

    recovery: Recovery

    @property
    def title(self) -> str:
        """Which objection it is."""
        return f"an objection to {self.recovery.title}"

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""
        name, digest = f"owners/{self.recovery.name}", self.recovery.digest
        return {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": digest}}],
            "predicateType": _OBJECTION_TYPE,
            "predicate": {"name": self.recovery.name, "registry": self.recovery.registry_id},
        }


def time_of(text: str) -> datetime:
    """Return the time in a text such as `2026-11-21T05:00:00Z`. Raises ValueError for others."""
    found = datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    if text_of(found) != text:
        raise ValueError(f"{text!r} is not a time such as 2026-11-21T05:00:00Z")
    return found


def text_of(time: datetime) -> str:
    """Return the text of a time, in UTC and whole seconds."""
    return time.astimezone(UTC).strftime(_TIME)


def pending_recovery(claim: Owned, recovery: Any, registry_id: str) -> Recovery | None:
    """Return the recovery in a claim, which is not in force yet; None if its shape is wrong."""
    try:
        after = Ownership.from_json(recovery["next"])
        change = change_after(claim, after, registry_id)
        return Recovery.of(change, recovery) if change else None
    except (ValueError, TypeError, KeyError):
        return None


def ownership_of(owned: Owned) -> Ownership:
    """Return who owns a name, as a record or a claim says."""
    return Ownership.of(owned.owners, owned.threshold)


def change_after(owned: Owned, after: Ownership, registry_id: str) -> OwnersChange | None:
    """Return what the owners of a name sign before `after` owns it; None if they need not."""
    before = ownership_of(owned)
    if not before.keys or before == after:
        return None
    number = len(owned.owner_changes) + 1
    return OwnersChange(
        name=owned.name, registry_id=registry_id, number=number, before=before, after=after
    )


def without_void(keys: Mapping[SshKey, str], void: Container[str]) -> Mapping[SshKey, str]:
    """Return the keys whose fingerprints are not among those of `void` keys."""
    return {key: who for key, who in keys.items() if key.fingerprint not in void}


def check_succession(
    before: Owned,
    now: Owned,
    registry_id: str,
    void: Container[str] = frozenset(),
    *,
    recovered: Callable[[Recovery], object] | None = None,
) -> None:
    """Check that the owners in `before` signed, or those after them, that the ones in `now` follow.

    Signatures of keys whose fingerprints are in `void` do not count: nobody can tell when they were
    made. What they did not sign is a recovery, which `recovered` raises TrustError to refuse; only
    a claim can have one.

    Raises:
        TrustError: TRUST_STATEMENT; and what `recovered` raises.
    """
    state, known = ownership_of(before), before.owner_changes
    if not state.keys:
        return
    if now.owner_changes[: len(known)] != known:
        raise refused(f"an earlier change of the owners of {now.name} is missing")
    for number, link in enumerate(now.owner_changes[len(known) :], start=len(known) + 1):
        try:
            change = OwnersChange(
                name=now.name,
                registry_id=registry_id,
                number=number,
                before=state,
                after=Ownership.from_json(link),
            )
            recovery = Recovery.of(change, link["recovery"]) if "recovery" in link else None
        except ValueError as error:
            told = f"change {number} of the owners of {now.name} is malformed: {error}"
            raise refused(told) from error
        if recovery is not None and recovered is not None:
            recovered(recovery)
        else:
            change.check(link.get("statement"), without_void(state.keys, void), state.threshold)
        state = change.after
        if not state.keys:
            return
    if state != ownership_of(now):
        raise refused(f"the owners of {now.name} before did not sign who follows them")


def keys_of(owners: tuple[Mapping[str, Any], ...]) -> Mapping[SshKey, str]:
    """Return the account of the owner who has a key, such as `github:583231`, by key.

    Raises:
        ValueError: an owner has no account, or something that is not a key; two have the same key.
    """
    found: dict[SshKey, str] = {}
    for owner in owners:
        forge, number = as_text(owner.get("forge"), "a forge"), owner.get("id")
        if not isinstance(number, int) or isinstance(number, bool):
            raise ValueError("an id of an owner is not an integer")  # noqa: TRY004 - bad data
        keys = owner.get("keys", [])
        for line in keys if isinstance(keys, list) else [keys]:
            key = SshKey.parse(as_text(line, "a key"))
            if found.setdefault(key, f"{forge}:{number}") != f"{forge}:{number}":
                raise ValueError(f"two owners have the key {key.fingerprint}")
    return found
