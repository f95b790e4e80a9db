"""Somebody with the keys that publish, the log's among them, releases under a claimed name.

Everything is signed as it should be and in the log, but for what the owners sign. Only the keys of
the roles `root` and `owners`, and those of the owners themselves, are not the attacker's.
"""

from __future__ import annotations

import copy
import hashlib
from types import SimpleNamespace

import pytest

from simulator import lasting
from support.owners import ANA, BEN, CEM, Owner
from support.simulated_log import encode
from support.simulated_owners import SimulatedOwners, files_of

REFUSED = (3, "TRUST_STATEMENT")
NEWER, FORGED = b"newer", b"forged"


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture(params=["new client", "old client"])
def claimed(attack, request):
    """A name that ANA has claimed; an old client has installed its release from before that."""
    attack.state = None  # `check_refused` sees to what comes after
    registry = attack.registry.release("diary")
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    registry.publish()
    if request.param == "old client":
        assert attack.client.run("install", "quiz_master").code == 0
    return SimpleNamespace(
        attack=attack,
        registry=registry,
        owners=owners,
        record=registry.records["quiz_master"],
        honest=copy.deepcopy(registry.records),
    )


def newer(claimed, version="1.1.0", data=NEWER, name="quiz_master", **row):
    """Add a release, and return its row; nobody has signed it yet."""
    claimed.registry.release(name, version, data, **row)
    added = claimed.registry.records[name]["releases"][-1]
    added["files"] = files_of(added)
    return added


def check_refused(claimed, refusal=REFUSED):
    """Check that nothing is installed, and that the mended registry is believed."""
    attack, registry = claimed.attack, claimed.registry
    before = attack.client.installed()
    assert attack.install() == refusal
    assert attack.client.installed() == before
    registry.records.clear()
    registry.records |= copy.deepcopy(claimed.honest)
    for record in registry.records.values():
        record["serial"] += 9
    if claimed.owners.claims["quiz_master"]["owners"][0]["id"] != ANA.number:
        claimed.owners.claim("quiz_master", ANA)
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", *owners_of(claimed))
    registry.publish()
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert any("1.1.0" in path for path in attack.client.installed())
    assert row["sha256"] == hashlib.sha256(NEWER).hexdigest()


def owners_of(claimed):
    """Return as many owners of the claim in force as must sign."""
    claim = claimed.owners.claims["quiz_master"]
    known = {owner.number: owner for owner in (ANA, BEN, CEM)}
    return [known[owner["id"]] for owner in claim["owners"]][: claim["threshold"]]


def test_what_its_owner_signed_is_installed(claimed):
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    done = claimed.attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    newer(claimed, "1.2.0")
    claimed.owners.sign("quiz_master", "1.2.0", ANA)
    claimed.registry.publish()
    assert claimed.attack.client.run("install", "quiz_master").code == 0
    assert any("1.2.0" in path for path in claimed.attack.client.installed())


def test_what_was_released_before_the_claim_is_installed(claimed):
    assert claimed.attack.client.run("install", "quiz_master@1.0.0").code == 0


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_nobody_signed_it(claimed):
    newer(claimed, data=FORGED)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_a_stranger_signed_it(claimed):
    newer(claimed, data=FORGED)
    claimed.owners.sign("quiz_master", "1.1.0", BEN)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_the_record_names_other_owners(claimed):
    newer(claimed, data=FORGED)
    claimed.record["owners"] = [{"forge": "github", "id": BEN.number, "keys": [BEN.line]}]
    claimed.owners.sign("quiz_master", "1.1.0", BEN)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_other_bytes_than_were_signed(claimed):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    forge_artifact(claimed.registry, row)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_other_bytes_and_the_files_agree(claimed):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    forge_artifact(claimed.registry, row)
    row["files"] = files_of(row)
    claimed.registry.publish()
    check_refused(claimed)


def forge_artifact(registry, row):
    """Serve other bytes as the artifact of a release."""
    registry.artifacts[row["path"]] = FORGED
    row["sha256"], row["size"] = hashlib.sha256(FORGED).hexdigest(), len(FORGED)


