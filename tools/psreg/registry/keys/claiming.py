"""Claiming names: what entry.toml says about owners becomes what the role `owners` signs.

What was released under a name so far is accepted with the claim, by its digest; so it must be what
the files say, and what the owners before signed. From then on the owners sign each release.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.formats.json.canonical import canonical
from psreg.registry.baseline import Baseline, Ports, read_baseline
from psreg.registry.ceremony import begin, check_none_pending, published
from psreg.registry.current_state import make_current, ready_to_sign
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.owners.claim import SCHEMA, Claim, read_claim, released_digest
from psreg.registry.owners.ownership import (
    DELAY,
    OwnersChange,
    Recovery,
    pending_recovery,
    text_of,
)
from psreg.registry.owners.recoveries import check_recovered, logged, objectors
from psreg.registry.owners.to_sign import PendingChange, pending_change
from psreg.registry.owners.yank import yanks_of
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.drafts import Draft, relisted
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import MetadataSigner, info_of
from psreg.registry.trust.roles import (
    LIFETIMES,
    OWNERS,
    Bins,
    Target,
    owners_target,
    target_path,
)
from psreg.registry.withdrawing.effects import Effects

if TYPE_CHECKING:
    from psreg.formats.tree import Entry
    from psreg.registry.trust.reading import RegistryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A claim after `psreg keys owners`, and the one before it, None for a new one.

    It is `pending` if others must sign it before it is in force.
    """

    claim: Claim
    before: Claim | None
    pending: bool = False

    @property
    def changed(self) -> bool:
        """Whether the claim is another one than before."""
        return self.claim != self.before


def claim_names(
    entries: Iterable[Entry],
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta] = LIFETIMES,
    recover: str = "",
) -> tuple[Claimed, ...]:
    """Sign the owners of `entries` as entry.toml lists them; the key is created if there is none.

    `recover` is why other owners need no signature of those before, "" if they do. Then the claim
    of the owners before says so, and the same call without `recover` is for the time after it.

    If it needs keys that are not at hand, the claims become drafts for others to sign (`ceremony`),
    and if names are recovered, always.

    Raises:
        FindingsError: CLAIM_REFUSED: too few owners have a key, or a release is not what the files
            say; ACTIONS_INVALID; SIGNING_PENDING; nothing was signed.
        TrustError: OWNERS_NOT_SIGNED: the owners before did not sign that they change;
            RECOVERY_REFUSED: it is too early, or one objected; TRUST_STATEMENT: the owners did not
            sign a release; KEY_MISSING; the registry is not as it was signed.
        UnavailableError: NOT_PUBLISHED, also for one of the names; NO_LOG.
    """
    baseline = read_baseline(ports)
    state = baseline.state
    checkpoint = checkpoint_of(state) if state else None
    if state is None:
        raise UnavailableError("NOT_PUBLISHED", "nothing is published yet", _PUBLISH)
    if checkpoint is None:
        raise UnavailableError(
            "NO_LOG",
            "a name can only be claimed in a registry with a log",
            "Create another registry with `psreg init`.",
        )
    asked = _Asked(recover=recover, now=now, void=Effects.stored(baseline, ports.store).void)
    found = tuple(_claimed(each, state, checkpoint.size, asked) for each in entries)
    changed = [each.claim for each in found if each.changed]
    if any(each.recovery for each in changed) and OWNERS not in state.bins_below:
        check_none_pending(ports.store, state)
        begun = [replace(each, recovery=None) for each in changed]
        _sign(begun, baseline, state, now, ports, lifetimes)
        baseline, state = read_baseline(ports), published(ports)
    pending = bool(changed) and not _sign(changed, baseline, state, now, ports, lifetimes)
    return tuple(replace(each, pending=pending and each.changed) for each in found)


