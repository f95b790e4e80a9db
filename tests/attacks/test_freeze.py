"""An old but genuine state is shown for ever."""

from __future__ import annotations

import pytest

from simulator import PAST


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "releases", "root"])
def test_expired_metadata_is_refused_with_its_date(attack, role):
    registry = attack.registry
    getattr(registry, role).expires = PAST
    if role in ("targets", "releases"):
        getattr(registry, role).version += 1
    if role == "root":
        registry.root.version += 1
        registry.write_root()
    registry.sign_all()
    assert attack.install() == (3, "TRUST_FROZEN")
    said = attack.client.run("install", "quiz_master")
    assert PAST.strftime("%Y-%m-%d") in said.err or role == "root"
    assert attack.client.installed() == []


def test_what_was_fresh_yesterday_is_refused_today(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    attack.registry.timestamp.expires = PAST
    attack.registry.sign_all()
    assert attack.install() == (3, "TRUST_FROZEN")
