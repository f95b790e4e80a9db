"""Somebody says that owners lost their keys, so that others get their name.

Those who sign claims can say so, but only in public: it is in the log for a week, in which an owner
can object. Here, somebody has their keys, those that publish, or both.
"""

from __future__ import annotations

import base64
import hashlib
import os
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from simulator import lasting
from support.owners import ANA, BEN, CEM
from support.simulated_owners import (
    SimulatedOwners,
    change,
    completed,
    files_of,
    log_recovery,
    objection,
    owned_by,
    recovery,
)

REFUSED = (3, "TRUST_OWNER_CHANGED")
NAME = "quiz_master"


def ago(days):
    """Return the time so many days ago."""
    at = datetime.now(UTC) - timedelta(days=days)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def told(days=8.0, weeks=1.0):
    """Return what is said about a recovery of so many days ago, which takes so many weeks."""
    then = {"date": ago(days), "not_before": ago(days - 7 * weeks)}
    return {"reason": "a laptop was lost", **then}


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def claimed(attack):
    """A name that ANA has claimed; the client has installed it three weeks ago."""
    attack.state = None  # `check_refused` sees to what comes after
    registry, record = attack.registry, attack.registry.records[NAME]
    record["releases"][0]["date"] = ago(30)
    record |= owned_by(ANA)
    registry.publish()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim(NAME, ANA)
    record["serial"] += 1
    registry.publish()
    claimed = SimpleNamespace(attack=attack, registry=registry, record=record, owners=owners)
    check_installed(claimed, "1.0.0")
    seen(claimed, 21)
    return claimed


def seen(claimed, days):
    """Let it be so many days ago that the client last read the log."""
    (folder,) = claimed.attack.client.state.iterdir()
    at = datetime.now(UTC).timestamp() - days * 24 * 60 * 60
    os.utime(folder / "log/checkpoint", (at, at))


def announce(claimed, after=(BEN,), *, record=None, date="", said=None, **changes):
    """Log a recovery; return its statement."""
    said, record = said or told(), record or claimed.record
    statement = recovery(
        record, claimed.registry.registry_id, before=(ANA,), after=after, told=said
    )
    statement["predicate"] |= changes
    log_recovery(claimed.registry, claimed.record, statement, date or said["date"])
    return statement


def complete(claimed, link, owner=BEN, version="1.1.0"):
    """Let another owner have the name, with a link in its claim, and release a version."""
    claimed.record |= owned_by(owner)
    claimed.owners.claim(NAME, owner, owner_changes=[link])
    release(claimed, owner, version)


def release(claimed, owner, version):
    claimed.registry.release(NAME, version, version.encode(), date=ago(0))
    row = claimed.record["releases"][-1]
    row["files"] = files_of(row)
    claimed.owners.sign(NAME, version, owner)
    claimed.registry.publish()


def check_refused(claimed, refusal=REFUSED):
    """Check that nothing is installed, now and again, and that what ANA releases then is."""
    client = claimed.attack.client
    before = client.installed()
    assert claimed.attack.install() == refusal
    assert claimed.attack.install() == refusal
    assert client.installed() == before
    claimed.record |= owned_by(ANA)
    claimed.record["releases"].pop()
    claimed.record.pop("recoveries", None)
    claimed.owners.claim(NAME, ANA)
    release(claimed, ANA, "1.2.0")
    check_installed(claimed, "1.2.0")


def check_installed(claimed, version="1.1.0"):
    done = claimed.attack.client.run("install", NAME)
    assert done.code == 0, done.err
    assert any(version in path for path in claimed.attack.client.installed())
    return done.err


# What is in order


def test_a_client_that_was_away_follows_a_recovery(claimed):
    complete(claimed, completed(announce(claimed)))
    assert "the owners of quiz_master changed: github:2 SHA256:" in check_installed(claimed)
    assert check_installed(claimed) == ""


def test_a_client_that_saw_it_announced_follows_a_recovery(claimed):
    statement = announce(claimed)
    claimed.registry.publish()
    release(claimed, ANA, "1.0.1")
    check_installed(claimed, "1.0.1")
    complete(claimed, completed(statement))
    check_installed(claimed)


