"""Somebody changes what this machine keeps: `psreg verify` finds it without a network."""

from __future__ import annotations

import base64
import hashlib
import json
from types import SimpleNamespace

import pytest

from simulator import Simulator, lasting
from support.owners import ANA, BEN
from support.simulated_owners import SimulatedOwners, files_of

UNPROVEN, DIGEST, SIGNATURE = "TRUST_UNPROVEN", "TRUST_DIGEST", "TRUST_SIGNATURE"


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def victim(attack):
    """Somebody who installed a release that ANA and BEN signed; then the registry went on."""

    registry, client = attack.registry, attack.client
    registry.root.version += 1
    registry.write_root()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA, BEN, threshold=2)
    registry.release("quiz_master", "1.1.0", b"signed")
    (*_, row) = registry.records["quiz_master"]["releases"]
    row["files"] = files_of(row)
    owners.sign("quiz_master", "1.1.0", ANA, BEN)
    registry.publish().release("later", "1.0.0").publish()
    client.run("install", "quiz_master")
    registry.release("later", "1.1.0").publish()
    assert client.run("install", "later").code == 0
    attack.learned()
    (state,) = client.state.iterdir()
    return SimpleNamespace(
        client=client,
        asked=attack.server.asked,
        state=state,
        version=client.library / "quiz_master" / "1.1.0",
        proof=state / "pkg" / "quiz_master.proof",
    )


def verified(victim):
    """Return exit code, error code and the link that fails."""
    before, asked = victim.client.library_content(), len(victim.asked)
    done = victim.client.run("verify", "quiz_master", "--format", "json")
    assert victim.client.library_content() == before
    assert len(victim.asked) == asked
    (row,) = done.json["results"]
    last = row["chain"][-1]["link"] if row["problem"] else None
    return done.code, row["code"], last


def change(place, **members):
    """Change members of a JSON file, at `a.b` for one that is deeper."""
    value = json.loads(place.read_text())
    for path, new in members.items():
        *above, name = path.split(".")
        inner = value
        for each in above:
            inner = inner[each]
        inner[name] = new
    place.write_text(json.dumps(value))


def flip(place, at=-40):
    """Change one letter or digit of a file."""
    data = bytearray(place.read_bytes())
    data[at] ^= 1
    place.write_bytes(data)


def test_the_whole_chain_is_shown(victim):
    assert verified(victim) == (0, None, None)
    said = victim.client.run("verify", "quiz_master").out.splitlines()
    assert said[0] == "quiz_master 1.1.0: verified"
    links = [line[2:14].strip() for line in said[1:]]
    assert links == [
        *("file", "record", "r-ec", "releases", "snapshot", "timestamp", "targets"),
        *("root", "root", "claim", "o4-e", "owners", "statement", "statement"),
        *("log", "checkpoint", "last seen", "revocations"),
    ]
    assert "the name is claimed by github:1, github:2; 2 must sign a release" in said[10]
    assert "signed by github:1 with the SSH key SHA256:" in said[13]
    assert "(1 of 1 must), until 20" in said[3]


# What is installed


@pytest.mark.attack("T1", (3, DIGEST))
@pytest.mark.parametrize("data", [b"signee", b"signed ", b""])
def test_the_file_has_other_bytes(victim, data):
    (victim.version / "quiz_master.pbe.txt").write_bytes(data)
    assert verified(victim) == (3, DIGEST, "file")


@pytest.mark.attack("T1", (3, DIGEST), (3, UNPROVEN))
@pytest.mark.parametrize(
    ("members", "answer"),
    [
        ({"sha256": "0" * 64}, (DIGEST, "file")),
        ({"size": 7}, (DIGEST, "record")),
        ({"class": "stateless_executor"}, (DIGEST, "record")),
        ({"registry.id": "f" * 32}, (UNPROVEN, "proof")),
        ({"registry.id": "../.."}, (UNPROVEN, "proof")),
    ],
)
def test_the_receipt_says_something_else(victim, members, answer):
    change(victim.version / "receipt.json", **members)
    assert verified(victim) == (3, *answer)


