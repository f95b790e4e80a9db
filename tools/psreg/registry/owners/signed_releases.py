"""What owners signed: their signatures in the tree become the statements in the records.

A release of a claimed name waits until enough owners have signed it, and so does a change of the
owners themselves, if those before have keys. A signature that is not of what it is for, or not of
an owner, counts for nothing; it never stops the releases of other names.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from psreg.core.errors import TrustError
from psreg.core.identity import ReleaseId
from psreg.core.ssh_key import SshKey
from psreg.formats import policy
from psreg.formats.layout import (
    owners_signature_file,
    review_file,
    signature_file,
    yank_signature_file,
)
from psreg.formats.tree import POLICY
from psreg.registry.owners.claim import Claim, read_claim, signatures_in, statement_of
from psreg.registry.owners.in_toto import InTotoStatement
from psreg.registry.owners.ownership import (
    Objection,
    Recovery,
    change_after,
    ownership_of,
    pending_recovery,
    without_void,
)
from psreg.registry.owners.review import review_of, reviews_of
from psreg.registry.owners.yank import YankState, signed_yank, state_of, yank_of
from psreg.registry.records import PackageRecord, ReleaseRecord, Row, in_order
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.ssh_signature import SshSignature

Files = Mapping[PurePosixPath, bytes]
NOBODY: Mapping[SshKey, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A version of a name that `signed` of the `threshold` owners have signed.

    If the version is None, it is a change of the owners. If `yank` is true, it is whether the
    version is yanked.
    """

    name: str
    version: str | None
    signed: int
    threshold: int
    yank: bool = False


