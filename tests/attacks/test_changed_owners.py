"""Somebody with the keys that publish says that a name which nobody claimed has other owners.

A client that knows the owners refuses, as SSH refuses another key of a host, unless those that it
knows signed the change. Everything else is signed as it should be, and in the log.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import os
from itertools import pairwise
from types import SimpleNamespace

import pytest

from simulator import Simulator, lasting
from support.owners import ANA, BEN, CEM, Owner
from support.simulated_owners import SimulatedOwners, change, files_of, owned_by

REFUSED = (3, "TRUST_OWNER_CHANGED")
DAN = Owner(4)


@pytest.fixture
def owned(attack):
    """A name of ANA that nobody claimed; the client has installed its release."""
    attack.state = None  # `check_refused` sees to what comes after
    registry = attack.registry
    record = registry.records["quiz_master"]
    record |= owned_by(ANA)
    record["serial"] += 1
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    return SimpleNamespace(attack=attack, registry=registry, record=record)


@pytest.fixture
def signer():
    return lasting(log=True)


def give(owned, *owners, threshold=1, version="1.1.0", data=b"newer"):
    """Let owners own the name without a word of those before, and release a version."""
    owned.record |= owned_by(*owners, threshold=threshold)
    owned.registry.release("quiz_master", version, data)
    owned.registry.publish()


def sign(owned, before, after, signers=None, thresholds=(1, 1), **changes):
    """Let the owners before sign that others follow, and publish it."""
    signers = signers if signers is not None else before[: thresholds[0]]
    link = change(
        owned.record, owned.registry.registry_id, before=before, after=after, signers=signers,
        thresholds=thresholds, **changes,
    )  # fmt: skip
    owned.record.setdefault("owner_changes", []).append(link)
    owned.record |= owned_by(*after, threshold=thresholds[1])
    return link


def release(owned, version="1.1.0"):
    owned.registry.release("quiz_master", version, version.encode())
    owned.registry.publish()


def check_refused(owned, refusal=REFUSED):
    """Check that nothing is installed, now and again, and that the true record then is."""
    client = owned.attack.client
    before = client.installed()
    assert owned.attack.install() == refusal
    assert client.installed() == before
    assert owned.attack.install() == refusal
    honest = copy.deepcopy(owned.record)
    owned.record.clear()
    owned.record |= honest | owned_by(ANA) | {"serial": honest["serial"] + 1}
    owned.record.pop("owner_changes", None)
    owned.registry.publish()
    done = client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert client.installed() != before


def check_installed(owned, version="1.1.0"):
    done = owned.attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert any(version in path for path in owned.attack.client.installed())
    return done.err


# The keys that publish


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_another_owner(owned):
    give(owned, BEN)
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_what_is_said_and_what_accepts_it(owned):
    give(owned, BEN)
    client = owned.attack.client
    said = client.run("install", "quiz_master")
    assert said.code == 3
    assert (
        "error[TRUST_OWNER_CHANGED]: the owners of quiz_master are not those that this" in said.err
    )
    assert "then: github:1 SHA256:" in said.err
    assert "now: github:2 SHA256:" in said.err
    assert "psreg install quiz_master --accept-owners" in said.err
    assert client.run("verify", "--registry", "main").code == 3
    done = client.run("install", "quiz_master", "--accept-owners")
    assert done.code == 0, done.err
    assert "changed, and you accept it: github:2 SHA256:" in done.err
    assert check_installed(owned) == ""
    assert client.run("verify", "--registry", "main").code == 0


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_accepting_one_name_accepts_no_other(owned):
    owned.registry.release("diary").records["diary"] |= owned_by(ANA)
    owned.registry.publish()
    client = owned.attack.client
    assert client.run("install", "diary").code == 0
    owned.registry.records["diary"] |= owned_by(BEN)
    owned.registry.records["diary"]["serial"] += 1
    give(owned, BEN)
    assert client.run("install", "diary", "--accept-owners").code == 0
    assert owned.attack.install() == REFUSED


def _another_key(owned):
    owned.record["owners"] = [{"forge": "github", "id": 1, "keys": [BEN.line]}]
    release(owned)


def _another_account(owned):
    owned.record["owners"] = [{"forge": "github", "id": 2, "keys": [ANA.line]}]
    release(owned)


def _no_key(owned):
    owned.record["owners"] = [{"forge": "github", "id": 1, "keys": [ANA.line, "ssh-dss AAAA"]}]
    release(owned)


OTHERS = {
    "one more owner": lambda owned: give(owned, ANA, BEN),
    "no key": give,
    "another key of the same account": _another_key,
    "the key of another account": _another_account,
    "a key that is none": _no_key,
}


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("attack_", OTHERS.values(), ids=OTHERS)
def test_other_keys(owned, attack_):
    attack_(owned)
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_a_lower_threshold(attack, owned):
    sign(owned, (ANA,), (ANA, BEN), thresholds=(1, 2))
    release(owned)
    check_installed(owned)
    owned.record["threshold"] = 1
    release(owned, "1.2.0")
    assert attack.install() == REFUSED
    owned.record["threshold"] = 2
    release(owned, "1.3.0")
    check_installed(owned, "1.3.0")


@pytest.mark.parametrize(
    "members",
    [{"login": "ana"}, {"keys": [f"{ANA.line} at home"]}, {"keys": [ANA.line, ANA.line]}],
)
def test_the_same_keys_in_other_words_need_no_signature(owned, members):
    owned.record["owners"][0] |= members
    release(owned)
    assert "owners" not in check_installed(owned)


def test_a_new_client_has_nothing_to_compare_with(attack, owned):
    """What no client can tell: whose key is right if it sees the name for the first time."""
    give(owned, BEN)
    attack.client.state.rename(attack.client.home / "gone")
    attack.client.library.rename(attack.client.home / "gone too")
    check_installed(owned)


def test_owners_without_keys_are_only_told(attack, owned):
    registry = attack.registry.release("diary")
    record = registry.records["diary"]
    record["owners"] = [{"forge": "github", "id": 1}]
    registry.publish()
    client = attack.client
    assert client.run("install", "diary").err == ""
    record["owners"] = [{"forge": "github", "id": 2}]
    record["serial"] += 1
    registry.publish()
    done = client.run("install", "diary")
    assert (done.code, done.err) == (0, "psreg: the owners of diary changed: github:2\n")
    record |= owned_by(BEN)
    record["serial"] += 1
    registry.publish()
    assert "changed: github:2 SHA256:" in client.run("install", "diary").err
    record |= owned_by(CEM)
    record["serial"] += 1
    registry.publish()
    assert client.refused("install", "diary") == REFUSED


# Chains that are none


CHAINS = {
    "signed by the new owner": {"signers": (BEN,)},
    "signed by nobody": {"signers": ()},
    "signed for a release": {"namespace": "release@psreg"},
    "of another name": {"name": "diary"},
    "of another registry": {"registry": "f" * 32},
    "of another number": {"number": 2},
    "after other owners": {"before": "0" * 64},
}


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("changes", CHAINS.values(), ids=CHAINS)
def test_a_forged_chain(owned, changes):
    changes = dict(changes)
    before = changes.pop("before", None)
    link = sign(owned, (ANA,), (BEN,), **changes) if before is None else _after(owned, before)
    assert link["threshold"] == 1
    release(owned)
    check_refused(owned)


def _after(owned, before):
    """Sign a change that names another state before it."""
    link = change(
        owned.record, owned.registry.registry_id, before=(CEM,), after=(BEN,), signers=(ANA,)
    )
    owned.record |= {"owner_changes": [link], **owned_by(BEN)}
    return link


MALFORMED = {
    "without a statement": lambda link: link.pop("statement"),
    "with a statement that is a text": lambda link: link.update(statement="signed"),
    "without owners": lambda link: link.pop("owners"),
    "with owners that are a text": lambda link: link.update(owners="BEN"),
    "with an owner that is a text": lambda link: link.update(owners=["BEN"]),
    "with a key that is none": lambda link: link["owners"][0].update(key="ssh-dss AAAA"),
    "with a comment": lambda link: link["owners"][0].update(key=BEN.line),
    "with an owner twice": lambda link: link["owners"].append(link["owners"][0]),
    "with a threshold of none": lambda link: link.update(threshold=0),
    "with a threshold that none can reach": lambda link: link.update(threshold=2),
    "with a threshold that is a text": lambda link: link.update(threshold="1"),
    "with another owner": lambda link: link["owners"][0].update(account="github:9"),
}


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("spoil", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_chain(owned, spoil):
    spoil(sign(owned, (ANA,), (BEN,)))
    release(owned)
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("chain", [{}, "x", ["x"], [[]], None])
def test_a_chain_that_is_no_list_of_links(owned, chain):
    give(owned, BEN)
    owned.record["owner_changes"] = chain
    owned.record["serial"] += 1
    owned.registry.publish()
    assert owned.attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_a_chain_that_leads_elsewhere(owned):
    sign(owned, (ANA,), (BEN,))
    owned.record |= owned_by(CEM)
    release(owned)
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_the_chain_of_another_name(owned):
    owned.registry.release("diary").records["diary"] |= owned_by(ANA)
    diary = SimpleNamespace(registry=owned.registry, record=owned.registry.records["diary"])
    link = sign(diary, (ANA,), (BEN,))
    owned.record |= {"owner_changes": [link], **owned_by(BEN)}
    release(owned)
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("signers", [(ANA,), (ANA, ANA), (ANA, DAN), ()])
def test_too_few_owners_signed_it(owned, signers):
    sign(owned, (ANA,), (ANA, BEN, CEM), thresholds=(1, 2))
    release(owned)
    check_installed(owned)
    sign(owned, (ANA, BEN, CEM), (DAN,), signers, thresholds=(2, 1))
    release(owned, "1.2.0")
    assert owned.attack.install() == REFUSED
    owned.record["owner_changes"].pop()
    owned.record |= owned_by(ANA, BEN, CEM, threshold=2)
    release(owned, "1.3.0")
    check_installed(owned, "1.3.0")


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("owner", [ANA, BEN])
def test_the_chain_is_rolled_back(owned, owner):
    """The keys of ANA were stolen after she gave the name to BEN."""
    sign(owned, (ANA,), (BEN,))
    release(owned)
    check_installed(owned)
    (link,) = owned.record.pop("owner_changes")
    owned.record |= owned_by(owner)
    release(owned, "1.2.0")
    assert owned.attack.install() == REFUSED
    owned.record |= {"owner_changes": [link], **owned_by(BEN)}
    release(owned, "1.3.0")
    check_installed(owned, "1.3.0")


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_an_earlier_change_is_replayed(owned):
    """ANA gave the name to BEN, got it back, and BEN's key was stolen."""
    first = sign(owned, (ANA,), (BEN,))
    second = sign(owned, (BEN,), (ANA,))
    release(owned)
    check_installed(owned)
    for chain in ([first], [first, second, first], [first, second, second], [second, first]):
        owned.record |= {"owner_changes": chain, **owned_by(BEN)}
        owned.record["serial"] += 1
        owned.registry.publish()
        assert owned.attack.install() == REFUSED
    owned.record |= {"owner_changes": [first, second], **owned_by(ANA)}
    release(owned, "1.2.0")
    check_installed(owned, "1.2.0")


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_the_same_owners_with_a_forged_chain(owned):
    """It must not make the client refuse the true chain later."""
    sign(owned, (ANA,), (ANA,), (BEN,))
    release(owned)
    check_refused(owned)