SIGNED_OTHERWISE = {
    "about another version": {"version": "1.0.1"},
    "about another name": {"name": "diary"},
    "in another registry": {"registry": "f" * 32},
    "without what it requires": {"requires": {"diary": "^1"}},
    "after another statement": {"previous": "0" * 64},
    "for another tool": {"namespace": "git"},
    "in no namespace that psreg uses": {"namespace": "release@psreg.example"},
}


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("signed", SIGNED_OTHERWISE.values(), ids=SIGNED_OTHERWISE)
def test_a_signature_is_used_for_something_else(claimed, signed):
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA, **signed)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_a_requirement_is_added(claimed):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    row["release"]["requires"] = {"diary": "^1"}
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_a_file_is_added(claimed):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    more = {"path": row["path"] + ".md", "sha256": "0" * 64, "size": 1}
    row["files"] = [*row["files"], more]
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_the_artifact_is_none_of_the_signed_files(claimed):
    row = newer(claimed)
    row["files"] = [row["files"][0] | {"path": row["path"] + ".md"}]
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_the_statement_of_another_release_is_replayed(claimed):
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    signed = claimed.record["releases"][-1]["statement"]
    newer(claimed, "1.2.0", FORGED)["statement"] = copy.deepcopy(signed)
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_a_signed_release_is_withheld(claimed):
    """1.2.0 follows 1.1.0, which is hidden: it may be the one that mends 1.0.0."""
    for version in ("1.1.0", "1.2.0"):
        newer(claimed, version)
        claimed.owners.sign("quiz_master", version, ANA)
        claimed.registry.publish()
    del claimed.record["releases"][1]
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_an_owner_signed_after_it_was_logged(claimed):
    """The log has it as unsigned: the owners never agreed that it be released."""
    row = newer(claimed)
    claimed.registry.publish()
    row["statement"] = claimed.owners.envelope(claimed.record, row, ANA)
    claimed.record["serial"] += 1
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
def test_the_record_shows_another_statement_than_the_log(claimed):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA, previous="0" * 64)
    claimed.registry.publish()
    row["statement"] = claimed.owners.envelope(claimed.record, row, ANA)
    claimed.record["serial"] += 1
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_LOG"))
def test_it_is_dated_before_the_claim(claimed):
    """A leaf of a name that is not claimed is relabelled: its index is an old one."""
    row = newer(claimed, data=FORGED)
    claimed.registry.publish()
    row["log"]["index"] = 0
    claimed.record["serial"] += 1
    claimed.registry.publish()
    check_refused(claimed, (3, "TRUST_LOG"))


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("claimed", ["new client"], indirect=True)
def test_the_log_begins_anew_with_it(claimed):
    """A new client has not seen the log: only the claim says what was released before."""
    claimed.registry.log.leaves.clear()
    for record in claimed.registry.records.values():
        for row in record["releases"]:
            row.pop("log")
    claimed.record["releases"].clear()
    newer(claimed, "1.1.0", FORGED)
    claimed.registry.publish()
    index = claimed.record["releases"][-1]["log"]["index"]
    assert index < claimed.owners.claims["quiz_master"]["since"]
    assert claimed.attack.install() == REFUSED


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("claimed", ["new client"], indirect=True)
def test_an_older_release_has_other_bytes(claimed):
    row = claimed.record["releases"][0]
    forge_artifact(claimed.registry, row)
    row["log"] = relogged(claimed, row)
    claimed.registry.publish()
    assert claimed.attack.install() == REFUSED


def relogged(claimed, row):
    """Return the place of a release in the log, after its leaf was replaced."""
    log, index = claimed.registry.log, row["log"]["index"]
    others = log.leaves[index + 1 :]
    del log.leaves[index:]
    log.add(claimed.record, row)
    log.leaves += others
    return log.place(claimed.record, index)