class SignedReleases:
    """Adds what is signed to the records of the registry with this state; is a `build.Signed`.

    `waiting` is what too few owners have signed: it is left out, but for the release that is
    `wanted`. `objected` are recoveries to which an owner objects for the first time, `ignored` is
    why signatures do not count. A registry that is not published yet, or has no log, has no
    statements about releases. `void` are fingerprints of keys that sign nothing new, and
    `reviewers` says whose reviews count.
    """

    def __init__(
        self,
        state: RegistryState | None,
        wanted: ReleaseId | None = None,
        void: Container[str] = frozenset(),
        *,
        reviewers: Mapping[SshKey, str] = NOBODY,
    ) -> None:
        self._wanted = wanted
        self._reviewers = reviewers
        self._void = void
        self._registry_id = state.registry_id if state else None
        self._logged = state is not None and bool(info_of(state.root).log)
        self._claims = state.owners if state else {}
        self.objected: list[Recovery] = []
        self.waiting: list[Waiting] = []
        self.ignored: list[str] = []

    def __call__(
        self, before: PackageRecord | None, record: PackageRecord, files: Files
    ) -> PackageRecord:
        """Return `record` with what is signed in the `files` of its entry.

        Raises:
            TrustError: TRUST_METADATA: what is signed about the owners is malformed.
        """
        return self._reviewed(self._signed(before, record, files), files)

    def _reviewed(self, record: PackageRecord, files: Files) -> PackageRecord:
        """Return a record with the reviews in `files`, and without those that count no more."""
        given, registry_id = _by_version(files), self._registry_id
        if registry_id is None:
            return record
        owners = ownership_of(record).keys
        known = {key: who for key, who in self._reviewers.items() if key not in owners}
        known = dict(without_void(known, self._void))
        for row in record.releases:
            if row.is_purged or not (row.reviews or row.version in given):
                continue
            valid = without_void(reviews_of(record, row, registry_id).by, self._void)
            counting = [str(key) for key in valid]
            kept = [each for each in row.reviews if each["key"] in counting]
            statement = review_of(record, row, registry_id)
            new, ignored = counted(statement, None, given.get(row.version, {}), known)
            self.ignored += ignored
            kept += [
                {
                    "reviewer": known[each.key],
                    "key": str(each.key),
                    "statement": statement.envelope((each,)),
                }
                for each in new
                if each.key not in valid
            ]
            after = replace(row, reviews=tuple(kept))
            record = replace(record, rows=tuple(after if r is row else r for r in record.rows))
        return record

    def _signed(
        self, before: PackageRecord | None, record: PackageRecord, files: Files
    ) -> PackageRecord:
        given = signatures_by_subject(files)
        data = self._claims.get(record.name)
        claim = read_claim(data, record.name) if data else None
        if self._registry_id is None:
            return record
        if claim is None and before is not None:
            record = self._owned(before, record, given, self._registry_id)
        if not self._logged or (claim is None and not given):
            return record
        if claim is not None:
            record = self._yanked(before, record, given, claim, self._registry_id)
            record = self._objected(record, given, claim, self._registry_id)
        owners = claim or ownership_of(record)
        keys, threshold = owners.keys, claim.threshold if claim else 0
        keys = without_void(keys, self._void)
        for row in sorted(record.releases, key=_is_new):
            if row.is_purged:
                continue
            statement = statement_of(record, row, self._registry_id)
            found = self._counted(statement, row.statement, given.get(row.version, {}), keys)
            after = [replace(row, statement=statement.envelope(found) if found else None)]
            if row.log is None and self._waits(record.name, row.version, found, keys, threshold):
                wanted = self._wanted
                after = after if wanted and wanted.version == row.version else []
            rows = (after if each is row else [each] for each in record.rows)
            record = replace(record, rows=in_order(chain(*rows)))
        return record

    def _yanked(
        self,
        before: PackageRecord | None,
        record: PackageRecord,
        given: Mapping[str, Files],
        claim: Claim,
        registry_id: str,
    ) -> PackageRecord:
        """Return the record in which releases are yanked as an owner has signed, or as before."""
        keys = without_void(claim.keys, self._void)

        def signed(row: Row) -> Row:
            if not isinstance(row, ReleaseRecord) or row.is_purged:
                return row
            old = claim.in_force(before, row, registry_id)
            state = state_of(old)
            if row.yanked == state.reason:
                return replace(row, yank=old.yank)
            state = YankState(state.number + 1, row.yanked)
            statement = yank_of(record, row, state, registry_id)
            files = given.get(of_yank(row.version, state.number), {})
            if found := self._counted(statement, None, files, keys):
                return replace(row, yank=signed_yank(statement, found))
            waiting = Waiting(
                name=record.name, version=row.version, signed=0, threshold=1, yank=True
            )
            self.waiting.append(waiting)
            since = "" if old.yanked is None else old.yanked_at
            return replace(row, yanked=old.yanked, yanked_at=since, yank=old.yank)

        return replace(record, rows=tuple(map(signed, record.rows)))

    def _objected(
        self, record: PackageRecord, given: Mapping[str, Files], claim: Claim, registry_id: str
    ) -> PackageRecord:
        """Return the record with the objection of an owner to a recovery in the log."""
        recovery = pending_recovery(claim, claim.recovery, registry_id)
        if recovery is None:
            return record
        from psreg.registry.owners import recoveries  # noqa: PLC0415 - they are rare

        known = recoveries.logged(record, recovery)
        files = given.get(of_owners(recovery.number), {})
        if known is None or recoveries.objectors(recovery, known.objection, self._void):
            return record
        objection, keys = Objection(recovery=recovery), without_void(claim.keys, self._void)
        found, _ = counted(objection, None, files, keys)
        if not found:
            return record
        self.objected.append(recovery)
        return recoveries.with_objection(record, recovery, objection.envelope(found))

    def _owned(
        self,
        before: PackageRecord,
        record: PackageRecord,
        given: Mapping[str, Files],
        registry_id: str,
    ) -> PackageRecord:
        """Return the record with the owners before, until they have signed who follows them."""
        if (before.owners, before.threshold) == (record.owners, record.threshold):
            return record
        change = change_after(before, ownership_of(record), registry_id)
        if change is None:
            return record
        old, keys = change.before, without_void(change.before.keys, self._void)
        found = self._counted(change, None, given.get(of_owners(change.number), {}), keys)
        if self._waits(record.name, None, found, keys, old.threshold):
            return replace(record, owners=before.owners, threshold=before.threshold)
        return replace(record, owner_changes=(*before.owner_changes, change.link(found)))

    def _waits(
        self,
        name: str,
        version: str | None,
        found: tuple[SshSignature, ...],
        keys: Mapping[SshKey, str],
        threshold: int,
    ) -> bool:
        """Tell whether too few owners have signed something, and remember it if so."""
        signed = len({keys[each.key] for each in found if each.key in keys})
        if signed >= threshold:
            return False
        waiting = Waiting(name=name, version=version, signed=signed, threshold=threshold)
        self.waiting.append(waiting)
        return True

    def _counted(
        self, statement: InTotoStatement, envelope: Any, files: Files, keys: Mapping[SshKey, str]
    ) -> tuple[SshSignature, ...]:
        """Return the signatures in an envelope, and those in `files` that are valid."""
        found, ignored = counted(statement, envelope, files, keys)
        self.ignored += ignored
        return found


