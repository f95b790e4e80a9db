"""Recoveries of names whose owners lost their keys, as the log has them.

A record says where, so that a client that was away meanwhile can tell, too, since when everybody
could see that others will own the name, and whether an owner of then objected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from psreg.core.errors import TrustError
from psreg.formats.json.canonical import canonical
from psreg.registry.json_members import Members
from psreg.registry.log.entry import LogEntry, LogRecord
from psreg.registry.owners.claim import Claim, read_claim
from psreg.registry.owners.in_toto import refused
from psreg.registry.owners.ownership import (
    DELAY,
    Objection,
    Recovery,
    pending_recovery,
    text_of,
    time_of,
    without_void,
)
from psreg.registry.records import PackageRecord, bad_record, read_record

if TYPE_CHECKING:
    from psreg.registry.trust.reading import RegistryState

RECOVERY = "recovery"
"""The kind of an entry of the log about a recovery."""

PENDING, COMPLETED, OBJECTED, WITHDRAWN = "pending", "completed", "objected", "withdrawn"
"""What becomes of a recovery."""

_WORDS = {
    PENDING: "pending, but not in the log",
    COMPLETED: "completed, without the owners before",
    OBJECTED: "refused, because an owner objected",
    WITHDRAWN: "withdrawn",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRecovery:
    """A recovery in the log: its `statement`, when it was logged (UTC), and where.

    `objection` is the envelope of an `Objection`, None if nobody objected.
    """

    statement: Mapping[str, Any]
    date: str
    log: LogRecord
    objection: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> dict[str, Any]:
        """Its reason and dates, as `Recovery.told`; {} if the statement has none."""
        predicate = self.statement.get("predicate")
        members = predicate if isinstance(predicate, dict) else {}
        found = {key: members.get(key) for key in ("reason", "date", "not_before")}
        return {key: value for key, value in found.items() if isinstance(value, str)}

    @classmethod
    def from_json(cls, value: Any) -> LoggedRecovery:
        """Read an element of `recoveries` of a record. Raises ValueError on another shape."""
        members = Members(value, "a recovery")
        date = members.text("date")
        time_of(date)
        return cls(
            statement=members.object("statement"),
            date=date,
            log=LogRecord.from_json(members.object("log")),
            objection=members.any("objection") if "objection" in value else None,
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {
            **self.extra,
            "statement": dict(self.statement),
            "date": self.date,
            "log": self.log.to_json(),
            **({} if self.objection is None else {"objection": self.objection}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What became of a recovery: it is pending until it is `due`, completed, objected or withdrawn.

    `told` has its reason and dates; `found` is what the record says, None if it is not in the log.
    """

    name: str
    state: str
    told: Mapping[str, Any]
    found: LoggedRecovery | None = None
    due: str = ""

    @property
    def words(self) -> str:
        """What became of it, in words."""
        if self.state == PENDING and self.due:
            return f"pending until {self.due[:10]}"
        return _WORDS[self.state]

    @property
    def line(self) -> str:
        """What became of it, for a person."""
        return f"recovery of {self.name} {self.words}: {self.told.get('reason', '?')}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data; `due` is null unless it is pending."""
        return {"name": self.name, "state": self.state, "due": self.due or None, **self.told}


def recoveries_of(record: PackageRecord) -> tuple[LoggedRecovery, ...]:
    """Return the recoveries of a name that are in the log, the first one first.

    Raises:
        TrustError: TRUST_METADATA: the record says something else.
    """
    try:
        return tuple(map(LoggedRecovery.from_json, record.recoveries))
    except ValueError as error:
        raise bad_record(record.name, str(error)) from error


def logged(record: PackageRecord, recovery: Recovery) -> LoggedRecovery | None:
    """Return what a record says about a recovery, None if it is not in the log. Raises as above."""
    found = (each for each in recoveries_of(record) if each.log.statement == recovery.digest)
    return next(found, None)


def pending(state: RegistryState) -> Iterator[Standing]:
    """Yield the recoveries that are in the log and not yet completed, nor refused.

    Raises:
        TrustError: a claim or a record is not as it was signed.
    """
    for name, data in state.owners.items():
        claim = read_claim(data, name) if b'"recovery"' in data else None
        if claim and claim.recovery and name in state.packages:
            found = standing(read_record(state.packages[name], name), claim, state.registry_id)
            yield from (each for each in found if each.due)


def entry_of(recovery: Recovery) -> LogEntry:
    """Return what the log says about a recovery."""
    return _entry(recovery.name, recovery.after.digest, recovery.digest)


def entry_said(name: str, found: LoggedRecovery) -> LogEntry:
    """Return what the log must say about the recovery of a name if the record is right."""
    digest = hashlib.sha256(canonical(found.statement)).hexdigest()
    return _entry(name, found.log.owners, digest)


