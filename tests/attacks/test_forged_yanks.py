"""Somebody with the keys that publish yanks a release of a claimed name, or takes a yank back.

So the victim would install an older release with a known fault. Only the keys of the owners and of
the role `owners` are not the attacker's.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simulator import lasting
from support.owners import ANA, BEN
from support.simulated_actions import row_of
from support.simulated_owners import SimulatedOwners, yank

WHY = "The second question has no answer."
REFUSED = (3, "TRUST_STATEMENT")


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def claimed(attack):
    """A name that ANA has claimed, with the releases 1.0.0 and 1.1.0; nobody has seen it yet."""
    attack.state = None  # `check_refused` sees to what comes after
    registry = attack.registry
    registry.release("quiz_master", "1.1.0", b"newer")
    registry.publish()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    registry.publish()
    record = registry.records["quiz_master"]
    return SimpleNamespace(attack=attack, registry=registry, owners=owners, record=record)


def row(claimed, version="1.1.0"):
    return row_of(claimed.registry, version)


def publish(claimed):
    claimed.record["serial"] += 1
    claimed.registry.publish()


def installed(claimed):
    """Install the name; return the version that it now has."""
    done = claimed.attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    paths = claimed.attack.client.installed()
    return next(version for version in ("1.1.0", "1.0.0") if any(version in p for p in paths))


def check_refused(claimed, honest, refusal=REFUSED):
    """Check that nothing is installed, and that the honest yank is believed afterwards."""
    before = claimed.attack.client.installed()
    publish(claimed)
    assert claimed.attack.install() == refusal
    assert claimed.attack.client.installed() == before
    row(claimed).pop("yank", None)
    row(claimed)["yanked"] = None
    honest()
    publish(claimed)
    assert claimed.attack.client.run("install", "quiz_master").code == 0


def nothing():
    """Nobody has yanked anything."""


def test_what_owners_yank_is_not_chosen(claimed):
    yank(claimed.registry, row(claimed), WHY, ANA)
    publish(claimed)
    assert installed(claimed) == "1.0.0"
    yank(claimed.registry, row(claimed), None, ANA, number=2)
    publish(claimed)
    assert installed(claimed) == "1.1.0"


@pytest.mark.attack("T7", REFUSED)
def test_the_publishing_keys_yank_a_release(claimed):
    row(claimed)["yanked"] = WHY
    check_refused(claimed, nothing)


FORGED = {
    "signed by a stranger": ((BEN,), {}),
    "signed by nobody": ((), {}),
    "signed for a release": ((ANA,), {"namespace": "release@psreg"}),
    "for another reason": ((ANA,), {"reason": "Another one."}),
    "of another name": ((ANA,), {"name": "diary"}),
    "of another version": ((ANA,), {"version": "1.0.0"}),
    "of another registry": ((ANA,), {"registry": "f" * 32}),
    "of another number": ((ANA,), {"number_": 2}),
}


@pytest.mark.attack("T7", REFUSED)
@pytest.mark.parametrize(("signers", "changes"), FORGED.values(), ids=FORGED)
def test_a_forged_yank(claimed, signers, changes):
    changes = dict(changes)
    if "number_" in changes:
        yank(claimed.registry, row(claimed), WHY, *signers)
        row(claimed)["yank"]["number"] = changes["number_"]
    elif "reason" in changes:
        yank(claimed.registry, row(claimed), changes["reason"], *signers)
        row(claimed)["yanked"] = WHY
    else:
        yank(claimed.registry, row(claimed), WHY, *signers, **changes)
    check_refused(claimed, nothing)


@pytest.mark.attack("T20", REFUSED)
def test_the_publishing_keys_take_a_yank_back(claimed):
    yank(claimed.registry, row(claimed), WHY, ANA)
    publish(claimed)
    assert installed(claimed) == "1.0.0"
    row(claimed)["yanked"] = None
    check_refused(claimed, lambda: yank(claimed.registry, row(claimed), WHY, ANA))


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"))
def test_the_yank_vanishes(claimed):
    yank(claimed.registry, row(claimed), WHY, ANA)
    publish(claimed)
    assert installed(claimed) == "1.0.0"
    row(claimed).pop("yank")
    row(claimed)["yanked"] = None
    honest = lambda: yank(claimed.registry, row(claimed), WHY, ANA)  # noqa: E731 - short
    check_refused(claimed, honest, (3, "TRUST_ROLLBACK"))


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"))
def test_an_earlier_state_is_replayed(claimed):
    """ANA yanked the release, took it back, and yanked it again."""
    yank(claimed.registry, row(claimed), WHY, ANA)
    yank(claimed.registry, row(claimed), None, ANA, number=2)
    earlier = dict(row(claimed))
    yank(claimed.registry, row(claimed), WHY, ANA, number=3)
    publish(claimed)
    assert installed(claimed) == "1.0.0"
    row(claimed).update(earlier)
    honest = lambda: yank(claimed.registry, row(claimed), WHY, ANA, number=3)  # noqa: E731 - short
    check_refused(claimed, honest, (3, "TRUST_ROLLBACK"))


@pytest.mark.attack("T20", REFUSED)
def test_what_was_yanked_before_the_claim_is_taken_back(claimed):
    said = {"1.1.0": {"number": 0, "reason": WHY}}
    row(claimed)["yanked"] = WHY
    claimed.owners.claim("quiz_master", ANA, yanks=said)
    publish(claimed)
    assert installed(claimed) == "1.0.0"
    row(claimed)["yanked"] = None
    check_refused(claimed, lambda: row(claimed).update(yanked=WHY))


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"))
def test_a_yank_that_no_owner_signed_counts_for_nothing(attack):
    """The name is not claimed, so the keys that publish may write what they like, and count on."""
    attack.state = None  # it ends with an attack
    registry, record = attack.registry, attack.registry.records["quiz_master"]
    registry.release("quiz_master", "1.1.0", b"newer")
    row_of(registry, "1.1.0")["yank"] = {"number": 2**53 - 2, "statement": None}
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    del row_of(registry, "1.1.0")["yank"]
    record["serial"] += 1
    owners = SimulatedOwners(registry.publish())
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    yank(registry, row_of(registry, "1.1.0"), WHY, ANA)
    record["serial"] += 1
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    row_of(registry, "1.1.0").update(yanked=None)
    del row_of(registry, "1.1.0")["yank"]
    record["serial"] += 1
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
