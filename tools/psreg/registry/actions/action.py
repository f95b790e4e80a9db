"""What maintainers do about a release or a key after the fact: an action, signed and numbered.

`registry/actions/NNNN-<kind>.json` is its one source. Each names the one before it by digest, so
that none can be left out or replaced. Taking something away needs the key that publishes, which
could do so anyway; `lift` gives it back, and needs the keys of the role `root`. Signatures can be
added later: the digest of an action does not cover them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.identity import is_name
from psreg.core.regex import lazy
from psreg.core.version import is_version
from psreg.formats.json.canonical import canonical
from psreg.registry.json_members import Members
from psreg.registry.trust.dsse import encoded
from psreg.registry.trust.roles import is_registry_id
from psreg.registry.trust.strict_json import strict_value

SCHEMA = "psreg.action/1"
PAYLOAD_TYPE = "application/vnd.psreg.action+json"

REVOKE, QUARANTINE, PURGE = "revoke", "quarantine", "purge"
REVOKE_KEY = "revoke-key"
LIFT = "lift"
KINDS = (REVOKE, QUARANTINE, PURGE, REVOKE_KEY, LIFT)

MOST = 9_999
LONGEST = 500
"""Characters of a reason."""

_FILE = lazy(r"([0-9]{4})-([a-z-]+)\.json", re.ASCII)
_DATE = lazy(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)
_FINGERPRINT = lazy(r"SHA256:[A-Za-z0-9+/]{43}", re.ASCII)
_HEX = lazy(r"[0-9a-f]{2,2000}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What an action is about: a release by the digest of its artifact, or the key of an owner.

    Of a key, `after` is the index of the last entry of the log that it may sign.
    """

    name: str | None = None
    version: str | None = None
    sha256: str | None = None
    key: str | None = None
    after: int | None = None

    @property
    def title(self) -> str:
        """What a person calls it."""
        return f"{self.name} {self.version}" if self.key is None else f"the key {self.key}"

    @property
    def release(self) -> tuple[str | None, str | None, str | None]:
        """Name, version and digest of a release."""
        return self.name, self.version, self.sha256

    def is_same(self, other: Subject) -> bool:
        """Tell whether both are about the same bytes, or the same key."""
        return replace(self, after=None) == replace(other, after=None)

    @classmethod
    def from_members(cls, members: Members, kind: str) -> Subject:
        """Take the subject of an action. Raises ValueError on another shape."""
        if "key" in members.left:
            key, after = members.text("key"), None
            if not _FINGERPRINT.fullmatch(key):
                raise ValueError(f"{key!r} is not the fingerprint of a key")
            if kind != LIFT and (after := members.integer("after")) < -1:
                raise ValueError("`after` is not the index of an entry of the log")
            return cls(key=key, after=after)
        name, version = members.text("name"), members.text("version")
        if not (is_name(name) and is_version(version)):
            raise ValueError(f"{name!r} {version!r} is not a release")
        return cls(name=name, version=version, sha256=members.digest("sha256"))

    def to_json(self) -> dict[str, Any]:
        """Return its members as JSON data."""
        members = {
            "name": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "key": self.key,
            "after": self.after,
        }
        return {key: value for key, value in members.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Action:
    """One action; `number` counts from 1, `previous` is the digest of the one before it.

    `date` is UTC, `2026-11-21T05:00:00Z`. `signatures` are hexadecimal, by the id of the key.
    """

    registry_id: str
    number: int
    previous: str | None
    kind: str
    subject: Subject
    reason: str
    date: str
    signatures: Mapping[str, str]

    @property
    def file(self) -> str:
        """Its file in registry/actions."""
        return f"{self.number:04}-{self.kind}.json"

    @cached_property
    def payload(self) -> bytes:
        """What is signed, as canonical JSON."""
        members = self.to_json()
        del members["signatures"]
        return canonical(members)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the payload, in hex, which the next action names."""
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def message(self) -> bytes:
        """What is signed: type and payload."""
        return encoded(PAYLOAD_TYPE, self.payload)

    @property
    def data(self) -> bytes:
        """The bytes of its file: canonical JSON and a line end."""
        return canonical(self.to_json()) + b"\n"

    def lifts(self, other: Action) -> bool:
        """Tell whether it ends the effect of an earlier action; a purge is for good."""
        return (
            self.kind == LIFT
            and self.number > other.number
            and other.kind not in (LIFT, PURGE)
            and self.subject.is_same(other.subject)
        )

    @classmethod
    def from_json(cls, value: Any) -> Action:
        """Read an action. Raises ValueError on another shape; all members are known."""
        members = Members(value, "the action")
        if (schema := members.text("schema")) != SCHEMA:
            raise ValueError(f"the action has the schema {schema!r}, not {SCHEMA!r}")
        kind = members.text("kind")
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is not a kind of action")
        action = cls(
            registry_id=members.text("registry"),
            number=members.integer("number"),
            previous=members.digest("previous")
            if value.get("previous") is not None
            else members.any("previous"),
            kind=kind,
            subject=Subject.from_members(members, kind),
            reason=members.text("reason"),
            date=members.text("date"),
            signatures=_signatures(members.array("signatures")),
        )
        if members.left:
            raise ValueError(f"the action has an unknown member {min(members.left)!r}")
        action.check()
        return action

    def check(self) -> None:
        """Check what no type says. Raises ValueError."""
        if not is_registry_id(self.registry_id):
            raise ValueError("`registry` is not the id of a registry")
        if not 1 <= self.number <= MOST or (self.number == 1) != (self.previous is None):
            raise ValueError("`number` and `previous` do not belong together")
        if not _DATE.fullmatch(self.date):
            raise ValueError(f"{self.date!r} is not a time such as 2026-11-21T05:00:00Z")
        if not (self.reason.strip() and self.reason.isprintable() and len(self.reason) <= LONGEST):
            raise ValueError(f"`reason` is not one line of 1 to {LONGEST} characters")
        if (self.kind == REVOKE_KEY) != (self.subject.key is not None) and self.kind != LIFT:
            raise ValueError(f"{self.kind} is not about {self.subject.title}")

    def to_json(self) -> dict[str, Any]:
        """Return the action as JSON data."""
        return {
            "schema": SCHEMA,
            "registry": self.registry_id,
            "number": self.number,
            "previous": self.previous,
            "kind": self.kind,
            **self.subject.to_json(),
            "reason": self.reason,
            "date": self.date,
            "signatures": [
                {"keyid": keyid, "sig": self.signatures[keyid]} for keyid in sorted(self.signatures)
            ],
        }


def _signatures(items: Sequence[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in items:
        members = Members(item, "a signature")
        keyid, signature = members.text("keyid"), members.text("sig")
        if members.left or keyid in found or not _HEX.fullmatch(signature):
            raise ValueError("a signature is malformed")
        found[keyid] = signature
    return found


def read_action(name: str, data: bytes) -> Action:
    """Return the action in a file of registry/actions.

    Raises:
        ValueError: it is not one, or its file has another name, or other bytes than `Action.data`.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        raise ValueError("its name is not that of an action, such as 0001-revoke.json")
    try:
        action = Action.from_json(strict_value(data))
    except TrustError as error:
        raise ValueError(error.message) from error
    if action.file != name:
        raise ValueError(f"it is {action.file}")
    if action.data != data:
        raise ValueError("it is not written as canonical JSON with a line end")
    return action
