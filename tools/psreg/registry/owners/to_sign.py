"""What people are asked to sign.

Owners sign a release, a yank, or who owns a name after them; reviewers sign what they read.
`signed_releases` takes the signatures over.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.core.errors import FindingsError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.core.ssh_key import SshKey
from psreg.formats.layout import (
    REVIEWS,
    SIGNATURES,
)
from psreg.registry.owners.claim import claim_of, read_claim, signatures_in, statement_of
from psreg.registry.owners.in_toto import InTotoStatement
from psreg.registry.owners.ownership import (
    Objection,
    Owned,
    OwnersChange,
    Ownership,
    Recovery,
    change_after,
    ownership_of,
    pending_recovery,
    without_void,
)
from psreg.registry.owners.review import review_of, reviews_of
from psreg.registry.owners.signed_releases import (
    NOBODY,
    Files,
    SignedReleases,
    counted,
    numbered,
    of_owners,
    of_yank,
    signatures_by_subject,
)
from psreg.registry.owners.yank import YankState, state_of, yank_of
from psreg.registry.records import PackageRecord, ReleaseRecord, read_record
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.ssh_signature import SshSignature

if TYPE_CHECKING:
    from psreg.formats.tree import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Signable:
    """Something that owners can sign: what they sign, who has which key, and what is there.

    It is a release, a change of the owners or an objection if `version` is None, or a `yank`;
    reviewers sign the review of a release in the same way. `signed` are the keys with which it is
    signed; `threshold` is 0 for a release whose name is not claimed, and a review. `place` is where
    the next signature belongs.
    """

    name: str
    version: str | None
    statement: InTotoStatement
    keys: Mapping[SshKey, str]
    threshold: int
    signed: frozenset[SshKey]
    place: PurePosixPath
    yank: bool = False

    @property
    def title(self) -> str:
        """What it is, in words."""
        if self.yank:
            return f"whether {self.name} {self.version} is yanked"
        if self.recovery:
            return self.statement.title
        return f"{self.name} {self.version}" if self.version else f"the owners of {self.name}"

    @property
    def command(self) -> str:
        """How an owner signs it."""
        option = "--object" if self.recovery else "--owners"
        named = f"{self.name}@{self.version}" if self.version else f"{option} {self.name}"
        return f"psreg sign {'--yank ' if self.yank else ''}{named}"

    @property
    def recovery(self) -> Recovery | None:
        """The recovery to which an owner objects with it."""
        return self.statement.recovery if isinstance(self.statement, Objection) else None

    @property
    def signed_by(self) -> frozenset[str]:
        """The accounts of the owners who have signed it."""
        return frozenset(self.keys[key] for key in self.signed if key in self.keys)


def to_sign(entry: Entry, version: str, state: RegistryState, now: datetime) -> Signable:
    """Return what the owners of an entry sign about a version, which may be released already.

    Raises:
        UnavailableError: NO_LOG.
        TrustError: a record, or what is signed about the owners, is malformed.
    """
    if not info_of(state.root).log:
        hint = "Publish in a registry that a newer psreg began."
        raise UnavailableError("NO_LOG", "releases are signed only in a registry with a log", hint)
    record, row = _asked_for(entry, version, state, now)
    claim = state.owners.get(entry.name)
    claimed = read_claim(claim, entry.name) if claim else None
    return Signable(
        name=entry.name,
        version=version,
        statement=statement_of(record, row, state.registry_id),
        keys=record.valid_keys(
            (claimed or ownership_of(record)).keys, row.log.index if row.log else None
        ),
        threshold=claimed.threshold if claimed else 0,
        signed=frozenset(each.key for each in signatures_in(row.statement)),
        place=_next_place(entry, version, dict.fromkeys(entry.signatures, b"")),
    )


def to_review(
    entry: Entry,
    version: str,
    state: RegistryState,
    now: datetime,
    reviewers: Mapping[SshKey, str],
) -> Signable:
    """Return what `reviewers` sign about a version; its owners are none of them.

    Raises:
        UnavailableError: NOT_FOUND: the version has no artifact.
        TrustError: a record, or what is signed about the owners, is malformed.
    """
    record, row = _asked_for(entry, version, state, now, reviewers)
    owners = ownership_of(record).keys
    numbers = [number for release, number in entry.reviews.values() if release.version == version]
    name = f"{version}.{max(numbers, default=0) + 1}.txt"
    return Signable(
        name=entry.name,
        version=version,
        statement=review_of(record, row, state.registry_id),
        keys={key: who for key, who in reviewers.items() if key not in owners},
        threshold=0,
        signed=frozenset(reviews_of(record, row, state.registry_id).by),
        place=entry.id.folder / REVIEWS / name,
    )


def _asked_for(
    entry: Entry,
    version: str,
    state: RegistryState,
    now: datetime,
    reviewers: Mapping[SshKey, str] = NOBODY,
) -> tuple[PackageRecord, ReleaseRecord]:
    """Return the record that publishing an entry would give, and a version in it."""
    from psreg.registry.build import build  # noqa: PLC0415 - `build` calls what is above

    signed = (entry.signatures, entry.owners_signatures, entry.reviews)
    paths = chain([entry.path], *signed, *entry.folders.values())
    files = {path: entry.tree.files[path] for path in paths if path in entry.tree.files}
    name, packages = entry.name, state.packages
    previous = {name: read_record(packages[name], name)} if name in packages else {}
    release = ReleaseId(entry_class=entry.entry_class, name=name, version=version)
    signing = SignedReleases(state, release, reviewers=reviewers)
    record = build(files, previous, now, signed=signing).records[name]
    row = record.release(version)
    if row is None:
        raise UnavailableError("NOT_FOUND", f"{name} {version} has no artifact")
    return record, row


def owners_to_sign(entry: Entry, state: RegistryState) -> Signable:
    """Return what those who own an entry sign so that the owners in entry.toml follow them.

    Raises:
        FindingsError: NOTHING_TO_SIGN: the owners stay the same, or those before have no key.
        UnavailableError: NOT_PUBLISHED: the name is not.
        TrustError: the record, or what is signed about the owners, is malformed.
    """
    owned, packages = owned_now(entry.name, state), state.packages
    record = read_record(packages[entry.name], entry.name) if entry.name in packages else None
    void = {each.key for each in record.void} if record else set()
    pending = pending_change(entry, owned, state.registry_id, void)
    if pending is None:
        raise FindingsError(
            "NOTHING_TO_SIGN",
            f"nobody has to sign who owns {entry.name}",
            "Change the owners, their keys or the threshold in entry.toml first.",
        )
    change, files = pending.change, dict.fromkeys(entry.owners_signatures, b"")
    return Signable(
        name=entry.name,
        version=None,
        statement=change,
        keys=without_void(change.before.keys, void),
        threshold=change.before.threshold,
        signed=frozenset(each.key for each in pending.signatures),
        place=_next_place(entry, of_owners(change.number), files),
    )


def objection_to_sign(entry: Entry, state: RegistryState) -> Signable:
    """Return what an owner signs so that the recovery of a name is not completed.

    Raises:
        FindingsError: NOTHING_TO_SIGN: it is not being recovered.
        UnavailableError: NOT_PUBLISHED.
        TrustError: the record, or what is signed about the owners, is malformed.
    """
    owned_now(entry.name, state)  # raises NOT_PUBLISHED
    record, claim = (
        read_record(state.packages[entry.name], entry.name),
        claim_of(entry.name, state.owners),
    )
    found = claim and pending_recovery(claim, claim.recovery, state.registry_id)
    if claim is None or not isinstance(found, Recovery):
        raise FindingsError(
            "NOTHING_TO_SIGN",
            f"{entry.name} is not being recovered",
            "`psreg info NAME` says if it is.",
        )
    statement, what = Objection(recovery=found), of_owners(found.number)
    keys = without_void(claim.keys, {each.key for each in record.void})
    here = {path: entry.tree.files[path] for path in entry.owners_signatures}
    signed, _ = counted(statement, None, signatures_by_subject(here).get(what, {}), keys)
    return Signable(
        name=entry.name,
        version=None,
        statement=statement,
        keys=keys,
        threshold=1,
        signed=frozenset(each.key for each in signed),
        place=_next_place(entry, what, here),
    )


def yank_to_sign(entry: Entry, version: str, state: RegistryState) -> Signable:
    """Return what an owner signs so that a version is yanked as entry.toml says, or not any more.

    Raises:
        FindingsError: NOTHING_TO_SIGN: the name is not claimed, or the registry says so already.
        UnavailableError: NOT_PUBLISHED, NOT_FOUND.
        TrustError: the record, or what is signed about the owners, is malformed.
    """
    owned_now(entry.name, state)  # raises NOT_PUBLISHED
    record, data = read_record(state.packages[entry.name], entry.name), state.owners.get(entry.name)
    row = record.release(version)
    if row is None:
        raise UnavailableError("NOT_FOUND", f"the registry has not released {entry.name} {version}")
    claim = read_claim(data, entry.name) if data else None
    reason = entry.file.yanked.get(version)
    old = claim.in_force(record, row, state.registry_id) if claim else row
    if claim is None or old.yanked == reason:
        raise FindingsError(
            "NOTHING_TO_SIGN",
            f"nobody has to sign whether {entry.name} {version} is yanked",
            "Run `psreg yank` first. Only yanks of claimed names are signed.",
        )
    yanked = YankState(state_of(old).number + 1, reason)
    what, files = of_yank(version, yanked.number), dict.fromkeys(entry.yank_signatures, b"")
    statement = yank_of(record, row, yanked, state.registry_id)
    here = {path: entry.tree.files[path] for path in files}
    found, _ = counted(statement, None, signatures_by_subject(here).get(what, {}), claim.keys)
    return Signable(
        name=entry.name,
        version=version,
        statement=statement,
        keys=without_void(claim.keys, {each.key for each in record.void}),
        threshold=1,
        signed=frozenset(each.key for each in found),
        place=_next_place(entry, what, files),
        yank=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingChange:
    """The change of owners that entry.toml asks for, and the signatures of those before."""

    change: OwnersChange
    signatures: tuple[SshSignature, ...]

    @property
    def signed(self) -> int:
        """How many of the owners before have signed it."""
        return len({self.change.before.keys[each.key] for each in self.signatures})


def owned_now(name: str, state: RegistryState) -> Owned:
    """Return what says who owns a published name: its claim, or else its record.

    Raises:
        UnavailableError: NOT_PUBLISHED.
        TrustError: TRUST_METADATA.
    """
    if (claim := state.owners.get(name)) is not None:
        return read_claim(claim, name)
    if (record := state.packages.get(name)) is not None:
        return read_record(record, name)
    raise UnavailableError(
        "NOT_PUBLISHED", f"{name} is not published yet", "Run `psreg publish` first."
    )


def pending_change(
    entry: Entry, owned: Owned, registry_id: str, void: Container[str]
) -> PendingChange | None:
    """Return what has to be signed so that entry.toml takes effect; None if nothing has to.

    Signatures of keys whose fingerprints are in `void` are left out.
    """
    after = Ownership.of(entry.file.owners, entry.file.threshold)
    change = change_after(owned, after, registry_id)
    if change is None:
        return None
    files = {path: entry.tree.files[path] for path in entry.owners_signatures}
    given = signatures_by_subject(files).get(of_owners(change.number), {})
    found, _ = counted(change, None, given, without_void(change.before.keys, void))
    return PendingChange(change=change, signatures=found)


def _next_place(entry: Entry, what: str, files: Files) -> PurePosixPath:
    numbers = [number for which, number, _ in numbered(files) if which == what]
    return entry.id.folder / SIGNATURES / f"{what}.{max(numbers, default=0) + 1}.txt"