# Keys that the maintainers revoked


def void(owned, owner):
    """Say that a key of an owner signs nothing new."""
    blob = hashlib.sha256(owner.blob).digest()
    key = f"SHA256:{base64.b64encode(blob).decode().rstrip('=')}"
    owned.record["void"] = [{"key": key, "after": 0, "action": 1}]


@pytest.mark.attack("T9", (3, "TRUST_OWNER_CHANGED"))
def test_a_revoked_key_signed_it(owned):
    sign(owned, (ANA,), (BEN,))
    void(owned, ANA)
    release(owned)
    check_refused(owned)


@pytest.mark.attack("T9", (3, "TRUST_OWNER_CHANGED"))
def test_a_key_that_was_seen_revoked_signed_it(owned):
    """The record does not say any more that the key was revoked."""
    void(owned, ANA)
    release(owned)
    check_installed(owned)
    del owned.record["void"]
    sign(owned, (ANA,), (BEN,))
    release(owned, "1.2.0")
    check_refused(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_revoking_all_keys_makes_nobody_the_owner(owned):
    """The keys that publish revoke the key of the owner, who then cannot object."""
    void(owned, ANA)
    give(owned, BEN)
    check_refused(owned)


# Honest changes


def test_a_signed_change_is_followed(owned):
    sign(owned, (ANA,), (BEN,))
    release(owned)
    assert "psreg: the owners of quiz_master changed: github:2 SHA256:" in check_installed(owned)
    assert check_installed(owned) == ""
    give(owned, ANA, version="1.2.0")
    assert owned.attack.install() == REFUSED


def test_two_of_three_owners_sign_it(owned):
    sign(owned, (ANA,), (ANA, BEN, CEM), thresholds=(1, 2))
    release(owned)
    check_installed(owned)
    sign(owned, (ANA, BEN, CEM), (BEN, CEM, DAN), (ANA, CEM), thresholds=(2, 2))
    release(owned, "1.2.0")
    check_installed(owned, "1.2.0")


def test_a_client_that_missed_several_changes(owned):
    for before, after in pairwise([ANA, BEN, CEM, ANA, DAN]):
        sign(owned, (before,), (after,))
    release(owned)
    assert "changed: github:4 SHA256:" in check_installed(owned)


def test_owners_who_give_their_keys_up(owned):
    """Where nobody has a key, nobody can sign; what follows is seen for the first time."""
    sign(owned, (ANA,), ())
    owned.record["owners"] = [{"forge": "github", "id": 2}]
    release(owned)
    assert "changed: nobody has a key" in check_installed(owned)
    owned.record |= owned_by(BEN)
    release(owned, "1.2.0")
    check_installed(owned, "1.2.0")


def test_a_client_that_missed_that_nobody_had_a_key(owned):
    sign(owned, (ANA,), ())
    sign(owned, (BEN,), (CEM,))
    release(owned)
    check_installed(owned)


# Claims


@pytest.fixture
def claimed(owned):
    owners = SimulatedOwners(owned.registry)
    owned.registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    owned.record["serial"] += 1
    owned.registry.publish()
    check_installed(owned, "1.0.0")
    return SimpleNamespace(**vars(owned), owners=owners)


def unclaim(claimed):
    """Take the claim back with all keys of the registry, those that are offline among them."""
    bin_ = claimed.owners.bin_of("quiz_master")
    saved = dict(bin_.targets)
    bin_.targets.clear()
    bin_.version += 1
    return bin_, saved


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_a_claimed_name_is_not_claimed_any_more(claimed):
    bin_, saved = unclaim(claimed)
    release(claimed)
    client, before = claimed.attack.client, claimed.attack.client.installed()
    assert claimed.attack.install() == REFUSED
    assert client.installed() == before
    said = client.run("install", "quiz_master").err
    assert "it was claimed, and a claim is not taken back" in said
    assert "then: github:1 SHA256:" in said
    assert "now: nobody has a key" in said
    bin_.targets |= saved
    bin_.version += 1
    claimed.record["releases"].pop()
    release(claimed, "1.2.0")
    claimed.record["releases"].pop()
    claimed.registry.release("quiz_master", "1.3.0", b"signed")
    row = claimed.record["releases"][-1]
    row["files"] = [{"path": row["path"], "sha256": row["sha256"], "size": row["size"]}]
    claimed.owners.sign("quiz_master", "1.3.0", ANA)
    claimed.registry.publish()
    check_installed(claimed, "1.3.0")


def test_a_person_can_accept_that_it_is_not_claimed(claimed):
    unclaim(claimed)
    release(claimed)
    client = claimed.attack.client
    done = client.run("install", "quiz_master", "--accept-owners")
    assert done.code == 0, done.err
    assert "psreg: quiz_master is not claimed any more, and you accept it\n" in done.err
    assert check_installed(claimed) == ""


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_offline_role_gives_a_claimed_name_away(claimed):
    """All keys of the registry were stolen, but for those of the owner; see `recovered_names`."""
    claimed.owners.claim("quiz_master", BEN)
    claimed.record |= owned_by(BEN)
    claimed.registry.release("quiz_master", "1.1.0", b"signed")
    claimed.record["releases"][-1]["files"] = files_of(claimed.record["releases"][-1])
    claimed.owners.sign("quiz_master", "1.1.0", BEN)
    claimed.registry.publish()
    before = claimed.attack.client.installed()
    assert claimed.attack.install() == REFUSED
    assert claimed.attack.install() == REFUSED
    assert claimed.attack.client.installed() == before
    assert claimed.attack.client.run("install", "quiz_master", "--accept-owners").code == 0
    check_installed(claimed)


@pytest.mark.attack("T10", (3, "TRUST_OWNER_CHANGED"))
def test_the_first_claim_gives_a_name_away(owned):
    owners = SimulatedOwners(owned.registry)
    owned.registry.targets.version += 1
    owned.record |= owned_by(BEN)
    release(owned)
    owners.claim("quiz_master", BEN)
    owned.registry.sign_all()
    assert owned.attack.install() == REFUSED
    owners.claim("quiz_master", ANA)
    owned.registry.sign_all()
    check_installed(owned)


def test_a_claim_follows_what_owners_signed(claimed):
    link = sign(claimed, (ANA,), (BEN,))
    claimed.record.pop("owner_changes")
    claimed.owners.claim("quiz_master", BEN, owner_changes=[link])
    claimed.record["serial"] += 1
    claimed.registry.publish()
    assert "changed: github:2 SHA256:" in check_installed(claimed, "1.0.0")


# Only claimed names


UNCLAIMED = (3, "TRUST_UNCLAIMED")


@pytest.mark.attack("T7", (3, "TRUST_UNCLAIMED"))
def test_a_name_that_is_not_claimed_is_refused_on_demand(owned):
    release(owned)
    client, before = owned.attack.client, owned.attack.client.installed()
    assert owned.attack.install("--require-claimed") == UNCLAIMED
    (client.place / "psreg.toml").write_text("require_claimed = true\n")
    assert owned.attack.install() == UNCLAIMED
    assert owned.attack.install("--accept-owners") == UNCLAIMED
    assert owned.attack.install("--to", "folder") == UNCLAIMED
    assert client.installed() == before
    assert not (client.place / "folder").exists()
    (client.place / "psreg.toml").unlink()
    check_installed(owned)


def test_a_claimed_name_is_installed_on_demand(claimed):
    shown = claimed.attack.client.run(
        "install", "quiz_master", "--require-claimed", "--format", "json"
    )
    (row,) = shown.json["installed"]
    assert (shown.code, row["claimed"]) == (0, True)


def test_it_is_said_once_that_nobody_but_the_registry_vouches_for_a_name(owned):
    owned.registry.release("diary")
    owned.registry.publish()
    told = "\n  not claimed: only the registry's keys say who released it\n"
    assert told in owned.attack.client.run("install", "diary").out
    assert told not in owned.attack.client.run("install", "diary").out
    shown = owned.attack.client.run("install", "diary", "--format", "json")
    assert [row["claimed"] for row in shown.json["installed"]] == [False]


# What is planted


def state_file(owned, folder):
    (place,) = owned.attack.client.state.iterdir()
    return place / folder / "quiz_master.json"


def link_to(place):
    target = place.with_name("elsewhere")
    place.rename(target)
    place.symlink_to(target)


def pipe(place):
    place.unlink()
    os.mkfifo(place)


def large(place):
    with place.open("wb") as file:
        file.truncate(100_000_000)


PLANTED = {
    "garbage": lambda place: place.write_bytes(b"\x00{"),
    "another shape": lambda place: place.write_text("[]"),
    "a link": link_to,
    "a pipe": pipe,
    "a large file": large,
    "nothing": lambda place: place.unlink(),
}


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_what_is_known_was_damaged(owned, plant):
    plant(state_file(owned, "pkg"))
    give(owned, BEN)
    said = check_installed(owned)
    assert said.count("\n") <= 1
    give(owned, ANA, version="1.2.0")
    assert owned.attack.install() == REFUSED


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_damaged_claim_is_no_claim(claimed, plant):
    unclaim(claimed)
    claimed.record["serial"] += 1
    claimed.registry.publish()
    plant(state_file(claimed, "owners"))
    assert check_installed(claimed, "1.0.0").count("\n") <= 1
    assert check_installed(claimed, "1.0.0") == ""


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_planted_owners_refuse_only_until_a_person_accepts(owned):
    place = state_file(owned, "pkg")
    record = json.loads(place.read_bytes())
    place.write_text(json.dumps(record | owned_by(CEM)))
    release(owned)
    assert owned.attack.install() == REFUSED
    assert owned.attack.client.run("install", "quiz_master", "--accept-owners").code == 0
    check_installed(owned)


@pytest.mark.attack("T7", (3, "TRUST_OWNER_CHANGED"))
def test_a_planted_claim_refuses_only_until_a_person_accepts(owned):
    owners = SimulatedOwners(Simulator(log=True).release())
    owners.claim("quiz_master", CEM)
    place = state_file(owned, "owners")
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(owners.claims["quiz_master"]))
    assert owned.attack.install() == REFUSED
    assert owned.attack.client.run("install", "quiz_master", "--accept-owners").code == 0
    check_installed(owned, "1.0.0")
