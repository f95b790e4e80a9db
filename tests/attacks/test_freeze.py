"""An old but genuine state is shown for ever."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from simulator import LATER, METADATA, PAST

FILES = {
    "timestamp": "timestamp.json",
    "snapshot": "2.snapshot.json",
    "targets": "2.targets.json",
    "releases": "2.releases.json",
    "r-ec": "2.r-ec.json",
    "root": "2.root.json",
}


@pytest.mark.attack("T3", (3, "TRUST_FROZEN"))
@pytest.mark.parametrize("role", FILES)
def test_expired_metadata_is_refused_with_its_name_and_date(attack, role):
    registry = attack.registry
    signed = registry.bins[role] if role in registry.bins else getattr(registry, role)
    signed.expires = PAST
    if role not in ("timestamp", "snapshot"):
        signed.version += 1
    if role == "root":
        registry.write_root()
        attack.state = None  # the client waits for the next root
    registry.sign_all()
    assert attack.install() == (3, "TRUST_FROZEN")
    said = attack.client.run("install", "quiz_master")
    assert f"{FILES[role]} of the registry expired on {PAST:%Y-%m-%d}T" in said.err
    assert attack.client.installed() == []


def test_the_newest_root_counts(attack):
    registry = attack.registry
    for version, expires in ((2, PAST), (3, LATER)):
        registry.root.version, registry.root.expires = version, expires
        registry.write_root()
    assert attack.client.run("install", "quiz_master").code == 0
    registry.timestamp.expires = PAST + timedelta(hours=1)
    registry.sign_all()
    assert "timestamp.json of the registry expired" in attack.client.run("search").err


@pytest.mark.attack("T3", (3, "TRUST_FROZEN"))
def test_what_was_fresh_yesterday_is_refused_today(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    attack.registry.timestamp.expires = PAST
    attack.registry.sign_all()
    assert attack.install() == (3, "TRUST_FROZEN")


@pytest.mark.attack("T3", (3, "TRUST_FROZEN"))
def test_a_timestamp_that_expired_in_the_cache_is_named(attack):
    """The mirror shows the same one again: the file of the last request is another one."""
    registry = attack.registry
    assert attack.client.run("install", "quiz_master").code == 0
    registry.timestamp.expires = PAST
    registry.write_timestamp()
    (cached,) = attack.client.state.glob("*/metadata/timestamp.json")
    cached.write_bytes(registry.files[f"{METADATA}timestamp.json"])
    assert attack.install() == (3, "TRUST_FROZEN")
    assert "timestamp.json of the registry expired" in attack.client.run("search").err


# A clock that is behind sees nothing expire


@pytest.mark.parametrize("command", ["install quiz_master", "info quiz_master", "search quiz"])
def test_a_release_of_the_future_is_told(attack, command):
    date = f"{LATER:%Y-%m-%dT%H:%M:%SZ}"
    attack.registry.records.clear()
    attack.registry.release(date=date).publish()
    said = attack.client.run(*command.split())
    assert said.code == 0
    assert said.err.count(f"is dated {date}, but the clock of this machine says ") == 1


@pytest.mark.parametrize("date", ["", "soon", "2026-11-21", "9999-99-99T00:00:00Z"])
def test_a_date_that_is_none_is_not_judged(attack, date):
    attack.registry.records.clear()
    attack.registry.release(date=date).publish()
    said = attack.client.run("search")
    assert (said.code, said.err) == (0, "")


def test_a_clock_behind_the_last_run_is_told(attack):
    assert attack.client.run("search").err == ""
    (cached,) = attack.client.state.glob("*/metadata/timestamp.json")
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(days=40)
    os.utime(cached, (later.timestamp(), later.timestamp()))
    said = attack.client.run("search")
    assert said.code == 0
    assert f"was read on {later:%Y-%m-%dT%H:%M:%SZ}, but the clock" in said.err
