"""Who owns a name, and how that changes: those who own it sign who does so from then on.

Each change is a link of a chain, so a client that knows an earlier state can follow it to the
present one. Where nobody has a key, nobody can sign, and nothing is checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
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
    before: Owned, now: Owned, registry_id: str, void: Container[str] = frozenset()
) -> None:
    """Check that the owners in `before` signed, or those after them, that the ones in `now` follow.

    Signatures of keys whose fingerprints are in `void` do not count: nobody can tell when they were
    made.

    Raises:
        TrustError: TRUST_STATEMENT.
    """
    state, known = ownership_of(before), before.owner_changes
    if not state.keys:
        return
    if now.owner_changes[: len(known)] != known:
        raise refused(f"an earlier change of the owners of {now.name} is missing")
    for number, link in enumerate(now.owner_changes[len(known) :], start=len(known) + 1):
        try:
            after = Ownership.from_json(link)
        except ValueError as error:
            told = f"change {number} of the owners of {now.name} is malformed: {error}"
            raise refused(told) from error
        change = OwnersChange(
            name=now.name, registry_id=registry_id, number=number, before=state, after=after
        )
        change.check(link.get("statement"), without_void(state.keys, void), state.threshold)
        state = after
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
