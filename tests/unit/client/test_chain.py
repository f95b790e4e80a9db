"""The chain of what is installed, link by link, through the public functions."""

from __future__ import annotations

import json
from contextlib import closing
from types import SimpleNamespace

import pytest

from psreg.client.chain import Chain, Pins
from psreg.client.config import NamedRegistry
from psreg.client.install import fetch, resolve
from psreg.client.kept import keep_proof
from psreg.client.library import Library, Receipt
from psreg.client.open_registry import OpenRegistry
from psreg.client.resolve import parse_request
from psreg.client.trust_store import TrustStore
from psreg.core.ssh_key import SshKey
from psreg.registry.trust.metadata import verified
from simulator import PAST, Simulator
from support.owners import ANA, BEN
from support.simulated_log import witness
from support.simulated_owners import SimulatedOwners, files_of, owned_by


@pytest.fixture
def person(tmp_path, monkeypatch):
    """Somebody who installs what `person.install(registry, "NAME@VERSION")` names."""
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "home"))
    store, library = TrustStore(tmp_path / "store"), Library(tmp_path / "library")

    def open_(registry):
        anchor = store.anchor(registry.first_root)
        store.add(anchor)
        return OpenRegistry(registry, anchor, lambda _: None)

    def install(registry, text, **metadata):
        with closing(registry):
            opened = open_(registry)
            choice = resolve(parse_request(text), opened)
            receipt = Receipt(
                release=choice.release,
                sha256=choice.row.sha256,
                size=choice.row.size,
                registry=opened.describe(),
                metadata={**opened.versions, **metadata},
                installed="2026-11-21T05:00:00Z",
            )
            library.install(receipt, fetch(choice, opened))
            return receipt

    def chain(receipt, *registries):
        return Chain(receipt, library, Pins(TrustStore(tmp_path / "store"), registries))

    return SimpleNamespace(
        install=install, chain=chain, open=open_, library=library, store=tmp_path / "store"
    )


def failure(chain):
    """Return the code and the link that fails."""
    return chain.error and (chain.error.code, chain.links[-1].name)


def text_of(chain, name):
    return next(link.text for link in chain.links if link.name == name)


def test_without_a_log_and_without_owners(person):
    registry = Simulator().release().publish()
    chain = person.chain(person.install(registry, "quiz_master"))
    assert failure(chain) is None
    assert text_of(chain, "log") == "the registry has no log"
    assert text_of(chain, "statement") == "none of the owners signed the release"
    assert "pinned on this machine as" in text_of(chain, "root")
    link = next(link for link in chain.links if link.name == "releases").to_json()
    assert (len(link["signed"]), link["threshold"], link["keys"], link["code"]) == (1, 1, 1, None)


def test_a_log_and_several_roots(person):
    registry = Simulator(log=True).release().publish()
    registry.root.version += 1
    registry.write_root()
    registry.release("diary").publish()
    chain = person.chain(person.install(registry, "quiz_master"))
    assert failure(chain) is None
    assert [link.name for link in chain.links].count("root") == 2
    assert text_of(chain, "checkpoint").startswith("2 entries")
    registry.release("later").publish()
    person.install(registry, "later")
    chain = person.chain(person.install(registry, "quiz_master"))
    assert "3 entries of the log" in text_of(chain, "last seen")


def test_the_log_went_on_since(person):
    registry = Simulator(log=True).release().publish()
    receipt = person.install(registry, "quiz_master")
    person.install(registry.release("later").publish(), "later")
    chain = person.chain(receipt)
    assert text_of(chain, "checkpoint").startswith("1 entries")
    assert "2 entries of the log" in text_of(chain, "last seen")


def test_witnesses_whom_the_settings_demand(person):
    registry, anna, bert = Simulator(log=True).release().publish(), witness("anna"), witness("bert")
    registry.serve_log(registry.log.note() + anna.line(registry.log.note()))
    registry.sign_all()
    receipt = person.install(registry, "quiz_master")

    def named(threshold, pin=registry.pin):
        return NamedRegistry(
            name="main",
            location=registry.location,
            root_sha256=pin,
            file=person.store,
            witnesses=(anna.key, bert.key),
            threshold=threshold,
        )

    chain = person.chain(receipt, named(1))
    assert failure(chain) is None
    assert [link.text for link in chain.links if link.name == "witness"] == [
        "anna saw that on 2027-01-15T08:00:00Z"
    ]
    assert failure(person.chain(receipt, named(2))) == ("TRUST_WITNESS", "witness")
    logless = Simulator(registry_id="e" * 32).release("diary").publish()
    chain = person.chain(person.install(logless, "diary"), named(1, logless.pin))
    assert failure(chain) == ("TRUST_LOG", "log")


