"""A registry as this machine keeps it, through its public functions."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from psreg.client.chain import Pins
from psreg.client.config import SelectedRegistry, Settings
from psreg.client.install import fetch, resolve
from psreg.client.kept_registry import kept_registry, of_installed
from psreg.client.library import Library, Receipt
from psreg.client.open_registry import OpenRegistry
from psreg.client.resolve import parse_request
from psreg.client.trust_store import TrustStore
from psreg.core.errors import PsregError
from psreg.registry.records import read_record
from simulator import PAST, Simulator
from support.owners import ANA
from support.simulated_owners import SimulatedOwners

URL = "https://registry.invalid"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has searched a registry and installed its `quiz_master`."""
    monkeypatch.setenv("PSREG_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "home"))
    registry = Simulator(log=True).release().release("diary").publish()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    registry.publish()
    store, library = TrustStore(tmp_path / "store"), Library(tmp_path / "library")
    anchor = store.anchor(registry.first_root)
    store.add(anchor)
    opened = OpenRegistry(registry, anchor, lambda _: None)
    opened.segments()
    for name in ("quiz_master", "diary"):
        choice = resolve(parse_request(name), opened)
        receipt = Receipt(
            release=choice.release,
            sha256=choice.row.sha256,
            size=choice.row.size,
            registry=opened.describe(),
            installed="2026-11-21T05:00:00Z",
        )
        library.install(receipt, fetch(choice, opened))
    said = []

    def kept(**members):
        selected = SelectedRegistry(
            location=URL, origin="test", root_sha256=registry.pin, **members
        )
        return kept_registry(selected, Settings([]), store, said.append)

    return SimpleNamespace(
        registry=registry, kept=kept, said=said, store=store, library=library, folder=anchor.folder
    )


def code_of(function, *arguments):
    with pytest.raises(PsregError) as caught:
        function(*arguments)
    return caught.value.code


def test_what_is_kept(machine):
    kept = machine.kept()
    record = kept.with_void_keys(read_record(kept.record("quiz_master"), "quiz_master"))
    (row,) = record.releases
    kept.check_release(record, row)
    assert kept.artifact(row.path, row.size) == machine.registry.artifacts[row.path]
    assert kept.is_claimed("quiz_master")
    assert kept.claim(record).name == "quiz_master"
    assert not kept.is_claimed("diary")
    assert [name for segment in kept.segments() for name in segment.names] == [
        "diary",
        "quiz_master",
    ]
    assert (kept.names(), kept.versions, kept.first_time("x")) == ((), {}, False)
    assert kept.describe() == {"id": machine.registry.registry_id, "url": URL}
    kept.accept_owners(["quiz_master"])
    kept.expect([parse_request("quiz_master")], machine.library.lacks)
    assert all("is valid until" in line for line in machine.said)
    assert len(machine.said) == 3


def test_how_old_it_is_counts_from_when_it_was_last_seen(machine):
    for days, said in ((3, "2026-11-20"), (1, "2026-11-22")):
        seen = datetime(2026, 11, 23, tzinfo=UTC) - timedelta(days=days)
        for place in machine.folder.glob("pkg/quiz_master.*"):
            os.utime(place, (seen.timestamp(),) * 2)
        machine.kept().record("quiz_master")
        assert f"offline: as of {said}, timestamp 2 of" in machine.said[-1]


def test_what_is_not_kept(machine):
    kept = machine.kept()
    assert code_of(kept.record, "later") == "NOT_KEPT"
    assert code_of(kept.artifact, "pbes/prompt/later/1.0.0/later.prompt", 9) == "NOT_KEPT"
    (segment,) = (machine.folder / "targets/segments").iterdir()
    data = segment.read_bytes()
    segment.write_bytes(data + b" ")
    assert code_of(machine.kept().segments) == "TRUST_DIGEST"
    segment.unlink()
    assert code_of(machine.kept().segments) == "NOT_KEPT"
    proof = machine.folder / "catalog/head.proof"
    value = json.loads(proof.read_text())
    for name in ("catalog/head.proof", "pkg/diary.proof"):
        (machine.folder / name).write_text(json.dumps({**value, "files": {}}))
    assert code_of(machine.kept().segments) == "NOT_KEPT"
    assert code_of(machine.kept().record, "diary") == "NOT_KEPT"


def test_it_is_verified(machine):
    kept = machine.kept()
    record = read_record(kept.record("diary"), "diary")
    (row,) = record.releases
    kept.require_claimed = True
    assert code_of(kept.check_release, record, row) == "TRUST_UNCLAIMED"
    kept.require_claimed = False
    machine.library.path(machine.library.receipt("diary")).write_bytes(b"forged")
    assert code_of(kept.check_release, record, row) == "TRUST_DIGEST"


def test_it_is_told_that_it_has_expired(machine):
    registry, proof = machine.registry, machine.folder / "catalog/head.proof"
    registry.timestamp.expires = PAST
    value = json.loads(proof.read_text())
    signed = registry.signed(registry.timestamp, "stamp", "timestamp").decode()
    value["files"]["metadata/timestamp.json"] = signed
    proof.write_text(json.dumps(value))
    assert machine.kept().segments()
    assert f"which expired on {PAST:%Y-%m-%d}" in machine.said[-1]


def test_a_catalogue_of_another_layout(machine):
    registry, proof = machine.registry, machine.folder / "catalog/head.proof"
    roles = registry.releases.delegations.succinct_roles
    name = roles.get_role_for_target("catalog/head.json")
    registry.bins[name].targets.clear()
    value = json.loads(proof.read_text())
    path = next(path for path in value["files"] if path.endswith(f".{name}.json"))
    value["files"][path] = registry.signed(registry.bins[name], "online", name).decode()
    proof.write_text(json.dumps(value))
    assert code_of(machine.kept().segments) == "NOT_KEPT"


def test_which_one(machine, tmp_path):
    folder = SelectedRegistry(location=str(tmp_path), origin="test")
    assert kept_registry(folder, Settings([]), machine.store, print) is None
    for pin in (None, "0" * 64):
        unknown = SelectedRegistry(location=URL, origin="test", root_sha256=pin)
        assert code_of(kept_registry, unknown, Settings([]), machine.store, print) == "NOT_KEPT"
    assert Pins(machine.store, ()).anchor(machine.library.receipt("diary")).folder == machine.folder


def test_requests_for_what_is_installed(machine):
    texts = ("quiz_master", "diary@^2", "later")
    found = of_installed(map(parse_request, texts), machine.library)
    assert [str(request) for request in found] == ["quiz_master@1.0.0", "diary@^2", "later"]


def test_a_proof_that_there_is_no_such_name(machine):
    registry, proof = machine.registry, machine.folder / "pkg/quiz_master.proof"
    registry.bins["r-ec"].targets.clear()
    value = json.loads(proof.read_text())
    path = next(path for path in value["files"] if path.endswith(".r-ec.json"))
    value["files"][path] = registry.signed(registry.bins["r-ec"], "online", "r-ec").decode()
    proof.write_text(json.dumps(value))
    assert code_of(machine.kept().record, "quiz_master") == "NOT_KEPT"
