"""Somebody with all keys that publish hides that a release was revoked, or pretends a lift.

The attacker has the keys `online` and `stamp`, and the one of the log; only the keys of the role
`root` belong to the maintainers. A victim who has seen the revocation does not forget it.
"""

from __future__ import annotations

import copy
import hashlib

import pytest

from simulator import lasting
from support.simulated_actions import WHY, lift_of, reinstate, row_of, withdraw

HIDDEN = (3, "TRUST_ROLLBACK")
REVOKED = (3, "TRUST_REVOKED")


@pytest.fixture(params=["with a log", "without"])
def signer(request):
    return lasting(log=request.param == "with a log")


@pytest.fixture
def seen(attack):
    """A registry in which 1.1.0 is revoked, as a victim who has nothing installed has seen it."""
    attack.state = None  # `check_refused` sees to what comes after
    registry = attack.registry.release("quiz_master", "1.1.0", b"newer")
    registry.publish()
    withdraw(registry, "1.1.0")
    registry.publish()
    assert attack.client.refused("install", "quiz_master@1.1.0") == REVOKED
    return registry


def check_refused(attack, *refusals, version="1.1.0"):
    """Check that nothing is installed, and that the mended registry is believed."""
    registry = attack.registry
    registry.publish()
    for asked in (f"quiz_master@{version}", "quiz_master"):
        assert attack.client.refused("install", asked) in refusals
    assert attack.client.installed() == []
    registry.records["quiz_master"].pop("lifts", None)
    withdraw(registry, version, action=9)
    registry.publish()
    assert attack.client.refused("install", f"quiz_master@{version}") == REVOKED
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert any("1.0.0" in path for path in attack.client.installed())


def test_what_the_maintainers_lift_is_installed(attack, seen):
    reinstate(seen, "1.1.0", lift_of(seen, "1.1.0", seen.signers["root"]))
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.1.0" in path for path in attack.client.installed())
    seen.records["quiz_master"]["lifts"].clear()  # a later record need not repeat it
    seen.records["quiz_master"]["serial"] += 1
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"))
def test_a_newcomer_does_not_install_it(attack, seen, tmp_path):
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.0.0" in path for path in attack.client.installed())


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_the_record_is_silent(attack, seen):
    reinstate(seen, "1.1.0")
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_an_older_record_is_served(attack, seen):
    row = row_of(seen, "1.1.0")
    row.pop("revoked")
    row["v"] = 1
    seen.records["quiz_master"]["serial"] -= 1
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_the_release_is_hidden_with_its_revocation(attack, seen):
    record = seen.records["quiz_master"]
    hidden = record["releases"].pop()
    record["serial"] += 1
    seen.publish()
    assert attack.install() == HIDDEN
    assert attack.client.installed() == []
    record["releases"].append(hidden)
    record["serial"] += 1
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T20", (3, "TRUST_NAME_MISSING"), (3, "TRUST_REVOKED"))
def test_the_bin_is_empty(attack, seen):
    bin_ = seen.bins[
        seen.releases.delegations.succinct_roles.get_role_for_target("pkg/quiz_master.json")
    ]
    listed = bin_.targets.pop("pkg/quiz_master.json")
    bin_.version += 1
    seen.sign_all()
    assert attack.install()[0] != 0
    assert attack.client.installed() == []
    bin_.targets["pkg/quiz_master.json"] = listed
    bin_.version += 1
    seen.sign_all()
    assert attack.client.run("install", "quiz_master").code == 0
    assert attack.client.refused("install", "quiz_master@1.1.0") == REVOKED


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_other_bytes_take_the_place_of_the_revoked_ones(attack, seen):
    reinstate(seen, "1.1.0")
    row = row_of(seen, "1.1.0")
    old = copy.deepcopy(row)
    seen.artifacts[row["path"]] = b"other"
    row["sha256"], row["size"] = hashlib.sha256(b"other").hexdigest(), 5
    seen.publish()
    for asked in ("quiz_master", "quiz_master@1.1.0"):
        assert attack.client.refused("install", asked)[0] == 3
    assert attack.client.installed() == []
    row |= {"sha256": old["sha256"], "size": old["size"]}
    withdraw(seen, "1.1.0")
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_a_lift_is_forged_with_all_keys_that_publish(attack, seen):
    forged = lift_of(seen, "1.1.0", seen.signers["online"], seen.signers["stamp"])
    reinstate(seen, "1.1.0", forged)
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_a_signature_is_said_to_be_of_the_root(attack, seen):
    forged = lift_of(seen, "1.1.0", seen.signers["online"])
    forged["signatures"][0]["keyid"] = seen.signers["root"].public_key.keyid
    reinstate(seen, "1.1.0", forged)
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_a_lift_is_not_signed_at_all(attack, seen):
    reinstate(seen, "1.1.0", lift_of(seen, "1.1.0"))
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("value", [{}, {"kind": "lift"}, {"schema": "psreg.action/2"}])
def test_a_lift_is_malformed(attack, seen, value):
    reinstate(seen, "1.1.0", value)
    check_refused(attack, HIDDEN)


