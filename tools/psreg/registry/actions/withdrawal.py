"""What the record of a name says about actions: releases that were withdrawn, and void keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psreg.core.dataclass import dataclass, field
from psreg.registry.json_members import Members

PURGE = "purge"

_WORDS = {"revoke": "was revoked", "quarantine": "is in quarantine", PURGE: "was removed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Why a release is never installed: the action with the number `action`.

    `kind` is `revoke`, `quarantine` or `purge`; `date` is UTC.
    """

    kind: str
    reason: str
    date: str
    action: int
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_purge(self) -> bool:
        """Whether its bytes are gone, too."""
        return self.kind == PURGE

    def told(self, title: str) -> str:
        """Return a sentence about the release `title`."""
        word = _WORDS.get(self.kind, "was withdrawn")
        return f"{title} {word} on {self.date[:10]}: {self.reason}"

    @classmethod
    def from_json(cls, value: Any) -> Withdrawal:
        """Read the member `revoked` of a release. Raises ValueError on another shape."""
        members = Members(value, "the withdrawal of a release")
        return cls(
            kind=members.text("kind"),
            reason=members.text("reason"),
            date=members.text("date"),
            action=members.integer("action"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the member as JSON data."""
        return {
            **self.extra,
            "kind": self.kind,
            "reason": self.reason,
            "date": self.date,
            "action": self.action,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedYank:
    """That owners signed whether a version is yanked, for the `number`-th time."""

    number: int
    statement: Any
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> SignedYank:
        """Read the member `yank` of a release. Raises ValueError on another shape."""
        members = Members(value, "the yank of a release")
        number = members.integer("number")
        if number < 1:
            raise ValueError("the yank of a release has no number")
        return cls(number=number, statement=members.any("statement"), extra=members.left)

    def to_json(self) -> dict[str, Any]:
        """Return the member as JSON data."""
        return {**self.extra, "number": self.number, "statement": self.statement}


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidKey:
    """A key of an owner that signed nothing which the log has after the entry `after`."""

    key: str
    after: int
    action: int
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> VoidKey:
        """Read an element of `void`. Raises ValueError on another shape."""
        members = Members(value, "a void key")
        return cls(
            key=members.text("key"),
            after=members.integer("after"),
            action=members.integer("action"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {**self.extra, "key": self.key, "after": self.after, "action": self.action}
