"""A key of an owner that the maintainers revoked signs a release of a claimed name.

It is void for what the log has after an entry; what it signed before stays good.
"""

import base64
import copy
import hashlib
from types import SimpleNamespace

import pytest

from simulator import lasting
from support.owners import ANA, BEN
from support.simulated_actions import rotate, signed_action
from support.simulated_owners import SimulatedOwners, files_of

REFUSED = (3, "TRUST_STATEMENT")


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def owned(attack):
    """A name that ANA claimed; 1.1.0 is signed by her key, which is void after that.

    In the end BEN owns it too, and releases: the log keeps what the attacker wrote.
    """
    attack.state = None
    registry = attack.registry
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    owned = SimpleNamespace(
        attack=attack, registry=registry, owners=owners, record=registry.records["quiz_master"]
    )
    row = release(owned, "1.1.0", ANA)
    owned.index = row["log"]["index"]
    blob = base64.b64encode(hashlib.sha256(ANA.blob).digest()).decode().rstrip("=")
    owned.record["void"] = [{"key": f"SHA256:{blob}", "after": owned.index, "action": 1}]
    owned.record["serial"] += 1
    registry.publish()
    void = copy.deepcopy(owned.record["void"])
    yield owned
    owned.record["void"] = void
    forged = owned.record["releases"]
    owned.record["releases"] = [row for row in forged if row["version"] != "1.2.0"]
    owners.claim("quiz_master", ANA, BEN)
    release(owned, "1.3.0", BEN)
    done = attack.client.run("install", "quiz_master@1.3.0", "--accept-owners")
    assert done.code == 0, done.err


def release(owned, version, *signers):
    """Release a version that some sign, and return its row."""
    owned.registry.release("quiz_master", version, version.encode())
    row = owned.record["releases"][-1]
    row["files"] = files_of(row)
    owned.owners.sign("quiz_master", version, *signers)
    owned.registry.publish()
    return row


def test_what_it_signed_before_is_good(owned):
    assert owned.attack.client.run("install", "quiz_master@1.1.0").code == 0


def test_another_key_signs_from_then_on(owned):
    owned.owners.claim("quiz_master", ANA, BEN)
    release(owned, "1.1.1", BEN)
    assert owned.attack.client.run("install", "quiz_master@1.1.1").code == 0


@pytest.mark.attack("T9", REFUSED)
@pytest.mark.parametrize("seen", [False, True])
def test_it_signs_a_later_release(owned, seen):
    if seen:
        assert owned.attack.client.run("install", "quiz_master").code == 0
    release(owned, "1.2.0", ANA)
    assert owned.attack.install() == REFUSED


@pytest.mark.attack("T9", REFUSED)
def test_it_counts_for_no_threshold(owned):
    owned.owners.claim("quiz_master", ANA, BEN, threshold=2)
    release(owned, "1.2.0", ANA, BEN)
    assert owned.attack.install() == REFUSED


@pytest.mark.attack("T9", REFUSED)
@pytest.mark.parametrize("hidden", ["the revocation", "from which entry on"])
def test_the_revocation_was_seen_and_is_hidden(owned, hidden):
    """With the keys that publish, a record says what the attacker likes."""
    assert owned.attack.client.run("install", "quiz_master").code == 0
    if hidden == "the revocation":
        del owned.record["void"]
    else:
        owned.record["void"][0]["after"] += 99
    release(owned, "1.2.0", ANA)
    assert owned.attack.install() == REFUSED


@pytest.mark.attack("T9", REFUSED)
def test_another_record_of_the_same_state_has_the_revocation(owned):
    """What was accepted in a state is refused in the same state, once its key is known to be void."""
    client, registry = owned.attack.client, owned.registry
    void = owned.record.pop("void")
    owned.record["serial"] += 1
    release(owned, "1.1.5", ANA)
    registry.release("diary", data=b"other")
    registry.records["diary"]["void"] = void
    registry.publish()
    for _ in range(2):
        assert client.run("install", "quiz_master").code == 0
    assert client.run("install", "diary").code == 0
    assert owned.attack.install() == REFUSED
    assert client.run("install", "diary").code == 0


@pytest.mark.attack("T9", (3, "TRUST_LOG"))
def test_a_later_release_is_dated_before_the_revocation(owned):
    row = release(owned, "1.2.0", ANA)
    row["log"] = {**copy.deepcopy(row["log"]), "index": owned.index}
    owned.record["serial"] += 1
    owned.registry.publish()
    assert owned.attack.install() == (3, "TRUST_LOG")


@pytest.mark.attack("T9", REFUSED)
def test_a_later_release_bears_the_statement_of_an_earlier_one(owned):
    signed = copy.deepcopy(owned.record["releases"][-1]["statement"])
    owned.registry.release("quiz_master", "1.2.0", b"forged")
    row = owned.record["releases"][-1]
    row["files"], row["statement"] = files_of(row), signed
    owned.registry.publish()
    assert owned.attack.install() == REFUSED


@pytest.mark.attack("T9", REFUSED)
def test_a_lift_ends_what_a_thief_revoked_once_the_keys_are_replaced(owned):
    """Of an owner's key, with a number that no lift has; a lift of before does not last."""
    registry, record, (void,) = owned.registry, owned.record, owned.record["void"]
    honest = {**void, "action": 3}

    def said(*keys, lifts=()):
        record["void"], record["lifts"] = [*keys], [*lifts]
        record["serial"] += 1
        registry.publish()
        return owned.attack.client.run("install", "quiz_master", "--format", "json")

    lift = signed_action(registry, "lift", 2, registry.signers["root"], key=void["key"])
    assert said({**void, "after": -1, "action": 2**53 - 2}).refusal == REFUSED
    assert said(lifts=[lift]).refusal == REFUSED
    rotate(registry)
    assert said().refusal == REFUSED
    assert said(lifts=[lift]).code == 0
    assert said(honest, lifts=[lift]).code == 0
    rotate(registry)
    assert said(honest).code == 0
    release(owned, "1.2.0", ANA)
    assert said(lifts=[lift]).refusal == REFUSED
