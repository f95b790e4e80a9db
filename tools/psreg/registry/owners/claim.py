"""Who owns a claimed name, and whether its owners released what a record says.

The role `owners` signs it, whose key is not needed to publish: who steals the keys that publish can
still not release anything under a claimed name. What was in the log before the claim is accepted as
it was then; everything after it needs the signatures of the owners.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.withdrawal import SignedYank, VoidKey
from psreg.registry.json_members import Members, is_later_schema, newer_format, objects
from psreg.registry.log.entry import statement_digest
from psreg.registry.owners.in_toto import blobs_in
from psreg.registry.owners.ownership import keys_of, ownership_of
from psreg.registry.owners.statement import NAMESPACE, Statement
from psreg.registry.owners.yank import YankState, check_yank
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.roles import Target
from psreg.registry.trust.ssh_signature import SshSignature

SCHEMA = "psreg.owners/1"
_TELL = "Tell the maintainers of the registry; do not install it."


@dataclass(frozen=True)
class Claim:
    """Who owns a name, and from which entry of the log on they sign its releases.

    `owners` are as in entry.toml; so many of them as `threshold` says must sign a release. `since`
    is how many entries the log had, and `released` the digest of the releases among them
    (`released_digest`): they need no signature, and there are no others. `owner_changes` are the
    changes of owners that those before signed, and recoveries (`ownership`). `recovery` is one that
    is not in force yet, as `Recovery.to_json` returns it. `yanks` says of versions that are or were
    yanked what is so; every change after it is signed (`yank`).
    """

    name: str
    owners: tuple[Mapping[str, Any], ...]
    threshold: int
    since: int
    released: str
    owner_changes: tuple[Mapping[str, Any], ...] = ()
    recovery: Mapping[str, Any] | None = None
    yanks: Mapping[str, YankState] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def keys(self) -> Mapping[SshKey, str]:
        """The account of the owner who has a key, such as `github:583231`, by key."""
        return keys_of(self.owners)

    @classmethod
    def from_json(cls, value: Any) -> Claim:
        """Read a claim. Raises ValueError on another shape, or if too few owners have a key."""
        members = Members(value, "the claim")
        if (schema := members.text("schema")) != SCHEMA:
            raise ValueError(f"the claim has the schema {schema!r}, not {SCHEMA!r}")
        claim = cls(
            name=members.text("name"),
            owners=objects(members.array("owners"), "an owner"),
            threshold=members.integer("threshold"),
            since=members.integer("since"),
            released=members.digest("released"),
            owner_changes=objects(members.optional_array("owner_changes"), "a change of owners"),
            recovery=members.object("recovery") if "recovery" in value else None,
            yanks=_yanks(members.object("yanks")) if "yanks" in value else {},
            extra=members.left,
        )
        with_key = len(set(claim.keys.values()))
        if not 0 < claim.threshold <= with_key:
            raise ValueError(f"`threshold` is {claim.threshold}, and {with_key} owners have a key")
        return claim

    def to_json(self) -> dict[str, Any]:
        """Return the claim as JSON data; `canonical` turns it into the signed bytes."""
        return {
            **self.extra,
            "schema": SCHEMA,
            "name": self.name,
            "owners": [dict(owner) for owner in self.owners],
            "threshold": self.threshold,
            "since": self.since,
            "released": self.released,
            **({"owner_changes": [*self.owner_changes]} if self.owner_changes else {}),
            **({} if self.recovery is None else {"recovery": dict(self.recovery)}),
            **({"yanks": {v: y.to_json() for v, y in self.yanks.items()}} if self.yanks else {}),
        }

    def check(self, record: PackageRecord, row: ReleaseRecord, registry_id: str) -> None:
        """Check that the owners released `row` of `record`, or that it is older than the claim.

        The record is in the log as it says; `registry_id` is the id of its registry.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        title = f"{record.name} {row.version}"
        if row.is_purged:
            return  # what they signed is gone, and nobody installs it
        if row.log is None:
            raise _refused(f"{title} is not in the log, so its owners cannot have released it")
        if row.log.index < self.since:
            if released_digest(record, self.since) != self.released:
                raise _refused(
                    f"{title} is dated before {record.name} was claimed, and is not what was "
                    "released then"
                )
            return
        if row.log.statement is None:
            raise _refused(f"{title} was not signed by its owners when it was released")
        statement = statement_of(record, row, registry_id)
        if row.log.statement != statement.digest:
            raise _refused(f"the log says that the owners of {title} signed something else")
        if statement.files.get(row.path) != Target(length=row.size, sha256=row.sha256):
            raise _refused(f"the owners of {title} signed another artifact")
        keys = record.valid_keys(self.keys, row.log.index)
        statement.check(row.statement, keys, self.threshold)

    def check_yanks(self, record: PackageRecord, registry_id: str) -> None:
        """Check that the owners signed which releases of `record` are yanked.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        for row in record.releases:
            self.check_yank(record, row, registry_id)

    def check_yank(self, record: PackageRecord, row: ReleaseRecord, registry_id: str) -> None:
        """Check that the owners signed whether a release is yanked. Raises as `check_yanks`."""
        claimed = self.yanks.get(row.version, YankState())
        check_yank(record, row, claimed, self.keys, registry_id)

    def has_signed_yank(self, record: PackageRecord, row: ReleaseRecord, registry_id: str) -> bool:
        """Return whether the owners, or the claim, say that a release is yanked as `row` says."""
        try:
            self.check_yank(record, row, registry_id)
        except TrustError:
            return False
        return True

    def in_force(
        self, before: PackageRecord | None, row: ReleaseRecord, registry_id: str
    ) -> ReleaseRecord:
        """Return a release as far as owners, or the claim, have signed whether it is yanked.

        It is that of the record `before`, or else `row` as the claim says.
        """
        old = before.release(row.version) if before else None
        if before and old and self.has_signed_yank(before, old, registry_id):
            return old
        number, reason = self.yanks.get(row.version, YankState())
        yank = SignedYank(number=number, statement=None) if number else None
        return replace(row, yanked=reason, yank=yank)


def read_claim(data: bytes, name: str) -> Claim:
    """Return the claim in `data`, the verified bytes of the target `owners/<name>.json`.

    Raises:
        TrustError: TRUST_METADATA: it is not a strict claim, or that of another name.
        UnavailableError: NEWER_FORMAT: its schema is one this psreg does not know.
    """
    from psreg.registry.trust.strict_json import strict_value  # noqa: PLC0415 - as `read_record`

    try:
        value = strict_value(data)
    except TrustError as error:
        raise _malformed(name, error.message) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if is_later_schema(schema, SCHEMA):
        raise newer_format(f"what is signed about the owners of {name} has the format {schema}")
    try:
        claim = Claim.from_json(value)
    except ValueError as error:
        raise _malformed(name, str(error)) from error
    if claim.name != name:
        raise _malformed(name, f"it is about {claim.name!r}")
    return claim


def claim_of(name: str, owners: Mapping[str, bytes]) -> Claim | None:
    """Return the claim of a name among those of the role `owners`, None if it is not claimed.

    Raises:
        TrustError, UnavailableError: as `read_claim`.
    """
    data = owners.get(name)
    return None if data is None else read_claim(data, name)


def signed_by(
    record: PackageRecord, row: ReleaseRecord, registry_id: str, claim: Claim | None
) -> tuple[tuple[str, SshSignature], ...]:
    """Return the owners' signatures of a release that are valid, each with the owner's account.

    If the name is not claimed, the owners are those that its record requests.
    """
    known = claim.keys if claim else ownership_of(record).keys
    at = row.log.index if row.log else None
    keys = record.valid_keys(known, at)
    statement = statement_of(record, row, registry_id)
    found = []
    for signature in signatures_in(row.statement):
        with suppress(TrustError):
            key = signature.check(statement.message, NAMESPACE, keys)
            found.append((keys[key], signature))
    return tuple(found)


def revoked_signers(
    record: PackageRecord, row: ReleaseRecord, registry_id: str
) -> Iterator[tuple[VoidKey, bool]]:
    """Yield the revoked keys that signed a release, and whether each still counts for it.

    It does if the log had the release before what the key is void for.
    """
    void = {each.key: each for each in record.void}
    if not void:
        return
    statement, at = statement_of(record, row, registry_id), row.log.index if row.log else None
    for signature in signatures_in(row.statement):
        with suppress(TrustError):
            key = signature.check(statement.message, NAMESPACE, {signature.key})
            if (found := void.get(key.fingerprint)) is not None:
                yield found, key in record.valid_keys({key: ""}, at)


def released_digest(record: PackageRecord, size: int) -> str:
    """Return the digest of the releases that are among the first `size` entries of the log.

    It is the SHA-256, in hex, of index, version and artifact of each, as canonical JSON.
    """
    found = [
        [row.log.index, row.version, row.sha256]
        for row in record.releases
        if row.log is not None and row.log.index < size
    ]
    return hashlib.sha256(canonical(sorted(found))).hexdigest()


def statement_of(record: PackageRecord, row: ReleaseRecord, registry_id: str) -> Statement:
    """Return what owners sign about `row` of `record`, in the registry with this id.

    It names the statement before it: the last one that the log, or a release that will be in the
    log first, has for this name.
    """
    before = [digest for other, digest in _statements(record) if _place(other) < _place(row)]
    requires = row.release.get("requires")
    return Statement(
        name=record.name,
        version=row.version,
        registry_id=registry_id,
        files={file.path: Target(length=file.size, sha256=file.sha256) for file in row.files},
        requires=requires if isinstance(requires, dict) else {},
        previous=before[-1] if before else None,
    )


def _statements(record: PackageRecord) -> Iterator[tuple[ReleaseRecord, str]]:
    """Yield the releases that came with a statement, in the order of the log, with its digest."""
    for row in sorted(record.releases, key=_place):
        if row.log is not None and row.log.statement is not None:
            yield row, row.log.statement
        elif row.log is None and (digest := statement_digest(row.statement)):
            yield row, digest


def _place(row: ReleaseRecord) -> tuple[bool, int, Any]:
    """Return what orders releases as the log does; those that will be in it come last."""
    return row.log is None, row.log.index if row.log else 0, row.semver


def signatures_in(envelope: Any) -> tuple[SshSignature, ...]:
    """Return the signatures in an envelope of a record, () for none.

    Raises:
        TrustError: TRUST_STATEMENT: it is not an envelope.
    """
    return tuple(map(SshSignature.read, blobs_in(envelope))) if envelope is not None else ()


def _yanks(value: Mapping[str, Any]) -> dict[str, YankState]:
    return {version: YankState.from_json(each) for version, each in value.items()}


def _malformed(name: str, why: str) -> TrustError:
    told = f"what the registry has signed about the owners of {name} is malformed: {why}"
    return TrustError("TRUST_METADATA", told)


def _refused(message: str) -> TrustError:
    return TrustError("TRUST_STATEMENT", message, _TELL)
