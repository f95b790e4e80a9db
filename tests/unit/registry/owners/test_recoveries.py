"""Recoveries of names as records and claims have them: what they say, and which may be in force."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from psreg.core.errors import TrustError
from psreg.registry.log.entry import LogRecord
from psreg.registry.owners.claim import Claim
from psreg.registry.owners.ownership import (
    Objection,
    Ownership,
    Recovery,
    change_after,
    check_succession,
    ownership_of,
    pending_recovery,
    text_of,
    time_of,
)
from psreg.registry.owners.recoveries import (
    COMPLETED,
    OBJECTED,
    PENDING,
    WITHDRAWN,
    LoggedRecovery,
    check_recovered,
    due,
    entry_of,
    entry_said,
    logged,
    recoveries_of,
    standing,
    with_objection,
)
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.ssh_signature import SshSignature
from support.owners import ANA, BEN, CEM, Owner

ID = "a" * 32
NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
DAY = timedelta(days=1)
FOREVER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
AFTER = Ownership.of(
    ({"forge": "github", "id": 2, "keys": [BEN.line]},),
    1,
)


def owners(*found: Owner) -> tuple[dict[str, Any], ...]:
    return tuple({"forge": "github", "id": each.number, "keys": [each.line]} for each in found)


CLAIM = Claim(name="alpha", owners=owners(ANA), threshold=1, since=0, released="0" * 64)
TOLD = {"reason": "lost", "date": text_of(NOW), "not_before": text_of(NOW + 7 * DAY)}


def recovery(**told: str) -> Recovery:
    change = change_after(CLAIM, AFTER, ID)
    assert change is not None
    return Recovery.of(change, TOLD | told)


def place(index: int, statement: str | None = None) -> LogRecord:
    return LogRecord(index=index, owners="0" * 64, proof=(), checkpoint="none", statement=statement)


def row(index: int, date: str) -> ReleaseRecord:
    return ReleaseRecord(
        version=f"1.{index}.0", path="a.prompt", media_type="", sha256="0" * 64, size=1, date=date,
        files=(), release={}, log=place(index),
    )  # fmt: skip


def found(made: Recovery, date: datetime = NOW, objection: Any = None) -> LoggedRecovery:
    return LoggedRecovery(
        statement=made.members,
        date=text_of(date),
        log=replace(place(5, made.digest), owners=made.after.digest),
        objection=objection,
    )


def record(*made: LoggedRecovery, rows: tuple[ReleaseRecord, ...] = ()) -> PackageRecord:
    return PackageRecord(
        name="alpha", entry_class="prompt", serial=1, rows=rows, owners=owners(ANA),
        recoveries=tuple(each.to_json() for each in made),
    )  # fmt: skip


def objected(made: Recovery, *by: Owner) -> dict[str, Any]:
    statement = Objection(recovery=made)
    signed = [SshSignature.parse(each.sign(statement.message, statement.namespace)) for each in by]
    return statement.envelope(signed)


# What is said


def test_what_a_claim_says_is_read() -> None:
    made = recovery()
    assert made.title == "the recovery of alpha of 2026-11-21"
    assert Objection(recovery=made).title == f"an objection to {made.title}"
    assert pending_recovery(CLAIM, made.to_json(), ID) == made
    assert made.completed == {**AFTER.to_json(), "recovery": TOLD}


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {},
        {"reason": "lost", "date": TOLD["date"]},
        {**TOLD, "next": None},
        {**TOLD, "next": {"owners": [], "threshold": 1}},
        {**TOLD, "next": AFTER.to_json(), "reason": 1},
        {**TOLD, "next": AFTER.to_json(), "date": "yesterday"},
        {**TOLD, "next": AFTER.to_json(), "date": "2026-11-21T5:00:00Z"},
        {**TOLD, "next": AFTER.to_json(), "not_before": text_of(NOW + 7 * DAY - DAY / 24)},
        {**TOLD, "next": ownership_of(CLAIM).to_json()},
    ],
)
def test_what_is_no_recovery(told: Any) -> None:
    assert pending_recovery(CLAIM, told, ID) is None


@pytest.mark.parametrize(
    "text", ["", "2026-11-21", "2026-11-21T05:00:00+00:00", "２026-11-21T05:00:00Z"]
)
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="time"):
        time_of(text)


def test_what_a_record_says_is_read() -> None:
    made = recovery()
    said = found(made, objection={"payload": ""})
    read = LoggedRecovery.from_json({**said.to_json(), "later": 1})
    assert read.extra == {"later": 1}
    assert replace(read, extra={}) == said
    assert logged(record(said), made) == said
    assert logged(record(said), recovery(reason="stolen")) is None
    assert entry_said("alpha", said) == entry_of(made)
    assert replace(said, statement={"predicate": 1}).told == {}


@pytest.mark.parametrize("value", [{}, {"statement": {}, "date": "today", "log": {}}])
def test_a_record_that_says_something_else(value: Any) -> None:
    with pytest.raises(TrustError) as caught:
        recoveries_of(replace(record(), recoveries=(value,)))
    assert caught.value.code == "TRUST_METADATA"


def test_an_objection_goes_with_its_recovery() -> None:
    made, other = recovery(), recovery(reason="stolen")
    with_one = with_objection(record(found(other), found(made)), made, {"payload": "x"})
    assert [each.objection for each in recoveries_of(with_one)] == [None, {"payload": "x"}]


# When it may be in force


@pytest.mark.parametrize(
    ("date", "rows", "seen", "days"),
    [
        (NOW, (), None, 7),
        (NOW + DAY, (), None, 8),
        (NOW - 30 * DAY, (), None, 7),
        (NOW, (row(1, text_of(NOW + 3 * DAY)), row(9, text_of(NOW + 5 * DAY))), None, 10),
        (NOW, (row(1, text_of(NOW - DAY)),), NOW + 2 * DAY, 9),
        (NOW, (row(1, text_of(NOW - DAY)),), NOW - 2 * DAY, 7),
    ],
)
def test_when_it_is_due(date: datetime, rows: Any, seen: datetime | None, days: int) -> None:
    made = recovery()
    said, at = found(made, date), NOW + days * DAY
    where = record(said, rows=rows)
    assert due(made, where, said, at, lambda index: seen if index == 5 else None) == at
    with pytest.raises(TrustError, match=f"may take effect on {text_of(at)}, and not before"):
        check_recovered(made, where, at - timedelta(seconds=1), lambda _: seen)
    assert check_recovered(made, where, at, lambda _: seen) == said


@pytest.mark.parametrize("date", [NOW + 8 * DAY, NOW + 9999 * DAY, FOREVER])
def test_a_release_of_the_future_delays_nothing(date: datetime) -> None:
    made, later = recovery(), NOW + 7 * DAY
    said = found(made)
    where = record(said, rows=(row(1, text_of(date)),))
    assert due(made, where, said, NOW) == later
    assert check_recovered(made, where, later) == said
    assert states(where, replace(CLAIM, recovery=made.to_json())) == [(PENDING, text_of(later))]


@pytest.mark.parametrize("date", ["", "today"])
def test_a_release_without_a_date(date: str) -> None:
    made = recovery()
    with pytest.raises(TrustError) as caught:
        check_recovered(made, record(found(made), rows=(row(1, date),)), NOW + 30 * DAY)
    assert caught.value.code == "TRUST_METADATA"


def test_what_is_not_in_the_log() -> None:
    with pytest.raises(TrustError, match="of 2026-11-21 is not in the log"):
        check_recovered(recovery(), record(), NOW + 30 * DAY)


def test_an_owner_objected() -> None:
    made = recovery()
    with pytest.raises(TrustError, match="github:1 objected to the recovery of alpha"):
        check_recovered(
            made, record(found(made, objection=objected(made, CEM, ANA))), NOW + 30 * DAY
        )
    check_recovered(made, record(found(made, objection=objected(made, CEM))), NOW + 30 * DAY)
    check_recovered(made, record(found(made, objection="no envelope")), NOW + 30 * DAY)


def test_an_objection_that_was_seen_counts() -> None:
    made, then = recovery(), NOW + 30 * DAY
    now, seen = record(found(made)), record(found(made, objection=objected(made, ANA)))
    with pytest.raises(TrustError, match="github:1 objected to the recovery of alpha"):
        check_recovered(made, now, then, seen=seen)
    for other in (record(), record(found(recovery(reason="stolen")))):
        check_recovered(made, now, then, seen=other)


def test_only_a_claim_recovers() -> None:
    now = replace(CLAIM, owners=owners(BEN), owner_changes=(recovery().completed,))
    asked: list[Recovery] = []
    check_succession(CLAIM, now, ID, recovered=asked.append)
    assert asked == [recovery()]
    with pytest.raises(TrustError, match="is not signed by its owners"):
        check_succession(CLAIM, now, ID)
    malformed = replace(now, owner_changes=({**recovery().completed, "recovery": {}},))
    with pytest.raises(TrustError, match="change 1 of the owners of alpha is malformed"):
        check_succession(CLAIM, malformed, ID, recovered=asked.append)


# What became of it


def states(said: PackageRecord, claim: Claim | None) -> list[tuple[str, str]]:
    return [(each.state, each.due) for each in standing(said, claim, ID)]


def test_what_became_of_it() -> None:
    made, at = recovery(), text_of(NOW + 7 * DAY)
    asking = replace(CLAIM, recovery=made.to_json())
    done = replace(CLAIM, owners=owners(BEN), owner_changes=(made.completed,))
    said, refused = record(found(made)), found(made, objection=objected(made, ANA))
    assert states(said, asking) == [(PENDING, at)]
    assert states(said, done) == [(COMPLETED, "")]
    assert states(said, CLAIM) == [(WITHDRAWN, "")]
    assert states(said, None) == [(WITHDRAWN, "")]
    assert states(record(refused), asking) == [(OBJECTED, "")]
    assert states(record(refused), CLAIM) == [(OBJECTED, "")]
    assert states(record(), asking) == [(PENDING, "")]
    assert states(record(), done) == [(COMPLETED, "")]
    twice = record(found(recovery(reason="stolen")), found(made))
    assert states(twice, asking) == [(WITHDRAWN, ""), (PENDING, at)]


def test_what_is_said_of_it() -> None:
    made = recovery()
    asking = replace(CLAIM, recovery=made.to_json())
    (one,) = standing(record(found(made)), asking, ID)
    assert one.line == "recovery of alpha pending until 2026-11-28: lost"
    assert one.to_json() == {
        "name": "alpha", "state": PENDING, "due": text_of(NOW + 7 * DAY), **TOLD,
    }  # fmt: skip
    (one,) = standing(record(), asking, ID)
    assert one.line == "recovery of alpha pending, but not in the log: lost"
    assert one.to_json()["due"] is None
