"""A release as its registry signed it: what a lock, a policy and the cache are compared with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from psreg.client.project.lockfile import LockedPrompt
from psreg.client.resolve import Choice, Request, release_id, warnings_about
from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.core.identity import ReleaseId
from psreg.core.version import Range
from psreg.lint.score import read_score
from psreg.registry.json_members import Members
from psreg.registry.log.entry import statement_digest
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.requirements.installable import requires_of

SCHEMA = "psreg.verified/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRelease:
    """A release whose record was verified up to the root of the registry with the id `registry`.

    `owners` are the fingerprints of the keys that signed it, and `deprecated` is what the record
    said about the name.
    """

    registry: str
    release: ReleaseId
    row: ReleaseRecord
    claimed: bool = False
    owners: tuple[str, ...] = ()
    deprecated: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.release.name} {self.release.version}"

    @property
    def requires(self) -> dict[str, str]:
        """What it requires: ranges by name, without blanks."""
        return requires_of(self.release.name, self.row)

    @property
    def score(self) -> int | None:
        """Its score at publication, None if it has none."""
        score = read_score(self.row.score)
        return score.total if score else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its user should know, one sentence each."""
        return tuple(warnings_about(self.release.name, self.row, self.deprecated))

    @property
    def choice(self) -> Choice:
        """The release as `client.install` fetches it."""
        request = Request(name=self.release.name, range=Range.parse(self.release.version))
        return Choice(request=request, release=self.release, row=self.row)

    def locked(self) -> LockedPrompt:
        """Return its entry in a lock file."""
        return LockedPrompt(
            release=self.release,
            registry=self.registry,
            sha256=self.row.sha256,
            size=self.row.size,
            statement=statement_digest(self.row.statement),
            owners=self.owners,
            requires=self.requires,
        )

    def check(self, locked: LockedPrompt) -> None:
        """Check that a lock says of the release what was signed; owners may sign it later.

        Raises:
            TrustError: `TRUST_LOCK`.
        """
        signed = self.locked()
        pairs: dict[str, tuple[object, object]] = {
            "class": (locked.release, signed.release),
            "sha256": (locked.sha256, signed.sha256),
            "size": (locked.size, signed.size),
            "requires": (locked.requires, signed.requires),
            "owners": (set(locked.owners) - set(signed.owners), set()),
        }
        if locked.statement is not None:
            pairs["statement"] = locked.statement, signed.statement
        wrong = [key for key, (found, expected) in pairs.items() if found != expected]
        if wrong:
            raise TrustError(
                "TRUST_LOCK",
                f"psreg.lock says something else about {self.title} than its registry signed: "
                f"{', '.join(wrong)}",
                "Find out who changed the lock. "
                f"`psreg update {self.release.name}` writes the entry again.",
            )

    def to_bytes(self) -> bytes:
        """Return it as a file of the cache: its own digest, then JSON."""
        value = {
            "schema": SCHEMA,
            "registry": self.registry,
            "name": self.release.name,
            "class": self.release.entry_class,
            "claimed": self.claimed,
            "owners": [*self.owners],
            "deprecated": dict(self.deprecated) if self.deprecated is not None else None,
            "row": self.row.to_json(),
        }
        return with_digest(json.dumps(value).encode())

    @classmethod
    def from_bytes(cls, data: bytes) -> VerifiedRelease:
        """Read what `to_bytes` returned. Raises ValueError if a bit of it changed."""
        body = data.partition(b"\n")[2]
        if with_digest(body) != data:
            raise ValueError("it is damaged")
        value = json.loads(body)
        members = Members(value, "a release in the cache")
        if members.text("schema") != SCHEMA:
            raise ValueError("it is of another version of psreg")
        row = ReleaseRecord.from_json(members.object("row"))
        release = ReleaseId(
            entry_class=members.text("class"), name=members.text("name"), version=row.version
        )
        return cls(
            registry=members.text("registry"),
            release=release,
            row=row,
            claimed=members.boolean("claimed"),
            owners=tuple(members.array("owners")),
            deprecated=value["deprecated"],
        )

    @classmethod
    def of(
        cls,
        record: PackageRecord,
        row: ReleaseRecord,
        registry: str,
        *,
        claimed: bool = False,
        owners: tuple[str, ...] = (),
    ) -> VerifiedRelease:
        """Return a release of a verified record. Raises TrustError if the row is malformed."""
        requires_of(record.name, row)
        return cls(
            registry=registry,
            release=release_id(record, row),
            row=row,
            claimed=claimed,
            owners=tuple(sorted(set(owners))),
            deprecated=record.deprecated,
        )


def with_digest(body: bytes) -> bytes:
    """Return the content of a file that begins with the digest of the rest of it."""
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body
