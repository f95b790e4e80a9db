"""An entry of the transparency log, and what the record of a release says about it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from psreg.core.dataclass import dataclass, field
from psreg.core.errors import TrustError
from psreg.core.strict_base64 import strict_decode
from psreg.registry.json_members import Members, as_text

RELEASE = "release"
"""The kind of an entry about a release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """What the log says: that a version of a name was released with these bytes, by these owners.

    `artifact`, `owners` and `statement` are SHA-256 digests in lower-case hex, of the artifact, the
    owners (`owners_digest`), and what they signed; None if they signed nothing. An entry of another
    kind is about an action, or the recovery of a name (`owners.recoveries`), of which `statement`
    is the digest; about a key it names no release.
    """

    name: str | None
    version: str | None
    artifact: str | None
    owners: str | None
    statement: str | None = None
    kind: str = RELEASE

    @property
    def data(self) -> bytes:
        """Its bytes in the log: canonical JSON."""
        from psreg.formats.json.canonical import canonical  # noqa: PLC0415 - not for known releases

        return canonical(
            {
                "kind": self.kind,
                "name": self.name,
                "version": self.version,
                "artifact": self.artifact,
                "statement": self.statement,
                "owners": self.owners,
            }
        )


def owners_digest(owners: Sequence[Mapping[str, Any]], threshold: int) -> str:
    """Return the SHA-256, in hex, of who owns a name and how many of them sign a release."""
    from psreg.formats.json.canonical import canonical  # noqa: PLC0415 - as above

    value = {"owners": [dict(owner) for owner in owners], "threshold": threshold}
    return hashlib.sha256(canonical(value)).hexdigest()


def statement_digest(envelope: Any) -> str | None:
    """Return the SHA-256, in hex, of the statement in an envelope of a record; None for none.

    Raises:
        TrustError: TRUST_STATEMENT: it is not an envelope.
    """
    if envelope is None:
        return None
    try:
        payload = strict_decode(Members(envelope, "the statement").text("payload"))
    except ValueError as error:
        told = f"what owners have signed is malformed: {error}"
        raise TrustError("TRUST_STATEMENT", told) from error
    return hashlib.sha256(payload).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """Where the log has a release: its `index`, with a `proof` for the first `checkpoint` after it.

    `owners` and `statement` are what the entry has; `checkpoint` is a signed note.
    """

    index: int
    owners: str
    proof: tuple[bytes, ...]
    checkpoint: str
    statement: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> LogRecord:
        """Read the member `log` of a release. Raises ValueError on another shape."""
        members = Members(value, "the log of a release")
        return cls(
            index=members.integer("index"),
            owners=members.digest("owners"),
            proof=tuple(map(_hash, members.array("proof"))),
            checkpoint=members.text("checkpoint"),
            statement=members.digest("statement") if "statement" in value else None,
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the member as JSON data."""
        return {
            **self.extra,
            "index": self.index,
            "owners": self.owners,
            "proof": [base64.b64encode(each).decode() for each in self.proof],
            "checkpoint": self.checkpoint,
            **({"statement": self.statement} if self.statement else {}),
        }


def _hash(value: Any) -> bytes:
    text = as_text(value, "a hash of a proof")
    if len(data := strict_decode(text)) != hashlib.sha256().digest_size:
        raise ValueError("a hash of a proof does not have 32 bytes")
    return data
