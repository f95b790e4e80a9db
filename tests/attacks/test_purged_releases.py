"""Somebody with the keys that publish brings a purged release back, with its bytes or others."""

from __future__ import annotations

import hashlib

import pytest

from simulator import lasting
from support.simulated_actions import lift_of, reinstate, row_of, withdraw

PURGED = (4, "PURGED")


@pytest.fixture(params=["with a log", "without"])
def signer(request):
    return lasting(log=request.param == "with a log")


@pytest.fixture
def purged(attack):
    """1.1.0 was purged, and the victim has seen that."""
    attack.state = None  # each test sees to what comes after
    registry = attack.registry.release("quiz_master", "1.1.0", b"secret").publish()
    row = withdraw(registry, "1.1.0", "purge")
    row |= {"files": [], "release": {}}
    registry.artifacts.pop(row["path"])
    registry.files.pop(row["path"])
    row["release"] = {"summary": "", "use_case": "", "tags": [], "license": ""}
    registry.publish()
    assert attack.client.refused("install", "quiz_master@1.1.0") == PURGED
    return registry


def check_refused(attack, code=3):
    """Check that nothing is installed, and that the mended registry is believed."""
    registry = attack.registry
    registry.publish()
    for asked in ("quiz_master", "quiz_master@1.1.0"):
        assert attack.client.refused("install", asked)[0] == code
    assert attack.client.installed() == []


def mended(attack, **members):
    row = withdraw(attack.registry, "1.1.0", "purge", action=9)
    row |= members
    attack.registry.publish()
    assert attack.client.refused("install", "quiz_master@1.1.0") == PURGED
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.0.0" in path for path in attack.client.installed())


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (4, "PURGED"))
def test_its_bytes_are_served_again(attack, purged):
    row = row_of(purged, "1.1.0")
    purged.artifacts[row["path"]] = b"secret"
    reinstate(purged, "1.1.0")
    check_refused(attack)
    mended(attack)


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (4, "PURGED"))
def test_other_bytes_are_served(attack, purged):
    row = row_of(purged, "1.1.0")
    before = {"sha256": row["sha256"], "size": row["size"]}
    purged.artifacts[row["path"]] = b"other"
    row |= {"sha256": hashlib.sha256(b"other").hexdigest(), "size": 5}
    reinstate(purged, "1.1.0")
    check_refused(attack)
    mended(attack, **before)


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (4, "PURGED"))
def test_other_bytes_are_served_while_the_record_says_purged(attack, purged):
    row = row_of(purged, "1.1.0")
    purged.files[row["path"]] = b"other"
    purged.publish()
    assert attack.client.refused("install", "quiz_master@1.1.0") == PURGED
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (4, "PURGED"))
@pytest.mark.parametrize("key", ["online", "root"])
def test_a_purge_is_not_lifted(attack, purged, key):
    reinstate(purged, "1.1.0", lift_of(purged, "1.1.0", purged.signers[key]))
    check_refused(attack)
    mended(attack)