OTHERS = {
    "another version": {"version": "1.0.0"},
    "another name": {"name": "diary"},
    "other bytes": {"sha256": "0" * 64},
    "another registry": {"registry": "f" * 32},
}


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("members", OTHERS.values(), ids=OTHERS)
def test_a_lift_of_something_else_is_replayed(attack, seen, members):
    reinstate(seen, "1.1.0", lift_of(seen, "1.1.0", seen.signers["root"], **members))
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_an_earlier_lift_is_replayed(attack, seen):
    """The release was lifted, and then revoked again: the first lift does not end the second."""
    lift = lift_of(seen, "1.1.0", seen.signers["root"], number=2)
    reinstate(seen, "1.1.0", lift)
    seen.publish()
    withdraw(seen, "1.1.0", action=3)
    seen.publish()
    assert attack.client.refused("install", "quiz_master@1.1.0") == REVOKED
    reinstate(seen, "1.1.0", lift)
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_another_action_of_the_maintainers_is_shown_as_a_lift(attack, seen):
    said = lift_of(seen, "1.1.0", seen.signers["root"], kind="revoke")
    reinstate(seen, "1.1.0", said)
    check_refused(attack, HIDDEN)


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"), (3, "TRUST_ROLLBACK"))
def test_what_is_installed_is_reported_although_the_record_is_silent(attack):
    registry, attack.state = attack.registry, None
    assert attack.client.run("install", "quiz_master").code == 0
    registry.release("quiz_master", "1.1.0", b"newer").publish()
    withdraw(registry, "1.0.0")
    registry.publish()
    assert attack.client.run("verify", "--registry", "main").code == 3
    reinstate(registry, "1.0.0")
    registry.publish()
    assert attack.client.refused("verify", "--registry", "main") == HIDDEN
    assert attack.client.refused("render", "quiz_master") == REVOKED
    assert WHY in attack.client.run("list").err
    withdraw(registry, "1.0.0")
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.1.0" in path for path in attack.client.installed())


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"))
def test_the_state_of_the_victim_is_damaged(attack, seen):
    """It protects nothing any more, as with a new machine, but is said, and stops nobody."""
    (place,) = attack.client.state.glob("*/withdrawals.json")
    place.write_bytes(b"{")
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert "withdrawals.json was damaged" in done.err
    assert attack.client.refused("install", "quiz_master@1.1.0") == REVOKED


@pytest.mark.attack("T20", (3, "TRUST_REVOKED"))
def test_the_state_of_the_victim_is_a_link(attack, seen, tmp_path):
    (place,) = attack.client.state.glob("*/withdrawals.json")
    place.unlink()
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    place.symlink_to(victim)
    assert attack.client.refused("install", "quiz_master@1.1.0") == REVOKED
    assert victim.read_bytes() == b"mine"
    assert not place.is_symlink()
