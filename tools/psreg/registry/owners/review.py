"""What reviewers sign about a release: that they read exactly these files.

Nothing needs a review to be released or installed; it is shown by the name that the policy of the
registry gives to the reviewer's key. That name is as true as what the registry publishes. A review
is not the statement of an owner, nor the other way round: their namespaces and types differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.registry.json_members import Members
from psreg.registry.owners.in_toto import STATEMENT_TYPE, InTotoStatement, subjects
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.roles import Target

NAMESPACE = "review@psreg"
"""The namespace of reviewers' signatures: that of a release is none."""

PREDICATE_TYPE = "psreg:review/1"


@dataclass(frozen=True, kw_only=True)
class Review(InTotoStatement):
    """That somebody read these `files`: a version of a name in the registry `registry_id`.

    `files` are those that its owners sign, by path.
    """

    namespace = NAMESPACE
    signers = "reviewer"

    name: str
    version: str
    registry_id: str
    files: Mapping[str, Target]

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""
        return {
            "_type": STATEMENT_TYPE,
            "subject": subjects(self.files),
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "name": self.name,
                "version": self.version,
                "registry": self.registry_id,
                "verdict": "reviewed",
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """The valid reviews of a release: the reviewer's name by key; and why others do not count."""

    by: Mapping[SshKey, str]
    ignored: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the reviewers, each once, in the order of the alphabet."""
        return tuple(sorted(set(self.by.values())))


def review_of(record: PackageRecord, row: ReleaseRecord, registry_id: str) -> Review:
    """Return what reviewers sign about `row` of `record`, in the registry with this id."""
    return Review(
        name=record.name,
        version=row.version,
        registry_id=registry_id,
        files={file.path: Target(length=file.size, sha256=file.sha256) for file in row.files},
    )


def reviews_of(record: PackageRecord, row: ReleaseRecord, registry_id: str) -> Reviewed:
    """Return which reviews in a record are valid; of a purged release, none is left.

    A review by a key that does not count any more is not valid, whenever it was signed: no log says
    when that was.
    """
    if not row.reviews or row.is_purged:
        return Reviewed(by={})
    statement = review_of(record, row, registry_id)
    found: dict[SshKey, str] = {}
    ignored: list[str] = []
    for each in row.reviews:
        members = Members(each, "a review")
        try:
            key, name = SshKey.parse(members.text("key")), members.text("reviewer")
            keys = record.valid_keys({key: name}, None)
            statement.check(each.get("statement"), keys, 1)
        except (TrustError, ValueError) as error:
            told = error.message if isinstance(error, TrustError) else str(error)
            ignored.append(f"a review of {record.name} {row.version} is not valid: {told}")
        else:
            found[key] = name
    return Reviewed(by=found, ignored=tuple(ignored))