def test_owners_who_are_not_in_a_claim(person):
    registry = Simulator(log=True)
    owners = SimulatedOwners(registry)
    registry.release()
    record = registry.records["quiz_master"]
    record |= owned_by(ANA)
    (row,) = record["releases"]
    row["files"] = files_of(row)
    owners.sign("quiz_master", "1.0.0", ANA)
    chain = person.chain(person.install(registry.publish(), "quiz_master"))
    assert text_of(chain, "claim").startswith("the name is not claimed")
    assert "signed by github:1" in text_of(chain, "statement")
    assert [account for account, _ in chain.signed.signatures] == ["github:1"]


@pytest.mark.parametrize(
    ("after", "claimed", "why"),
    [
        (0, False, "; the release was there before"),
        (-1, False, ", so that it does not count"),
        (-1, True, ", so that it does not count"),
    ],
)
def test_a_revoked_key_signed_it(person, after, claimed, why):
    registry = Simulator(log=True)
    owners = SimulatedOwners(registry)
    registry.release()
    key = SshKey.parse(ANA.line).fingerprint
    record = registry.records["quiz_master"]
    record |= owned_by(ANA, BEN) | {"void": [{"key": key, "after": after, "action": 1}]}
    (row,) = record["releases"]
    row["files"] = files_of(row)
    owners.sign("quiz_master", "1.0.0", ANA, BEN)
    registry.publish()
    if claimed:
        registry.targets.version += 1
        owners.claim("quiz_master", BEN)
        registry.publish()
    chain = person.chain(person.install(registry, "quiz_master"))
    assert failure(chain) is None
    told = [link.text for link in chain.links if link.name == "revoked key"]
    assert told == [f"the SSH key {key} is revoked for what the log has after entry {after}{why}"]
    assert text_of(chain, "claim").endswith("and this one was there before") is claimed


def test_a_claim_that_is_newer_than_the_release(person):
    registry = Simulator(log=True).release().publish()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    chain = person.chain(person.install(registry.publish(), "quiz_master"))
    assert failure(chain) is None
    assert "claimed by github:1; 1 must" in text_of(chain, "claim")
    assert text_of(chain, "statement") == "none of the owners signed the release"


def test_what_expired_is_told(person):
    registry = Simulator().release().publish()
    receipt = person.install(registry, "quiz_master")
    registry.timestamp.expires = PAST
    (folder,) = person.store.iterdir()
    proof = folder / "pkg" / "quiz_master.proof"
    value = json.loads(proof.read_text())
    value["files"]["metadata/timestamp.json"] = registry.signed(
        registry.timestamp, "stamp", "timestamp"
    ).decode()
    proof.write_text(json.dumps(value))
    chain = person.chain(receipt)
    assert failure(chain) is None
    assert f"expired on {PAST:%Y-%m-%d}" in text_of(chain, "timestamp")


def changed(receipt, **members):
    return Receipt.from_json({**receipt.to_json(), **members})


def test_the_first_link_that_fails_is_the_last(person):
    registry = Simulator().release().publish()
    receipt = person.install(registry, "quiz_master")
    assert failure(person.chain(changed(receipt, sha256="0" * 64))) == ("TRUST_DIGEST", "file")
    assert failure(person.chain(changed(receipt, size=1))) == ("TRUST_DIGEST", "record")
    newer = changed(receipt, metadata={"snapshot": 9})
    assert failure(person.chain(newer)) == ("TRUST_ROLLBACK", "snapshot")
    elsewhere = changed(receipt, registry={"id": "f" * 32, "url": "https://e.example"})
    assert failure(person.chain(elsewhere)) == ("TRUST_UNPROVEN", "proof")
    other = NamedRegistry(name="main", location=registry.location, root_sha256="0" * 64, file=None)
    assert failure(person.chain(receipt, other)) == ("TRUST_PIN", "proof")


def test_a_version_that_was_never_released(person):
    registry = Simulator().release().publish()
    receipt = person.install(registry, "quiz_master")
    forged = changed(receipt, version="9.0.0")
    person.library.install(forged, person.library.path(receipt).read_bytes())
    assert failure(person.chain(forged)) == ("TRUST_DIGEST", "record")


def test_the_proof_of_another_name_or_registry(person):
    registry = Simulator().release().release("diary").publish()
    receipt = person.install(registry, "quiz_master")
    person.install(registry, "diary")
    (folder,) = person.store.iterdir()
    proof = folder / "pkg" / "quiz_master.proof"
    registry.bins["r-ec"].targets.clear()
    registry.bins["r-ec"].version += 1
    registry.sign_all()
    value = json.loads(proof.read_text())
    files = {path.removeprefix("registry/"): data for path, data in registry.files.items()}
    value["files"] = {
        path: data.decode()
        for path, data in files.items()
        if path.startswith("metadata/") and ".root." not in path
    }
    proof.write_text(json.dumps(value))
    assert failure(person.chain(receipt)) == ("TRUST_UNPROVEN", "record")
    value["files"] = {}
    proof.write_text(json.dumps(value))
    assert failure(person.chain(receipt)) == ("TRUST_UNPROVEN", "proof")