def one_owner_twice(claimed):
    """Two keys of one account."""
    other = Owner(9)
    (ana,) = claimed.owners.claims["quiz_master"]["owners"][:1]
    owners = [
        ana | {"keys": [ANA.line, other.line]},
        {"forge": "github", "id": 2, "keys": [BEN.line]},
    ]
    claimed.owners.claim("quiz_master", ANA, BEN, threshold=2, owners=owners)
    return ANA, other


THRESHOLD = {
    "one of two": lambda _: (ANA,),
    "one key twice": lambda _: (ANA, ANA),
    "two keys of one owner": one_owner_twice,
    "one owner and a stranger": lambda _: (ANA, CEM),
}


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("signers", THRESHOLD.values(), ids=THRESHOLD)
def test_too_few_owners_signed_it(claimed, signers):
    claimed.owners.claim("quiz_master", ANA, BEN, threshold=2)
    by = signers(claimed)
    if claimed.attack.client.installed():
        claimed.registry.publish()
        done = claimed.attack.client.run("install", "quiz_master", "--accept-owners")
        assert done.code == 0, done.err
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", *by)
    claimed.registry.publish()
    check_refused(claimed)


ENVELOPES = {
    "is missing": lambda _: None,
    "is a text": lambda _: "signed",
    "is a list": lambda _: [],
    "is empty": lambda _: {},
    "has no signatures": lambda e: e | {"signatures": []},
    "has signatures that are texts": lambda e: e | {"signatures": ["x"]},
    "has a signature that is not base64": lambda e: e | {"signatures": [{"sig": "%"}]},
    "has another type": lambda e: e | {"payloadType": "text/plain"},
    "has another payload": lambda e: e | {"payload": e["payload"][:-4]},
    "has a cut signature": lambda e: e | {"signatures": [{"sig": e["signatures"][0]["sig"][:-4]}]},
}