_PUBLISH = "Run `psreg publish` first."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Why names are to be recovered, "" if they are not, when, and which keys are void."""

    recover: str
    now: datetime
    void: Container[str]

    def recovery(self, change: OwnersChange) -> Recovery:
        """Return the recovery that makes a change of owners."""
        times = {"date": text_of(self.now), "not_before": text_of(self.now + DELAY)}
        return Recovery.of(change, {"reason": self.recover, **times})


def _claimed(entry: Entry, state: RegistryState, size: int, asked: _Asked) -> Claimed:
    if entry.name not in state.packages:
        raise UnavailableError("NOT_PUBLISHED", f"{entry.name} is not published yet", _PUBLISH)
    record = read_record(state.packages[entry.name], entry.name)
    data = state.owners.get(entry.name)
    before = read_claim(data, entry.name) if data else None
    claim = _as_asked(entry, record, size)
    if before and (before.owners, before.threshold) == (claim.owners, claim.threshold):
        return Claimed(claim=replace(before, recovery=None), before=before)
    pending = pending_change(entry, before or record, state.registry_id, asked.void)
    claim = _followed(claim, before, record, pending, asked)
    _check_released(entry, record, before, state.registry_id)
    if before is not None:
        before.check_yanks(record, state.registry_id)
    if before is None or claim.recovery is None:
        claim = replace(claim, yanks=yanks_of(record, claimed=before is not None))
    return Claimed(claim=claim, before=before)


def _as_asked(entry: Entry, record: PackageRecord, size: int) -> Claim:
    """Return the claim that entry.toml asks for. Raises FindingsError CLAIM_REFUSED."""
    wanted: dict[str, Any] = {
        "schema": SCHEMA,
        "name": entry.name,
        "owners": [dict(owner) for owner in entry.file.owners],
        "threshold": entry.file.threshold,
        "since": size,
        "released": released_digest(record, size),
    }
    try:
        return Claim.from_json(wanted)
    except ValueError as error:
        hint = "List the SSH keys of at least as many owners as `threshold` says."
        raise FindingsError("CLAIM_REFUSED", f"{entry.path}: {error}", hint) from error


def _followed(
    claim: Claim,
    before: Claim | None,
    record: PackageRecord,
    pending: PendingChange | None,
    asked: _Asked,
) -> Claim:
    """Return a claim with the changes of the owners up to its own, each signed by those before.

    It is that of the owners before, if these do not follow yet.

    Raises:
        TrustError: OWNERS_NOT_SIGNED; RECOVERY_REFUSED.
    """
    changes = (before or record).owner_changes
    if pending is None:
        return replace(claim, owner_changes=changes)
    change = pending.change
    if pending.signed >= change.before.threshold:
        return replace(claim, owner_changes=(*changes, change.link(pending.signatures)))
    standing = _standing(before, change)
    if asked.recover:
        if before is None:
            owned, threshold = record.owners, change.before.threshold
            before = replace(claim, owners=owned, threshold=threshold, owner_changes=changes)
        if standing is not None and not _is_objected(standing, record):
            return before
        return replace(before, recovery=asked.recovery(change).to_json())
    if standing is not None:
        _check_due(standing, record, asked.now)
        return replace(claim, owner_changes=(*changes, standing.completed))
    raise TrustError(
        "OWNERS_NOT_SIGNED",
        f"{pending.signed} of {change.before.threshold} owners signed that {claim.name} gets "
        "other owners",
        f"Let them run `psreg sign --owners {claim.name}`. If they lost their keys, and you made "
        "sure of that, use `--recover --reason TEXT`.",
        change.before.lines,
    )


def _standing(before: Claim | None, change: OwnersChange) -> Recovery | None:
    """Return the recovery in a claim that makes a change of owners."""
    if before is None:
        return None
    found = pending_recovery(before, before.recovery, change.registry_id)
    return found if found is not None and found.after == change.after else None


def _is_objected(recovery: Recovery, record: PackageRecord) -> bool:
    found = logged(record, recovery)
    void = {each.key for each in record.void}
    return found is not None and bool(objectors(recovery, found.objection, void))


_TOO_EARLY = "Publish what was announced, and claim the name again when `psreg info` says so."
_OBJECTED = (
    "Find out who is right. Then put the owners of before back into entry.toml and claim the name "
    "again, or revoke the stolen key, or recover it once more."
)


def _check_due(recovery: Recovery, record: PackageRecord, now: datetime) -> None:
    """Check that a recovery may take effect. Raises TrustError RECOVERY_REFUSED."""
    try:
        check_recovered(recovery, record, now)
    except TrustError as error:
        hint = _OBJECTED if _is_objected(recovery, record) else _TOO_EARLY
        raise TrustError("RECOVERY_REFUSED", error.message, hint) from error


def _check_released(
    entry: Entry, record: PackageRecord, before: Claim | None, registry_id: str
) -> None:
    """Check what was released so far: a claim accepts it for good."""
    for row in record.releases:
        if row.is_purged:
            continue
        data = entry.tree.files.get(PurePosixPath(row.path))
        if data is None or hashlib.sha256(data).hexdigest() != row.sha256:
            raise FindingsError(
                "CLAIM_REFUSED",
                f"{row.path} is not what the registry released as {record.name} {row.version}",
                "Find out which of the two is right before you sign it.",
            )
        if before is not None and row.revoked is None:
            before.check(record, row, registry_id)


def _sign(  # noqa: PLR0917 - what is signed, where, and how
    claims: list[Claim],
    baseline: Baseline,
    state: RegistryState,
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta],
) -> bool:
    """Sign claims; return whether they are in force, and do not wait for others to sign them."""
    contents = {owners_target(each.name): canonical(each.to_json()) for each in claims}
    targets = {path: Target.of(data) for path, data in contents.items()}
    root, signer, pems = ready_to_sign(baseline, now, lifetimes, ports)
    registry_id, key = info_of(root).id, pems.get(OWNERS, b"")
    if OWNERS not in state.bins_below and not key:
        key = ports.keys.create(registry_id, OWNERS)
        signer = signer.with_key(key)
    files = {target_path(p, t.sha256): contents[p] for p, t in targets.items()}
    bins = state.bins_below.get(OWNERS)
    # NOTE: a recovery is logged by the publish that makes its claim current.
    waits = any(each.recovery for each in claims)
    if bins and (waits or not signer.can_sign(state.documents[OWNERS], bins.role(0))):
        for path, data in files.items():
            ports.store.write(path, data)
        begin(_drafts(targets, bins, state, signer), state, ports)
        return False
    names = baseline.head.count if baseline.head else len(state.packages)
    documents = issue(state, targets, signer, names, key)
    make_current(baseline, registry_id, files, documents, ports)
    return True


def _drafts(
    targets: Mapping[str, Target], bins: Bins, state: RegistryState, signer: MetadataSigner
) -> Iterator[Draft]:
    """Yield the next versions of the bins that list claims, for others to sign."""
    for role in sorted({bins.of(path) for path in targets}):
        share = {path: target for path, target in targets.items() if bins.of(path) == role}
        yield relisted(state.documents[role], share, signer)