def test_the_log_does_not_have_it(person):
    registry = Simulator(log=True).release().publish()
    receipt = person.install(registry, "quiz_master")
    del registry.records["quiz_master"]["releases"][0]["log"]
    registry.log, log = None, registry.log
    registry.publish()
    registry.log = log
    (folder,) = person.store.iterdir()
    opened = person.open(registry)
    data = opened.record("quiz_master")
    (folder / "pkg" / "quiz_master.json").write_bytes(data)
    keep_proof(folder, "pkg/quiz_master.json")
    assert failure(person.chain(receipt)) == ("TRUST_LOG", "log")


def test_what_was_read_last_is_older(person):
    registry = Simulator(log=True).release().publish()
    receipt = person.install(registry, "quiz_master")
    (folder,) = person.store.iterdir()
    before = {path: path.read_bytes() for path in (folder / "metadata").glob("*.json")}
    person.install(registry.release("diary").publish(), "quiz_master")
    note = (folder / "log" / "checkpoint").read_bytes()
    for path, data in before.items():
        if path.name != "root.json":
            path.write_bytes(data)
    assert failure(person.chain(receipt)) == ("TRUST_ROLLBACK", "last seen")
    person.install(registry.publish(), "quiz_master")
    (folder / "log" / "checkpoint").unlink()
    assert failure(person.chain(receipt)) == ("TRUST_LOG", "last seen")
    (folder / "log" / "checkpoint").write_bytes(note)
    assert failure(person.chain(receipt)) is None


def test_it_was_revoked(person, monkeypatch):
    registry = Simulator().release().publish()
    receipt = person.install(registry, "quiz_master")
    registries = person.library.folder.parent / "home" / "data" / "registries"
    registries.mkdir(parents=True)
    (folder,) = person.store.iterdir()
    (registries / folder.name).symlink_to(folder)
    key = {"name": "quiz_master", "version": "1.0.0", "sha256": receipt.sha256}
    revoked = {"kind": "revoke", "reason": "Lies.", "date": "2026-11-21T05:00:00Z", "action": 1}
    value = {"schema": "psreg.withdrawals/1", "releases": [{**key, "revoked": revoked}], "keys": []}
    (folder / "withdrawals.json").write_text(json.dumps(value))
    assert failure(person.chain(receipt)) == ("TRUST_REVOKED", "revocations")


def test_the_newest_state_is_verified_once_for_all_chains(person):
    registry = Simulator().release().release("diary").publish()
    receipts = [person.install(registry, name) for name in ("quiz_master", "diary")]
    pins = Pins(TrustStore(person.store), ())
    assert Chain(receipts[0], person.library, pins).error is None
    for path in person.store.rglob("timestamp.json"):
        path.write_bytes(b"{}")
    assert Chain(receipts[1], person.library, pins).error is None
    assert failure(person.chain(receipts[1]))[1] == "last seen"


def test_what_two_proofs_have_in_common_is_verified_once(person, monkeypatch):
    registry = Simulator().release().release("diary").publish()
    receipts = [person.install(registry, name) for name in ("quiz_master", "diary")]
    roles = []

    def counted(data, role, *more, **named):
        roles.append(role)
        return verified(data, role, *more, **named)

    monkeypatch.setattr("psreg.registry.trust.reading.verified", counted)
    pins = Pins(TrustStore(person.store), ())
    assert [Chain(each, person.library, pins).error for each in receipts] == [None, None]
    assert sorted(roles) == sorted({*roles})


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "releases", "r-"])
def test_a_proof_that_differs_from_one_that_was_verified(person, role):
    registry = Simulator().release().release("diary").publish()
    receipts = [person.install(registry, name) for name in ("quiz_master", "diary")]
    (proof,) = person.store.rglob("diary.proof")
    value = json.loads(proof.read_text())
    (path,) = (each for each in value["files"] if f"/{role}" in each or f".{role}" in each)
    document = json.loads(value["files"][path])
    document["signatures"][0]["sig"] = "0" * 128
    value["files"][path] = json.dumps(document)
    proof.write_text(json.dumps(value))
    pins = Pins(TrustStore(person.store), ())
    assert Chain(receipts[0], person.library, pins).error is None
    assert Chain(receipts[1], person.library, pins).error.code == "TRUST_SIGNATURE"


def test_a_claim_that_is_older_than_the_release(person):
    registry = Simulator(log=True)
    owners = SimulatedOwners(registry)
    registry.release()
    record = registry.records["quiz_master"]
    record |= owned_by(ANA)
    (row,) = record["releases"]
    row["files"] = files_of(row)
    owners.claim("quiz_master", ANA)
    owners.sign("quiz_master", "1.0.0", ANA)
    chain = person.chain(person.install(registry.publish(), "quiz_master"))
    assert failure(chain) is None
    assert text_of(chain, "claim") == "the name is claimed by github:1; 1 must sign a release"