@pytest.mark.attack("T1", (3, DIGEST))
def test_file_and_receipt_fit_one_another(victim):
    other = b"forged"
    (victim.version / "quiz_master.pbe.txt").write_bytes(other)
    digest = hashlib.sha256(other).hexdigest()
    change(victim.version / "receipt.json", sha256=digest, size=len(other))
    assert verified(victim) == (3, DIGEST, "record")


@pytest.mark.attack("T1", (3, DIGEST))
def test_a_version_is_installed_that_was_never_released(victim):
    change(victim.version / "receipt.json", version="9.0.0")
    victim.version.rename(victim.version.with_name("9.0.0"))
    assert verified(victim) == (3, DIGEST, "record")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "root"])
def test_the_proof_is_older_than_the_receipt(victim, role):
    change(victim.version / "receipt.json", **{f"metadata.{role}": 99})
    assert verified(victim) == (3, "TRUST_ROLLBACK", role)


# What is kept of the registry


@pytest.mark.attack("T1", (3, DIGEST))
def test_the_record_is_another_one(victim):
    record = victim.state / "pkg" / "quiz_master.json"
    record.write_text(record.read_text().replace("When testing", "When attacked"))
    assert verified(victim) == (3, DIGEST, "record")


@pytest.mark.attack("T1", (3, UNPROVEN), (3, "TRUST_MIXED"))
@pytest.mark.parametrize("name", ["quiz_master.json", "quiz_master.proof"])
def test_a_link_is_gone(victim, name):
    (victim.state / "pkg" / name).unlink()
    code, error, _ = verified(victim)
    assert (code, error) in [(3, UNPROVEN), (3, "TRUST_MIXED")]


@pytest.mark.attack("T1", (3, UNPROVEN))
@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"files": [], "tiles": {}, "root": 1}', "[" * 9999]
)
def test_the_proof_is_none(victim, text):
    victim.proof.write_text(text)
    assert verified(victim) == (3, UNPROVEN, "proof")


ROLES = ["timestamp", "2.snapshot", "2.targets", "2.releases", "2.r-ec", "1.owners", "2.o4-e"]


def proof_file(victim, role):
    """Return the path of a role in the proof, whatever its version is."""
    name = role.rpartition(".")[2]
    files = json.loads(victim.proof.read_text())["files"]
    return next(path for path in files if path.endswith((f".{name}.json", f"/{name}.json")))


@pytest.mark.attack("T17", (3, SIGNATURE))
@pytest.mark.parametrize("role", ROLES)
def test_metadata_has_another_signature(victim, role):
    edit(victim, role, lambda value: value["signatures"][0].update(sig="0" * 128))
    code, error, _ = verified(victim)
    assert (code, error) == (3, SIGNATURE)


@pytest.mark.attack("T17", (3, SIGNATURE))
@pytest.mark.parametrize("role", ROLES)
def test_metadata_says_something_else(victim, role):
    edit(victim, role, lambda value: value["signed"].update(expires="2099-01-01T00:00:00Z"))
    code, error, _ = verified(victim)
    assert (code, error) == (3, SIGNATURE)


@pytest.mark.attack("T4", (3, "TRUST_MIXED"), (3, UNPROVEN))
@pytest.mark.parametrize("role", ROLES)
def test_metadata_is_missing(victim, role):
    value = json.loads(victim.proof.read_text())
    del value["files"][proof_file(victim, role)]
    victim.proof.write_text(json.dumps(value))
    code, error, _ = verified(victim)
    assert (code, error) == (3, UNPROVEN if role == "timestamp" else "TRUST_MIXED")