def counted(
    statement: InTotoStatement, envelope: Any, files: Files, keys: Mapping[SshKey, str]
) -> tuple[tuple[SshSignature, ...], tuple[str, ...]]:
    """Return the signatures in an envelope, those in `files` that are valid, and why others not.

    Of each key, one signature counts.
    """
    found = {each.blob: each for each in signatures_in(envelope)}
    known = {each.key for each in found.values()}
    ignored: list[str] = []
    for path, data in files.items():
        try:
            signature = SshSignature.parse(data)
            if signature.key not in known:
                signature.check(statement.message, statement.namespace, keys)
                found[signature.blob] = signature
                known.add(signature.key)
        except TrustError as error:
            ignored.append(f"{path}: {error.message}")
    return tuple(found.values()), tuple(ignored)


def _is_new(row: ReleaseRecord) -> tuple[bool, int]:
    """Return what orders releases as the log does, new ones last."""
    return (row.log is None, row.log.index if row.log else 0)


def of_yank(version: str, number: int) -> str:
    """Return what signatures of a yank are named by."""
    return f"yank.{version}.{number}"


def of_owners(change: int) -> str:
    """Return what signatures of a change of the owners are named by."""
    return f"owners.{change}"


def reviewers_in(tree: Files) -> Mapping[SshKey, str]:
    """Return the name of the reviewer who has a key, by key, as the policy of a tree says."""
    return policy.read(tree.get(POLICY, b"")).reviewers


def _by_version(files: Files) -> dict[str, dict[PurePosixPath, bytes]]:
    """Return the files with reviews by the version they are of, in the order of their numbers."""
    found: dict[str, dict[PurePosixPath, bytes]] = {}
    named = ((path, review) for path in files if (review := review_file(path)))
    for path, (release, _) in sorted(named, key=lambda each: each[1][1]):
        found.setdefault(release.version, {})[path] = files[path]
    return found


def signatures_by_subject(files: Files) -> dict[str, dict[PurePosixPath, bytes]]:
    """Return the files with signatures by what they sign, in the order of their numbers.

    That is a version, or the change of owners `owners.<number>`.
    """
    found: dict[str, dict[PurePosixPath, bytes]] = {}
    for what, _, path in sorted(numbered(files)):
        found.setdefault(what, {})[path] = files[path]
    return found


def numbered(files: Files) -> Iterator[tuple[str, int, PurePosixPath]]:
    """Yield what each file with a signature is about, its number, and its path."""
    for path in files:
        if named := signature_file(path):
            release, number = named
            yield release.version, number, path
        elif changed := owners_signature_file(path):
            _, change, number = changed
            yield of_owners(change), number, path
        elif yanked := yank_signature_file(path):
            release, yank, number = yanked
            yield of_yank(release.version, yank), number, path