def test_a_release_of_the_far_future_does_not_stop_a_recovery(claimed):
    """A thief, or a wrong clock, dated it; it stays in the record and in the log."""
    claimed.registry.release(NAME, "1.0.1", b"1.0.1", date="9999-12-31T23:59:59Z")
    row = claimed.record["releases"][-1]
    row["files"] = files_of(row)
    claimed.owners.sign(NAME, "1.0.1", ANA)
    claimed.registry.publish()
    check_installed(claimed, "1.0.1")
    seen(claimed, 21)
    complete(claimed, completed(announce(claimed)))
    check_installed(claimed)


def test_owners_release_until_it_is_completed(claimed):
    said = {**told(1), "next": {"owners": [], "threshold": 0}}
    announce(claimed, said=told(1))
    claimed.owners.claim(NAME, ANA, recovery=said)
    release(claimed, ANA, "1.1.0")
    check_installed(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_week_passes(claimed):
    said = told(6.9)
    complete(claimed, completed(announce(claimed, said=said)))
    assert claimed.attack.install() == REFUSED
    tomorrow = int(datetime.now(UTC).timestamp()) + 24 * 60 * 60
    done = claimed.attack.client.run("install", NAME, SOURCE_DATE_EPOCH=str(tomorrow))
    assert done.code == 0, done.err


# Too early


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("weeks", [1, 0.1, 0, -1])
def test_it_is_completed_before_a_week_has_passed(claimed, weeks):
    complete(claimed, completed(announce(claimed, said=told(3, weeks))))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_it_is_completed_before_the_day_that_was_announced(claimed):
    complete(claimed, completed(announce(claimed, said=told(8, 2))))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_it_is_dated_earlier_than_it_was_logged(claimed):
    complete(claimed, completed(announce(claimed, date=ago(1))))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_log_did_not_have_it_this_week(claimed):
    """All keys of the registry are stolen, and date it a week back; the client was here since."""
    seen(claimed, 6)
    complete(claimed, completed(announce(claimed)))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_log_did_not_change_for_long(claimed):
    """As above; what the client saw this week is the same that it saw three weeks ago."""
    claimed.record["serial"] += 1
    claimed.registry.publish()
    check_installed(claimed, "1.0.0")
    complete(claimed, completed(announce(claimed)))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_log_has_it_after_a_release_of_this_week(claimed):
    release(claimed, ANA, "1.0.1")
    complete(claimed, completed(announce(claimed)))
    check_refused(claimed)


# Not what was announced


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_others_get_it_than_was_announced(claimed):
    link = completed(announce(claimed))
    other = recovery(
        claimed.record, claimed.registry.registry_id, before=(ANA,), after=(CEM,), told=told()
    )
    link["owners"] = other["predicate"]["owners"]
    complete(claimed, link, CEM)
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_claim_names_others_than_its_chain(claimed):
    complete(claimed, completed(announce(claimed)), CEM)
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("member", ["reason", "date", "not_before"])
def test_something_else_is_told_than_was_announced(claimed, member):
    link = completed(announce(claimed))
    link["recovery"] |= {member: "a theft" if member == "reason" else ago(20)}
    complete(claimed, link)
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_it_was_never_logged(claimed):
    statement = announce(claimed)
    del claimed.record["recoveries"]
    complete(claimed, completed(statement))
    check_refused(claimed)


def _no_entry(claimed):
    del claimed.registry.log.leaves[-1]


def _another_entry(claimed):
    claimed.record["recoveries"][0]["log"]["index"] = 0


def _no_proof(claimed):
    claimed.record["recoveries"][0]["log"]["proof"] = []


def _another_checkpoint(claimed):
    note = claimed.registry.log.note(2, hashlib.sha256(b"another log").digest())
    claimed.record["recoveries"][0]["log"]["checkpoint"] = note.decode()


UNLOGGED = [_no_entry, _another_entry, _no_proof, _another_checkpoint]


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("spoil", UNLOGGED)
def test_its_proof_is_none(claimed, spoil):
    statement = announce(claimed)
    spoil(claimed)
    complete(claimed, completed(statement))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_recovery_of_another_name(claimed):
    other = claimed.registry.release("diary").records["diary"]
    complete(claimed, completed(announce(claimed, record=other)))
    check_refused(claimed)


ELSEWHERE = {
    "in another registry": {"registry": "f" * 32},
    "of another number": {"number": 2},
    "after other owners": {"before": "0" * 64},
    "with another threshold": {"threshold": 2},
}


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("changes", ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_recovery_of_something_else(claimed, changes):
    link = completed(announce(claimed, **changes))
    complete(claimed, {**link, "threshold": 1})
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_a_recovery_is_replayed(claimed):
    """BEN gave the name back, and the link with which he had it comes once more."""
    first = completed(announce(claimed))
    known = {"name": NAME, "owner_changes": [first]}
    registry_id = claimed.registry.registry_id
    second = change(known, registry_id, before=(BEN,), after=(ANA,), signers=(BEN,))
    claimed.owners.claim(NAME, ANA, owner_changes=[first, second])
    release(claimed, ANA, "1.0.1")
    check_installed(claimed, "1.0.1")
    claimed.owners.claim(NAME, BEN, owner_changes=[first, second, first])
    release(claimed, BEN, "1.1.0")
    assert claimed.attack.install() == REFUSED


# An owner objected


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_it_is_completed_although_an_owner_objected(claimed):
    statement = announce(claimed)
    claimed.record["recoveries"][0]["objection"] = objection(statement, ANA)
    complete(claimed, completed(statement))
    check_refused(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_an_objection_was_seen_and_is_hidden(claimed):
    """A thief of the keys that publish leaves it out of the record."""
    statement = announce(claimed)
    claimed.record["recoveries"][0]["objection"] = objection(statement, ANA)
    release(claimed, ANA, "1.0.1")
    check_installed(claimed, "1.0.1")
    del claimed.record["recoveries"][0]["objection"]
    complete(claimed, completed(statement))
    check_refused(claimed)


NONE = {
    "of a stranger": ((BEN,), {}),
    "of nobody": ((), {}),
    "for a release": ((ANA,), {"namespace": "release@psreg"}),
    "for another name": ((ANA,), {"name": "diary"}),
    "for another registry": ((ANA,), {"registry": "f" * 32}),
}


@pytest.mark.parametrize(("signers", "changes"), NONE.values(), ids=NONE)
def test_an_objection_that_is_none_prevents_nothing(claimed, signers, changes):
    statement = announce(claimed)
    claimed.record["recoveries"][0]["objection"] = objection(statement, *signers, **changes)
    complete(claimed, completed(statement))
    check_installed(claimed)


def test_a_thief_whose_key_was_revoked_prevents_nothing(claimed):
    key = base64.b64encode(hashlib.sha256(ANA.blob).digest()).decode().rstrip("=")
    claimed.record["void"] = [{"key": f"SHA256:{key}", "after": 0, "action": 1}]
    statement = announce(claimed)
    claimed.record["recoveries"][0]["objection"] = objection(statement, ANA)
    complete(claimed, completed(statement))
    check_installed(claimed)


# The keys that publish alone


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_the_publishing_keys_cannot_recover_a_claimed_name(claimed):
    link = completed(announce(claimed))
    claimed.record |= {**owned_by(BEN), "owner_changes": [link]}
    release(claimed, BEN, "1.1.0")
    check_refused(claimed, (3, "TRUST_STATEMENT"))


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_the_publishing_keys_cannot_recover_a_name_that_is_not_claimed(claimed):
    registry = claimed.registry.release("diary", date=ago(30))
    record = registry.records["diary"]
    record |= owned_by(ANA)
    registry.publish()
    assert claimed.attack.client.run("install", "diary").code == 0
    seen(claimed, 21)
    statement = recovery(record, registry.registry_id, before=(ANA,), after=(BEN,), told=told())
    log_recovery(registry, record, statement, ago(8))
    record |= {**owned_by(BEN), "owner_changes": [completed(statement)]}
    registry.release("diary", "1.1.0", b"newer")
    registry.publish()
    assert claimed.attack.client.refused("install", "diary") == REFUSED


MALFORMED = [{}, [1], [{}], [{"statement": {}, "date": "today", "log": {}}], "x"]


@pytest.mark.attack("T7", (3, "TRUST_METADATA"), (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("value", MALFORMED)
def test_recoveries_that_are_none(claimed, value):
    statement = announce(claimed)
    claimed.record["recoveries"] = value
    complete(claimed, completed(statement))
    assert claimed.attack.install()[0] == 3
