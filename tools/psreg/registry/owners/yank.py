"""Yanks of a claimed name: its owners sign that ranges no longer choose a version, or do again.

Each is numbered, so none can be used again. What was yanked when the name was claimed needs no
signature; the claim says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from psreg.core.ssh_key import SshKey
from psreg.registry.actions.withdrawal import SignedYank
from psreg.registry.json_members import Members
from psreg.registry.owners.in_toto import STATEMENT_TYPE, InTotoStatement, refused
from psreg.registry.records import PackageRecord, ReleaseRecord

NAMESPACE = "yank@psreg"
"""The namespace of signatures about yanks."""

PREDICATE_TYPE = "psreg:yank/1"


class YankState(NamedTuple):
    """The reason why a version is yanked, None if it is not, and how often that has changed."""

    number: int = 0
    reason: str | None = None

    @classmethod
    def from_json(cls, value: Any) -> YankState:
        """Read an element of the member `yanks` of a claim. Raises ValueError on another shape."""
        members = Members(value, "a yank")
        return cls(members.integer("number"), members.optional_text("reason"))

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {"number": self.number, "reason": self.reason}


@dataclass(frozen=True, kw_only=True)
class Yank(InTotoStatement):
    """That a version of a name is yanked for a reason, or not any more if that is None.

    `number` counts these statements about a version from 1; `path` and `sha256` are those of its
    artifact. One owner signs it.
    """

    namespace = NAMESPACE

    name: str
    version: str
    registry_id: str
    path: str
    sha256: str
    state: YankState

    @property
    def title(self) -> str:
        """Which yank it is."""
        return f"yank {self.state.number} of {self.name} {self.version}"

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""
        return {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": self.path, "digest": {"sha256": self.sha256}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "name": self.name,
                "version": self.version,
                "registry": self.registry_id,
                **self.state.to_json(),
            },
        }


def yank_of(record: PackageRecord, row: ReleaseRecord, state: YankState, registry_id: str) -> Yank:
    """Return what an owner signs so that a release has this state."""
    return Yank(
        name=record.name,
        version=row.version,
        registry_id=registry_id,
        path=row.path,
        sha256=row.sha256,
        state=state,
    )


def state_of(row: ReleaseRecord) -> YankState:
    """Return what a record says, whether that is signed or not."""
    return YankState(row.yank.number if row.yank else 0, row.yanked)


def yanks_of(record: PackageRecord, *, claimed: bool) -> dict[str, YankState]:
    """Return what a record says of all versions that are or were yanked.

    Before the name is `claimed`, nobody has signed a yank, whatever its number is in the record.
    """
    rows = [row for row in record.releases if not row.is_purged]
    states = {row.version: state_of(row) for row in rows}
    if not claimed:
        states = {row.version: YankState(0, row.yanked) for row in rows}
    return {version: state for version, state in states.items() if state != YankState()}


def check_yank(
    record: PackageRecord,
    row: ReleaseRecord,
    claimed: YankState,
    keys: Mapping[SshKey, str],
    registry_id: str,
) -> None:
    """Check that one of the owners with these `keys` signed whether a release is yanked.

    `claimed` is what their claim says; what they sign comes after it. A key that became void still
    counts here, because nobody can tell when it signed.

    Raises:
        TrustError: TRUST_STATEMENT.
    """
    said = state_of(row)
    if row.is_purged or said == claimed:
        return
    title, statement = f"{record.name} {row.version}", yank_of(record, row, said, registry_id)
    if said.number <= claimed.number:
        word = "is not yanked any more" if said.reason is None else "is yanked"
        raise refused(f"{title} {word}, and its owners did not sign that")
    statement.check(row.yank and row.yank.statement, keys, 1)


def signed_yank(statement: Yank, signatures: Any) -> SignedYank:
    """Return what a record says of a yank with these signatures."""
    return SignedYank(number=statement.state.number, statement=statement.envelope(signatures))
