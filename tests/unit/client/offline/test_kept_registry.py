"""A registry as this machine keeps it, through its public functions."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime, timedelta

import pytest

from psreg.client.chain import Pins
from psreg.client.config import NamedRegistry, SelectedRegistry, Settings
from psreg.client.kept import keep_proof, proof_place
from psreg.client.offline.kept_registry import KeptRegistry, kept_registry, of_installed
from psreg.client.resolve import parse_request
from psreg.core.errors import PsregError
from psreg.registry.records import read_record
from psreg.system.atomic import exclusive
from simulator import PAST
from support.simulated_log import witness


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
    assert [name for segment in kept.catalogue().segments for name in segment.names] == [
        "diary",
        "quiz_master",
    ]
    assert (kept.names(), kept.first_time("x")) == ((), False)
    assert kept.versions == {"root": 1, "timestamp": 2, "snapshot": 2, "targets": 2}
    assert machine.kept().versions == {}
    assert kept.describe() == {"id": machine.registry.registry_id, "url": machine.url}
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
    assert code_of(machine.kept().catalogue) == "TRUST_DIGEST"
    segment.unlink()
    assert code_of(machine.kept().catalogue) == "NOT_KEPT"
    proof = machine.folder / "catalog/head.proof"
    value = json.loads(proof.read_text())
    for name in ("catalog/head.proof", "pkg/diary.proof"):
        (machine.folder / name).write_text(json.dumps({**value, "files": {}}))
    assert code_of(machine.kept().catalogue) == "NOT_KEPT"
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
    assert machine.kept().catalogue()
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
    assert code_of(machine.kept().catalogue) == "NOT_KEPT"


def test_which_one(machine, tmp_path):
    folder = SelectedRegistry(location=str(tmp_path), origin="test")
    nothing = (Settings([]), machine.store, print, KeptRegistry)
    assert kept_registry(folder, *nothing) is None
    for pin in (None, "0" * 64):
        unknown = SelectedRegistry(location=machine.url, origin="test", root_sha256=pin)
        assert code_of(kept_registry, unknown, *nothing) == "NOT_KEPT"
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


def test_what_is_not_installed_is_verified_all_the_same(machine, tmp_path):
    machine.library.remove("diary")
    kept = machine.kept()
    record = read_record(kept.record("diary"), "diary")
    (row,) = record.releases
    kept.check_release(record, row)
    assert code_of(kept.artifact, row.path, row.size) == "NOT_KEPT"
    demanding = NamedRegistry(
        name="main",
        location=machine.url,
        root_sha256=machine.registry.pin,
        file=tmp_path,
        witnesses=(witness("anna.example").key,),
        threshold=1,
    )
    (anchor,) = [machine.store.find(machine.registry.pin)]
    strict = KeptRegistry(anchor, machine.url, Pins(machine.store, [demanding]), print)
    assert code_of(strict.check_release, record, row) == "TRUST_WITNESS"


def test_a_proof_is_written_when_nobody_else_writes(machine):
    """Who has the lock deletes what looks unfinished: a proof must not be written meanwhile."""
    place = proof_place(machine.folder, "pkg/diary.json")
    place.unlink()
    done = threading.Thread(target=keep_proof, args=(machine.folder, "pkg/diary.json"))
    with exclusive(machine.folder / "lock"):
        done.start()
        done.join(0.3)
        assert not place.exists()
    done.join(5)
    assert place.exists()
