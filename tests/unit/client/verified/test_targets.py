"""A state that was verified is not verified again; everything else is."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from psreg.client.tufclient import TufClient
from psreg.client.verified.facts import FILE, KEY
from psreg.client.verified.targets import VerifiedTargets
from psreg.core.errors import PsregError, TrustError
from simulator import METADATA, PAST, Simulator

RECORD = "pkg/quiz_master.json"
ABSENT = "owners/quiz_master.json"
BY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's file")
PROBES = [f"{METADATA}2.root.json", f"{METADATA}timestamp.json"]


@pytest.fixture
def registry():
    return Simulator().release().publish()


@pytest.fixture
def said():
    return []


@pytest.fixture
def verified():
    """The clients that were asked to verify something."""
    return []


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "config").mkdir()
    return tmp_path / "config"


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.fixture
def connect(registry, settings, state, said, verified):
    def verifier(source):
        verified.append(TufClient(source, registry.first_root, state, said.append))
        return verified[-1]

    def connect(key_folder=settings, pin=registry.pin):
        registry.reads.clear()
        verified.clear()
        return VerifiedTargets(
            registry,
            state,
            said.append,
            registry=(registry.registry_id, pin),
            verifier=verifier,
            key_folder=key_folder,
        )

    return connect


@pytest.fixture
def warm(connect):
    """Read a record and what is not listed, and remember it."""
    targets = connect()
    assert targets.target(RECORD, 10_000)
    assert targets.target(ABSENT, 10_000) is None
    targets.accept("quiz_master 1.0.0", "d" * 64, claimed=True)
    targets.remember()


def changed(file, change):
    value = json.loads(file.read_bytes())
    change(value)
    file.write_text(json.dumps(value))


@pytest.mark.usefixtures("warm")
def test_the_same_state_is_asked_for_twice_and_verified_once(registry, connect, verified):
    judged = []
    targets = connect()
    record = targets.target(RECORD, 10_000)
    assert json.loads(record)["name"] == "quiz_master"
    assert targets.target(ABSENT, 10_000, lambda *both: judged.append(both)) is None
    assert targets.lists(RECORD)
    assert not targets.lists(ABSENT)
    assert targets.versions() == {"root": 1, "timestamp": 1, "snapshot": 1, "targets": 1}
    assert targets.newest_root() == registry.first_root
    assert targets.accepted("quiz_master 1.0.0", lambda: "d" * 64).claimed
    assert targets.accepted("quiz_master 1.0.0", lambda: "e" * 64) is None
    assert targets.accepted("quiz_master 1.0.1", lambda: "d" * 64) is None
    targets.remember()
    assert (judged, verified, registry.reads) == ([(None, None)], [], PROBES)


@pytest.mark.usefixtures("warm")
def test_what_was_not_asked_for_before_is_verified_and_then_remembered_beside_it(
    registry, connect, verified
):
    targets = connect()
    assert targets.target(RECORD, 10_000)
    assert targets.target("catalog/head.json", 10_000)
    assert registry.reads[:2] == PROBES
    assert registry.reads.count(PROBES[1]) == 1, "what was seen is not asked for again"
    targets.remember()
    assert len(verified) == 1
    targets = connect()
    assert targets.target(RECORD, 10_000)
    assert targets.target("catalog/head.json", 10_000)
    assert targets.accepted("quiz_master 1.0.0", lambda: "d" * 64)
    assert not verified


@pytest.mark.usefixtures("warm")
def test_a_new_timestamp_is_verified(registry, connect, verified):
    registry.release("diary").publish()
    targets = connect()
    assert targets.target(RECORD, 10_000)
    assert targets.accepted("quiz_master 1.0.0", lambda: "d" * 64) is None
    assert targets.versions()["timestamp"] == 2
    assert verified
    targets.remember()
    targets = connect()
    assert targets.versions()["timestamp"] == 2
    assert targets.accepted("quiz_master 1.0.0", lambda: "d" * 64) is None, (
        "that was of another state"
    )
    assert not verified


@pytest.mark.usefixtures("warm")
def test_a_timestamp_that_nobody_signed_is_refused(registry, connect):
    signer = Simulator(registry_id=registry.registry_id).release().publish()
    signer.timestamp.version = 5
    signer.write_timestamp()
    registry.files[PROBES[1]] = signer.files[PROBES[1]]
    with pytest.raises(TrustError) as caught:
        connect().target(RECORD, 10_000)
    assert caught.value.code == "TRUST_SIGNATURE"


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("ours", [True, False])
def test_a_newer_root_is_judged_although_the_timestamp_is_the_same(registry, connect, ours):
    registry.root.version = 2
    registry.write_root()
    if not ours:
        registry.files[PROBES[0]] = Simulator().first_root
        with pytest.raises(TrustError):
            connect().versions()
        return
    assert connect().versions()["root"] == 2


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_that_is_too_long_is_refused_as_ever(registry, connect, probe):
    registry.files[probe] = b"x" * 600_000
    with pytest.raises(TrustError) as caught:
        connect().versions()
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.usefixtures("warm")
def test_a_timestamp_that_is_not_served_any_more(registry, connect):
    del registry.files[PROBES[1]]
    with pytest.raises(PsregError) as caught:
        connect().versions()
    assert caught.value.code == "NOT_FOUND"


@pytest.mark.parametrize("late", ["timestamp", "snapshot", "targets", "releases"])
def test_what_has_expired_meanwhile_is_refused(registry, connect, late, monkeypatch):
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=30)
    getattr(registry, late).expires = soon
    registry.sign_all()
    targets = connect()
    assert targets.target(RECORD, 10_000)
    targets.remember()
    after = soon + timedelta(seconds=1)
    monkeypatch.setattr("psreg.system.clock.datetime", clock_at(after))
    monkeypatch.setattr("psreg.client.verified.targets.exact_time", lambda: after)
    set_clock_of_tuf(monkeypatch, after)
    with pytest.raises(TrustError) as caught:
        connect().target(RECORD, 10_000)
    assert caught.value.code == "TRUST_FROZEN"


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(
    "damage",
    [
        lambda state, _: (state / FILE).unlink(),
        lambda state, _: (state / FILE).write_bytes(b""),
        lambda state, _: (state / FILE).write_bytes(b"\n"),
        lambda state, _: (state / FILE).write_bytes((state / FILE).read_bytes() + b" "),
        lambda _, settings: (settings / KEY).unlink(),
        lambda _, settings: (settings / KEY).write_bytes(b"k" * 32),
        lambda _, settings: (settings / KEY).write_bytes(b""),
        lambda _, settings: (settings / KEY).chmod(0o640),
        pytest.param(lambda _, settings: os.chown(settings / KEY, 12_345, -1), marks=BY_ROOT),
        lambda state, _: (state / "metadata" / "snapshot.json").write_bytes(b"{}"),
        lambda state, _: (state / "metadata" / "releases.json").unlink(),
        lambda state, _: (state / "metadata" / "root.json").unlink(),
        lambda state, _: (state / RECORD).write_bytes(b"{}"),
        lambda state, _: (state / RECORD).unlink(),
    ],
)
def test_without_all_that_was_remembered_it_is_verified(connect, state, settings, verified, damage):
    before = connect().target(RECORD, 10_000)
    damage(state, settings)
    targets = connect()
    assert targets.target(RECORD, 10_000) == before
    assert verified
    targets.remember()
    assert connect().target(RECORD, 10_000) == before
    assert not verified


@pytest.mark.usefixtures("warm")
def test_what_is_remembered_is_of_one_registry_and_one_pin(connect, verified):
    assert connect(pin="0" * 64).target(RECORD, 10_000)
    assert verified


@pytest.mark.usefixtures("warm")
def test_another_version_of_psreg_verifies_again(connect, verified, monkeypatch):
    monkeypatch.setattr("psreg.client.verified.facts.__version__", "99.0.0")
    assert connect().target(RECORD, 10_000)
    assert verified


def test_nothing_is_remembered_without_a_place_for_the_key(connect, state, settings, verified):
    targets = connect(key_folder=None)
    assert targets.target(RECORD, 10_000)
    targets.remember()
    assert not (state / FILE).exists()
    assert not [*settings.iterdir()]
    settings.rmdir()
    targets = connect()
    assert targets.target(RECORD, 10_000)
    targets.remember()
    assert not (state / FILE).exists()
    assert verified


def test_nothing_is_remembered_of_what_was_refused(registry, connect, state):
    """A command may go on after a refusal, such as `verify` with the next name."""
    good = registry.files[PROBES[1]]
    registry.files[PROBES[1]] = b"{}"
    for _ in range(2):
        targets = connect()
        with pytest.raises(TrustError):
            targets.target(RECORD, 10_000)
        targets.remember()
        assert not (state / FILE).exists()
    registry.files[PROBES[1]] = good
    assert connect().target(RECORD, 10_000)


@pytest.mark.usefixtures("warm")
def test_who_accepts_what_has_expired_is_told_by_who_verifies(connect, verified, said):
    targets = connect()
    targets.stale_until = "2099-01-01"
    assert targets.target(RECORD, 10_000)
    assert verified
    assert "is accepted until 2099-01-01: nothing has expired" in said[-1]


def test_nothing_is_remembered_of_what_has_expired(registry, connect, state):
    registry.timestamp.expires = PAST
    registry.write_timestamp()
    targets = connect()
    targets.stale_until = "2099-01-01"
    assert targets.target(RECORD, 10_000)
    targets.remember()
    assert not (state / FILE).exists()


@pytest.mark.usefixtures("warm")
def test_what_another_process_verified_meanwhile_is_not_taken_for_ours(
    registry, connect, state, verified
):
    before = (state / FILE).read_bytes()
    targets = connect(pin="0" * 64)
    assert targets.target(RECORD, 10_000)
    registry.release("diary").publish()
    assert connect().versions()["timestamp"] == 2
    targets.remember()
    assert (state / FILE).read_bytes() == before


def test_a_key_is_for_its_owner_alone(connect, settings):
    targets = connect()
    assert targets.versions()
    targets.remember()
    assert (settings / KEY).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("warm")
def test_a_clock_that_is_behind_is_told(connect, state, said):
    ahead = datetime.now(UTC).timestamp() + 7200
    os.utime(state / "metadata" / "timestamp.json", (ahead, ahead))
    assert connect().target(RECORD, 10_000)
    assert any("the registry was read on" in line for line in said)


def clock_at(moment):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return moment.astimezone(tz)

    return Clock


def set_clock_of_tuf(monkeypatch, moment):
    class Clock:
        UTC = UTC
        timezone = datetime.now(UTC).tzinfo.__class__
        datetime = clock_at(moment)

    monkeypatch.setattr("tuf.ngclient._internal.trusted_metadata_set.datetime", Clock)
