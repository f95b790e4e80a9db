"""A person accepts an old copy of a registry: nothing but its expiry is accepted with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from simulator import METADATA, PAST

TODAY = datetime.now(UTC).date()
"""The day on which the tests began; it may be over."""

ACCEPT = ("--accept-stale-until", TODAY + timedelta(days=3))


@pytest.fixture
def stale(attack):
    """Everything that can expire has expired, and was never seen here while it was valid."""
    registry = attack.registry
    for signed in (registry.timestamp, registry.snapshot, registry.targets, registry.releases):
        signed.expires = PAST
    registry.bins["r-ec"].expires = PAST
    registry.targets.version += 1
    registry.releases.version += 1
    registry.bins["r-ec"].version += 1
    registry.sign_all()
    return attack


@pytest.mark.attack("T3", (3, "TRUST_FROZEN"))
def test_it_is_refused_and_the_message_says_all(stale):
    assert stale.install() == (3, "TRUST_FROZEN")
    said = stale.client.run("install", "quiz_master").err
    assert f"timestamp.json of the registry expired on {PAST:%Y-%m-%d}T" in said
    for words in ("maintainers", "--resign", "what is installed works on", "--accept-stale-until"):
        assert words in said


@pytest.mark.parametrize("command", ["install quiz_master", "search quiz", "info quiz_master"])
def test_it_is_accepted_and_told_every_time(stale, command):
    for _ in range(2):
        done = stale.client.run(*command.split(), *ACCEPT)
        assert done.code == 0, done.err
        assert f"psreg: expired metadata of the registry is accepted until {ACCEPT[1]}" in done.err
        assert f"timestamp expired on {PAST:%Y-%m-%d}" in done.err
    assert stale.client.run("install", "quiz_master").code == 3


def test_it_is_told_where_nothing_has_expired(attack):
    done = attack.client.run("install", "quiz_master", "-q", *ACCEPT)
    assert (done.code, "nothing has expired" in done.err) == (0, True)


@pytest.mark.parametrize(
    "day",
    [TODAY - timedelta(days=1), "soon", "2026-13-01", "20991231", "2099-W01-1", "", "2099-1-1"],
)
def test_a_day_that_is_none_or_has_passed_is_refused(attack, day):
    asked = len(attack.server.asked)
    done = attack.client.run("install", "quiz_master", "--accept-stale-until", day)
    assert done.code == 2
    assert len(attack.server.asked) == asked


def test_today_is_accepted(stale):
    """The day may end between the question and the answer, but not twice."""
    days = (datetime.now(UTC).date() for _ in range(2))
    command = ("install", "quiz_master", "--accept-stale-until")
    assert any(stale.client.run(*command, day).code == 0 for day in days)


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("role", ["timestamp", "snapshot"])
def test_an_older_state_is_still_refused(stale, role):
    registry, files = stale.registry, stale.registry.files
    old = {name: files[f"{METADATA}{name}"] for name in ("timestamp.json", "2.snapshot.json")}
    registry.sign_all()
    assert stale.client.run("search", *ACCEPT).code == 0
    if role == "timestamp":
        files[f"{METADATA}timestamp.json"] = old["timestamp.json"]
    else:
        registry.snapshot.version -= 2
        registry.timestamp.snapshot_meta.version = registry.snapshot.version
        registry.timestamp.version += 1
        registry.write_snapshot()
        registry.write_timestamp()
    assert stale.install(*ACCEPT) == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "releases"])
def test_a_wrong_signature_is_still_refused(stale, role):
    registry = stale.registry
    registry.signers["root"], registry.signers["online"] = (
        registry.signers["online"],
        registry.signers["root"],
    )
    signed = getattr(registry, role)
    signed.version += 1
    if role == "timestamp":
        registry.signers["stamp"] = registry.signers["root"]
    registry.sign_all()
    stale.state = None
    assert stale.install(*ACCEPT) == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T4", (3, "TRUST_MIXED"))
def test_files_of_two_states_are_still_refused(stale):
    files = stale.registry.files
    old = files[f"{METADATA}2.r-ec.json"]
    stale.registry.bins["r-ec"].version += 1
    stale.registry.sign_all()
    files[f"{METADATA}3.r-ec.json"] = old
    assert stale.install(*ACCEPT) == (3, "TRUST_MIXED")


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
def test_other_bytes_are_still_refused(stale):
    path = next(path for path in stale.registry.files if path.startswith("pbes/"))
    stale.registry.files[path] += b" "
    assert stale.install(*ACCEPT) == (3, "TRUST_DIGEST")