def _entry(name: str, owners: str, statement: str) -> LogEntry:
    return LogEntry(
        kind=RECOVERY, name=name, version=None, artifact=None, owners=owners, statement=statement
    )


def with_recovery(
    record: PackageRecord, recovery: Recovery, log: LogRecord, now: datetime
) -> tuple[PackageRecord, Standing]:
    """Return a record that says where the log has a recovery since `now`, and how it stands."""
    new = LoggedRecovery(statement=recovery.members, date=text_of(now), log=log)
    record = replace(record, recoveries=(*record.recoveries, new.to_json()))
    at = text_of(due(recovery, record, new, now))
    told = recovery.told
    return record, Standing(name=record.name, state=PENDING, told=told, found=new, due=at)


def with_objection(record: PackageRecord, recovery: Recovery, envelope: Any) -> PackageRecord:
    """Return a record that has the objection to a recovery in it."""
    changed = (
        replace(each, objection=envelope) if each.log.statement == recovery.digest else each
        for each in recoveries_of(record)
    )
    return replace(record, recoveries=tuple(each.to_json() for each in changed))


def objectors(recovery: Recovery, objection: Any, void: Container[str]) -> tuple[str, ...]:
    """Return the accounts of owners who objected to a recovery, with keys that are not `void`.

    One is enough: who can still sign has not lost the key.
    """
    keys = without_void(recovery.before.keys, void)
    try:
        found = Objection(recovery=recovery).check(objection, keys, 1)
    except TrustError:
        return ()
    return tuple(sorted(keys[each.key] for each in found))


def never(_index: int) -> datetime | None:
    """Return when one saw the log without an entry: never."""
    return None


Absent = Callable[[int], datetime | None]
"""Returns when a log was last seen without the entry of an index, None if it never was."""


def due(
    recovery: Recovery,
    record: PackageRecord,
    found: LoggedRecovery,
    now: datetime,
    absent: Absent = never,
) -> datetime:
    """Return from when on a recovery in the log may be in force, as far as one can tell `now`.

    It was logged after everything that the log has before it, whatever its date says. A release of
    the future has a wrong date, which tells nothing: it would delay the recovery without end.

    Raises:
        TrustError: TRUST_METADATA: something has no date.
    """
    index = found.log.index
    try:
        known = [time_of(found.date)]
        before = (row for row in record.releases if row.log and row.log.index < index)
        known.extend(at for row in before if (at := time_of(row.date)) <= now)
        if seen := absent(index):
            known.append(seen)
        return max(time_of(recovery.not_before), max(known) + DELAY)
    except (ValueError, OverflowError) as error:
        raise bad_record(record.name, str(error)) from error


def check_recovered(
    recovery: Recovery,
    record: PackageRecord,
    now: datetime,
    absent: Absent = never,
    seen: PackageRecord | None = None,
) -> LoggedRecovery:
    """Check that a recovery may be in force `now`; return what the record says about it.

    Its proof is not looked at. An objection that an earlier record has, which was `seen`, counts.

    Raises:
        TrustError: TRUST_STATEMENT; TRUST_METADATA.
    """
    found, earlier = logged(record, recovery), logged(seen, recovery) if seen else None
    if found is None:
        raise refused(f"{recovery.title} is not in the log")
    void = {each.key for each in record.void}
    for each in filter(None, (found, earlier)):
        if by := objectors(recovery, each.objection, void):
            raise refused(f"{', '.join(by)} objected to {recovery.title}")
    at = due(recovery, record, found, now, absent)
    if now < at:
        raise refused(f"{recovery.title} may take effect on {text_of(at)}, and not before")
    return found


def standing(record: PackageRecord, claim: Claim | None, registry_id: str) -> Iterator[Standing]:
    """Yield the recoveries of a name, as record and claim say, the first one first.

    Raises:
        TrustError: TRUST_METADATA.
    """
    void = {each.key for each in record.void}
    links = claim.owner_changes if claim else ()
    pending = pending_recovery(claim, claim.recovery, registry_id) if claim else None
    completed = [link["recovery"] for link in links if "recovery" in link]
    for found in recoveries_of(record):
        told, state, at = found.told, WITHDRAWN, ""
        if told in completed:
            completed.remove(told)
            state = COMPLETED
        elif pending is not None and pending.digest == found.log.statement:
            state = OBJECTED
            if not objectors(pending, found.objection, void):
                state = PENDING
                at = text_of(due(pending, record, found, time_of(found.date)))
            pending = None
        elif found.objection is not None:
            state = OBJECTED
        yield Standing(name=record.name, state=state, told=told, found=found, due=at)
    unlogged = [(told, COMPLETED) for told in completed]
    unlogged += [(dict(pending.told), PENDING)] if pending else []
    for told, state in unlogged:
        yield Standing(name=record.name, state=state, told=told)