@pytest.mark.attack("T7", (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("change", ENVELOPES.values(), ids=ENVELOPES)
def test_the_envelope(claimed, change):
    row = newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    row["statement"] = change(row["statement"])
    claimed.record["serial"] += 1
    claimed.registry.publish()
    check_refused(claimed)


@pytest.mark.attack("T7", (3, "TRUST_LOG"), (3, "TRUST_STATEMENT"))
@pytest.mark.parametrize("statement", [{}, "signed", {"payload": "%"}, {"payload": 1}])
def test_a_row_beside_it_has_a_statement_that_means_nothing(claimed, statement):
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    newer(claimed, "2.0.0", FORGED)["statement"] = statement
    claimed.registry.target("pkg/quiz_master.json", encode(claimed.record))
    claimed.registry.sign_all()
    assert claimed.attack.client.refused("install", "quiz_master@1.1.0") == REFUSED
    check_refused(claimed, (3, "TRUST_LOG"))


# The role `owners` itself


@pytest.mark.attack("T7", (3, "TRUST_SIGNATURE"))
def test_the_claim_is_taken_back_by_the_keys_that_publish(claimed):
    newer(claimed, data=FORGED)
    bin_ = claimed.owners.bin_of("quiz_master")
    saved = copy.deepcopy(bin_.targets)
    del bin_.targets["owners/quiz_master.json"]
    bin_.version += 1
    (name,) = (n for n, (each, _) in claimed.registry.others.items() if each is bin_)
    claimed.registry.others[name] = (bin_, "online")
    claimed.registry.publish()
    assert claimed.attack.install() == (3, "TRUST_SIGNATURE")
    claimed.registry.others[name] = (bin_, "owners")
    bin_.targets |= saved
    check_refused_after(claimed)


def check_refused_after(claimed):
    """Check that after a refusal of metadata the mended registry is believed."""
    claimed.registry.records.clear()
    claimed.registry.records |= copy.deepcopy(claimed.honest)
    claimed.owners.bin_of("quiz_master").version += 1
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claimed.registry.publish()
    done = claimed.attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err


@pytest.mark.attack("T7", (3, "TRUST_SIGNATURE"))
def test_the_role_is_removed_by_the_keys_that_publish(claimed):
    newer(claimed, data=FORGED)
    registry = claimed.registry
    role = registry.targets.delegations.roles.pop("owners")
    registry.targets.version += 1
    signers, registry.signers = (
        registry.signers,
        {**registry.signers, "root": registry.signers["online"]},
    )
    registry.publish()
    assert claimed.attack.install() == (3, "TRUST_SIGNATURE")
    registry.signers = signers
    registry.targets.delegations.roles["owners"] = role
    registry.targets.version += 1
    check_refused_after(claimed)


@pytest.mark.attack("T7", (3, "TRUST_METADATA"), (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("hidden", ["owners", "bin"])
def test_the_role_is_not_in_the_snapshot(claimed, hidden):
    newer(claimed, data=FORGED)
    registry, bin_ = claimed.registry, claimed.owners.bin_of("quiz_master")
    names = {id(signed): name for name, (signed, _) in registry.others.items()}
    name = "owners" if hidden == "owners" else names[id(bin_)]
    saved = registry.others.pop(name)
    registry.publish()
    del registry.snapshot.meta[f"{name}.json"]
    registry.sign_all()
    code, error = claimed.attack.install()
    assert (code, error) in ((3, "TRUST_METADATA"), (3, "TRUST_ROLLBACK"))
    assert not any("1.1.0" in path for path in claimed.attack.client.installed())
    registry.others[name] = saved
    check_refused_after(claimed)


@pytest.mark.attack("T7", (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("claimed", ["old client"], indirect=True)
def test_the_bin_of_before_the_claim_is_shown_again(claimed):
    """A client that has seen the claim refuses; a new one cannot tell until the bin expires."""
    newer(claimed, data=FORGED)
    bin_ = claimed.owners.bin_of("quiz_master")
    bin_.targets.clear()
    bin_.version -= 1
    claimed.registry.publish()
    assert claimed.attack.install() == (3, "TRUST_ROLLBACK")


CLAIMS = {
    "of another name": {"name": "diary"},
    "of another schema": {"schema": "psreg.package/1"},
    "with a threshold of none": {"threshold": 0},
    "with a threshold that none can reach": {"threshold": 2},
    "without owners": {"owners": []},
    "with a key that is none": {"owners": [{"forge": "github", "id": 1, "keys": ["ssh-dss AAAA"]}]},
}


@pytest.mark.attack("T7", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("members", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_that_means_nothing(claimed, members):
    newer(claimed)
    claimed.owners.sign("quiz_master", "1.1.0", ANA)
    claim = {**claimed.owners.claims["quiz_master"], **members}
    claimed.owners.serve("quiz_master", encode(claim))
    claimed.registry.publish()
    assert claimed.attack.install() == (3, "TRUST_METADATA")
    claimed.owners.serve("quiz_master", encode(claimed.owners.claims["quiz_master"]))
    claimed.registry.publish()
    assert claimed.attack.client.run("install", "quiz_master").code == 0


def test_a_claim_in_a_later_format_asks_for_a_newer_psreg(claimed):
    claim = claimed.owners.claims["quiz_master"] | {"schema": "psreg.owners/2"}
    claimed.owners.serve("quiz_master", encode(claim))
    claimed.registry.publish()
    assert claimed.attack.install() == (4, "NEWER_FORMAT")


@pytest.mark.attack("T7", (3, "TRUST_DIGEST"), (3, "TRUST_STATEMENT"))
def test_another_claim_is_served_in_its_place(claimed):
    newer(claimed, data=FORGED)
    claimed.owners.sign("quiz_master", "1.1.0", BEN)
    claimed.registry.publish()
    forged = {
        **claimed.owners.claims["quiz_master"],
        "owners": [{"forge": "github", "id": 2, "keys": [BEN.line]}],
    }
    for path in list(claimed.registry.files):
        if path.startswith("registry/targets/owners/"):
            claimed.registry.files[path] = encode(forged)[: len(claimed.registry.files[path])]
    fresh = not claimed.attack.client.installed()
    assert claimed.attack.install() == ((3, "TRUST_DIGEST") if fresh else REFUSED)
