"""Taking an action: a new file in registry/actions, signed with the keys at hand.

The key that publishes signs what takes something away. A lift is signed by the holders of the role
`root`, one after the other, as many as the root requires; until then it waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.lint.content.clarity_rules import gives_no_reason
from psreg.registry.actions.action import (
    LIFT,
    LONGEST,
    PURGE,
    Action,
    Subject,
)
from psreg.registry.actions.chain import FOLDER
from psreg.registry.baseline import Baseline, Ports, read_baseline, signers_at_hand
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.records import ReleaseRecord, read_record
from psreg.registry.trust.metadata import missing_signatures, signatures_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import RELEASES, ROOT, TARGETS
from psreg.registry.withdrawing.effects import Effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An action that was written; `missing` is how many people must still sign it."""

    action: Action
    missing: int = 0

    @property
    def path(self) -> str:
        """Its place in the registry."""
        return f"{FOLDER}/{self.action.file}"


def take(kind: str, subject: Subject, reason: str, now: datetime, ports: Ports) -> Taken:
    """Write and sign an action about a release or a key; the next publish takes it over.

    Raises:
        UsageError: BAD_REASON; NOT_REVOKED, for a lift of what is in force; ALREADY_REVOKED.
        FindingsError: ACTIONS_INVALID.
        TrustError: KEY_MISSING: the key that publishes is not at hand; the registry is not as it
            was signed.
        UnavailableError: NOT_PUBLISHED; NOT_FOUND; files cannot be read or written.
    """
    baseline, state = _published(ports)
    effects = Effects.stored(baseline, ports.store)
    if not (reason.strip() and reason.isprintable() and len(reason) <= LONGEST):
        told = f"the reason must be one line of 1 to {LONGEST} characters"
        raise UsageError("BAD_REASON", told)
    if gives_no_reason(reason):
        hint = "Write in a sentence what people should know."
        raise UsageError("BAD_REASON", f"the reason says nothing: {reason}", hint)
    _check_new(kind, subject, effects)
    before = effects.all[-1] if effects.all else None
    action = Action(
        registry_id=state.registry_id,
        number=len(effects.all) + 1,
        previous=before.digest if before else None,
        kind=kind,
        subject=subject,
        reason=reason,
        date=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        signatures={},
    )
    return _written(_signed(action, state, ports), state, ports)


def release_subject(name: str, version: str, ports: Ports) -> Subject:
    """Return a published release as the subject of an action.

    Raises:
        UnavailableError: NOT_PUBLISHED; NOT_FOUND.
    """
    _, state = _published(ports)
    row = _row(name, version, state)
    return Subject(name=name, version=version, sha256=row.sha256)


def key_subject(
    fingerprint: str, after: int | None, ports: Ports, *, lift: bool = False
) -> Subject:
    """Return a key as the subject of an action: it signs nothing after the entry `after`.

    By default that is the last entry of the log. A `lift` is about all entries.

    Raises:
        UsageError: the log has no such entry.
        UnavailableError: NOT_PUBLISHED; NO_LOG.
    """
    _, state = _published(ports)
    if lift:
        return Subject(key=fingerprint)
    checkpoint = checkpoint_of(state)
    if checkpoint is None:
        raise UnavailableError("NO_LOG", "keys of owners are only used in a registry with a log")
    last = checkpoint.size - 1
    if after is not None and not -1 <= after <= last:
        told = f"the log has the entries 0 to {last}, and not {after}"
        raise UsageError("USAGE", told, "Name the last entry that the key may have signed.")
    return Subject(key=fingerprint, after=last if after is None else after)


def waiting_lifts(ports: Ports) -> tuple[Taken, ...]:
    """Return the lifts that too few people have signed."""
    baseline, state = _published(ports)
    found = Effects.stored(baseline, ports.store).waiting
    return tuple(Taken(action=each, missing=_missing(each, state)) for each in found)


def sign_lifts(ports: Ports) -> tuple[Taken, ...]:
    """Sign all lifts that wait with the keys at hand; return those that changed."""
    _, state = _published(ports)
    signed = []
    for each in waiting_lifts(ports):
        more = _signed(each.action, state, ports)
        if more != each.action:
            signed.append(_written(more, state, ports))
    return tuple(signed)


def _published(ports: Ports) -> tuple[Baseline, RegistryState]:
    baseline = read_baseline(ports)
    if baseline.state is None:
        told = "nothing is published yet"
        raise UnavailableError("NOT_PUBLISHED", told, "Run `psreg publish` first.")
    return baseline, baseline.state


def _row(name: str, version: str, state: RegistryState) -> ReleaseRecord:
    data = state.packages.get(name)
    record = read_record(data, name) if data else None
    row = record.release(version) if record else None
    if row is None:
        raise UnavailableError("NOT_FOUND", f"the registry has not released {name} {version}")
    return row


def _check_new(kind: str, subject: Subject, effects: Effects) -> None:
    """Check that an action changes something."""
    standing = [each for each in effects.standing if each.subject.is_same(subject)]
    last = standing[-1] if standing else None
    if any(each.kind == PURGE for each in standing):
        told, hint = (
            f"{subject.title} was purged",
            "Nothing brings it back; release another version.",
        )
        raise UsageError("ALREADY_REVOKED", told, hint)
    if last is None:
        if kind == LIFT:
            raise UsageError("NOT_REVOKED", f"{subject.title} is not revoked")
        return
    earlier = (subject.after or 0) < (last.subject.after or 0)
    if kind == last.kind and not earlier:
        told = f"{subject.title}: registry/{FOLDER}/{last.file} says so already"
        raise UsageError("ALREADY_REVOKED", told)


def _signed(action: Action, state: RegistryState, ports: Ports) -> Action:
    signers = signers_at_hand(ports.keys, state.registry_id)
    targets, message = state.documents[TARGETS], action.message
    made = (
        signatures_of(message, ROOT, state.root, signers)
        if action.kind == LIFT
        else signatures_of(message, RELEASES, targets, signers)
    )
    if action.kind != LIFT and missing_signatures(message, RELEASES, targets, made):
        raise TrustError(
            "KEY_MISSING",
            f"the key that signs releases is not in {ports.keys.folder(state.registry_id)}",
            "Take the action where the registry is published.",
        )
    return replace(action, signatures={**action.signatures, **made})


def _missing(action: Action, state: RegistryState) -> int:
    return (
        missing_signatures(action.message, ROOT, state.root, action.signatures)
        if action.kind == LIFT
        else 0
    )


def _written(action: Action, state: RegistryState, ports: Ports) -> Taken:
    ports.store.write(f"{FOLDER}/{action.file}", action.data)
    ports.store.sync()
    return Taken(action=action, missing=_missing(action, state))


def summary(taken: Sequence[Taken]) -> list[str]:
    """Return what to tell a person about actions, a line for each."""
    lines = []
    for each in taken:
        action = each.action
        lines.append(f"{action.kind} {action.subject.title}: {action.reason}")
        lines.append(f"  registry/{each.path}")
        if each.missing:
            people = "person" if each.missing == 1 else "people"
            lines.append(f"  {each.missing} more {people} must sign it with `psreg keys sign`")
    return lines
