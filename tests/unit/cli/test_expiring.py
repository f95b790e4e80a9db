"""Users are told, once a day, when maintainers must renew a registry."""

from __future__ import annotations

from datetime import timedelta

import pytest

from simulator import LATER, PAST, Simulator
from support.clients import Client
from support.loopback import serving

SOON = PAST + timedelta(days=11)


@pytest.fixture
def person(tmp_path):
    """A person whose registry has targets that expire in ten days."""
    registry = Simulator(log=True).release()
    registry.targets.expires = SOON
    client = Client(tmp_path / "client")
    with serving(registry.publish().files) as server:
        client.trust(server.url, registry.pin)
        client.registry, client.server = registry, server
        yield client


def told(done):
    assert done.code == 0, done.err
    return [line for line in done.err.splitlines() if "expire soon" in line]


def test_once_a_day(person):
    (line,) = told(person.run("search"))
    assert line == (
        f"psreg: warning: signatures of the registry {person.server.url} expire soon: "
        f"targets on {SOON:%Y-%m-%d}; tell its maintainers to renew them"
    )
    for command in ("search", "info quiz_master", "install quiz_master", "add quiz_master"):
        assert told(person.run(*command.split())) == []
    (marker,) = person.state.glob("*/told-expiring")
    marker.write_text("2026-11-01")
    assert len(told(person.run("outdated"))) == 1
    assert told(person.run("install", "quiz_master")) == []
    marker.write_text("2026-11-01")
    assert len(told(person.run("info", "quiz_master"))) == 1  # verified before, python-tuf or not


def test_never_with_quiet_which_uses_nothing_up(person):
    for command in ("search --quiet", "install quiz_master -q"):
        done = person.run(*command.split())
        assert (done.code, done.err) == (0, "")
    assert len(told(person.run("search", "--format", "json"))) == 1


def test_never_without_asking(person):
    assert person.run("search", "-q").code == 0
    assert told(person.run("search", "--offline")) == []
    assert len(told(person.run("search"))) == 1


def test_the_timestamp_renews_itself(person):
    person.registry.targets.expires = LATER
    person.registry.timestamp.expires = person.registry.snapshot.expires = SOON
    person.registry.publish()
    assert told(person.run("search")) == []