def edit(victim, role, how):
    """Change a metadata file of the proof."""
    value = json.loads(victim.proof.read_text())
    path = proof_file(victim, role)
    inner = json.loads(value["files"][path])
    how(inner)
    value["files"][path] = json.dumps(inner)
    victim.proof.write_text(json.dumps(value))


@pytest.mark.attack("T10", (3, SIGNATURE))
def test_a_root_has_another_key(victim):
    root = victim.state / "metadata" / "root_history" / "2.root.json"
    value = json.loads(root.read_text())
    key = next(iter(value["signed"]["keys"].values()))
    key["keyval"]["public"] = "0" * 64
    root.write_text(json.dumps(value))
    code, error, _ = verified(victim)
    assert (code, error) == (3, SIGNATURE)


@pytest.mark.attack("T10", (3, "TRUST_PIN"))
def test_everything_is_replaced_by_another_registry(attack, victim):
    """It has the same id, and its own keys; the settings pin the true root."""
    attack.state = None  # `psreg install` asks whether somebody impersonates the registry
    other = Simulator(registry_id=victim.state.name).release().publish()
    (victim.state / "1.root.json").write_bytes(other.first_root)
    code, error, link = verified(victim)
    assert (code, error, link) == (3, "TRUST_PIN", "proof")


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_checkpoint_seen_last_is_another_one(victim):
    flip(victim.state / "log" / "checkpoint")
    assert verified(victim) == (3, "TRUST_LOG", "last seen")


@pytest.mark.attack("T12", (3, "TRUST_LOG"), (3, "TRUST_MIXED"), (3, "TRUST_DIGEST"))
@pytest.mark.parametrize(
    "name", ["log/checkpoint", "metadata/snapshot.json", "pkg/quiz_master.json"]
)
def test_a_damaged_file_is_no_reason_to_write_to_the_maintainers(attack, victim, name):
    attack.state = None  # the hint restores what is damaged
    (victim.state / name).write_bytes(b"{")
    (row,) = victim.client.run("verify", "quiz_master", "--format", "json").json["results"]
    assert row["hint"] == "Run `psreg install quiz_master` while the registry can be reached."
    assert victim.client.run("install", "quiz_master").code == 0
    assert victim.client.run("verify", "quiz_master").code == 0


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_checkpoint_seen_last_is_an_older_one(victim):
    row = json.loads((victim.state / "pkg" / "quiz_master.json").read_text())["releases"][0]
    (victim.state / "log" / "checkpoint").write_text(row["log"]["checkpoint"])
    assert verified(victim) == (3, "TRUST_LOG", "last seen")


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("how", ["changed", "gone"])
def test_the_tiles_are_others(victim, how):
    value = json.loads(victim.proof.read_text())
    assert value["tiles"]
    for path, text in value["tiles"].items():
        data = bytes(each ^ 1 for each in base64.b64decode(text))
        value["tiles"][path] = base64.b64encode(data).decode()
    value["tiles"] = value["tiles"] if how == "changed" else {}
    victim.proof.write_text(json.dumps(value))
    assert verified(victim) == (3, "TRUST_LOG", "log")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_the_newest_state_is_older_than_the_proof(victim):
    before = json.loads(victim.proof.read_text())["files"]
    places = {role: proof_file(victim, role) for role in ROLES[:5]}
    assert victim.client.run("verify", "quiz_master", "--registry", "main").code == 0
    for role, path in places.items():
        name = role.rpartition(".")[2]
        (victim.state / "metadata" / f"{name}.json").write_text(before[path])
    assert verified(victim) == (3, "TRUST_ROLLBACK", "last seen")


@pytest.mark.attack("T17", (3, SIGNATURE))
@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "releases"])
def test_the_newest_state_is_not_signed(victim, role):
    flip(victim.state / "metadata" / f"{role}.json", at=-90)
    code, error, link = verified(victim)
    assert (code, link) == (3, "last seen")
    assert error in (SIGNATURE, "TRUST_METADATA")
