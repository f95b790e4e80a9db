"""The registry's own keys are used to show one client another history than the others.

All of it is signed as it should be; only the log, and what the client has seen of it, can tell.
"""

from __future__ import annotations

import base64
import copy
import shutil

import pytest

from simulator import Simulator
from support.simulated_log import SimulatedLog

REFUSED = (3, "TRUST_LOG")


@pytest.fixture
def signer():
    return Simulator(log=True)


@pytest.fixture
def seen(attack):
    """The client has installed a release, and seen the log with it and some others."""
    attack.registry.release("diary").release("atlas").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    registry = attack.registry.release("quiz_master", "1.1.0", b"newer")
    log = registry.log
    honest = registry.records, log.leaves, log.signer, registry.artifacts
    attack.honest = copy.deepcopy(honest)
    return registry


def check_refused(attack):
    """Check that nothing newer is installed, and that an honest registry is still believed."""
    before = attack.client.installed()
    assert attack.install() == REFUSED
    assert attack.client.installed() == before
    registry, log = attack.registry, attack.registry.log
    registry.records, log.leaves, log.signer, registry.artifacts = copy.deepcopy(attack.honest)
    for record in registry.records.values():
        record["serial"] += 9
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.1.0" in path for path in attack.client.installed())


def row_of(registry, version="1.1.0"):
    record = registry.records["quiz_master"]
    return record, next(row for row in record["releases"] if row["version"] == version)


def test_what_the_log_has_is_installed(attack, seen):
    seen.publish()
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert any("1.1.0" in path for path in attack.client.installed())


def test_the_checkpoint_is_hidden(attack, seen):
    seen.publish()
    del seen.releases.targets["log/checkpoint"]
    seen.releases.version += 1
    seen.sign_all()
    check_refused(attack)


def test_the_checkpoint_is_not_served(attack, seen):
    seen.publish()
    for path in [path for path in seen.files if path.endswith(".checkpoint")]:
        del seen.files[path]
    assert attack.install()[0] != 0


def test_the_log_is_rewound(attack, seen):
    """An entry is taken back: the newest checkpoint has fewer entries than the client has seen."""
    seen.publish()
    seen.serve_log(seen.log.note(2))
    seen.sign_all()
    check_refused(attack)


@pytest.mark.parametrize("more", [0, 1, 5, 300])
def test_the_log_is_forked(attack, seen, more):
    """An entry that the client has seen is replaced, and the log grows from there."""
    record, _ = row_of(seen)
    seen.log.leaves[1] = b'{"name":"diary","artifact":"another"}'
    seen.log.leaves += [b"{}"] * more
    seen.publish()
    assert record["releases"][-1]["log"]["index"] == 3 + more
    check_refused(attack)


def test_a_release_is_not_in_the_log(attack, seen):
    seen.publish()
    _, row = row_of(seen)
    del row["log"]
    sign_record(seen)
    check_refused(attack)


def sign_record(registry):
    """Publish the records as they are, with the log as it is."""
    log, registry.log = registry.log, None
    for record in registry.records.values():
        record["serial"] += 1
    registry.publish()
    registry.log = log


FALSE_PLACES = {
    "of another entry": lambda log, record: log.place(record, 0),
    "with a proof of another entry": lambda log, record: (
        log.place(record, 3) | {"proof": log.place(record, 2)["proof"]}
    ),
    "without a proof": lambda log, record: log.place(record, 3) | {"proof": []},
    "with a proof that is too long": lambda log, record: (
        log.place(record, 3)
        | {"proof": [*log.place(record, 3)["proof"], base64.b64encode(b"x" * 32).decode()]}
    ),
    "behind the end": lambda log, record: log.place(record, 3) | {"index": 4},
    "far behind the end": lambda log, record: log.place(record, 3) | {"index": 1 << 50},
    "by other owners": lambda log, record: log.place(record, 3) | {"owners": "0" * 64},
    "with an unsigned checkpoint": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note().decode().partition("\u2014")[0]}
    ),
    "with a checkpoint of another log": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(origin="psreg/other").decode()}
    ),
    "with a checkpoint without entries": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(0).decode()}
    ),
    "with a checkpoint of another root": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(root=b"x" * 32).decode()}
    ),
    "with no checkpoint": lambda log, record: log.place(record, 3) | {"checkpoint": ""},
}


@pytest.mark.parametrize("place", FALSE_PLACES.values(), ids=FALSE_PLACES)
def test_a_release_names_a_place_in_the_log(attack, seen, place):
    seen.publish()
    record, row = row_of(seen)
    row["log"] = place(seen.log, record)
    sign_record(seen)
    check_refused(attack)


def test_the_bytes_of_a_release_are_not_those_in_the_log(attack, seen):
    """The artifact was replaced after it had been logged."""
    seen.publish()
    record, row = row_of(seen)
    seen.release("quiz_master", "1.1.0", b"replaced")
    replaced = record["releases"].pop()
    row |= {"sha256": replaced["sha256"], "size": replaced["size"]}
    sign_record(seen)
    check_refused(attack)


@pytest.mark.parametrize("size", [1, 4, 9])
def test_a_release_is_in_a_log_of_its_own(attack, seen, size):
    """The key of the log signs a second log, which nobody else sees."""
    seen.publish()
    record, row = row_of(seen)
    own = SimulatedLog(seen.log.origin)
    own.signer = seen.log.signer
    own.leaves = [b"{}"] * (size - 1)
    own.add(record, row)
    row["log"] = own.place(record, size - 1)
    attack.honest[1].extend([b"{}"] * 9)
    seen.log.leaves[:] = attack.honest[1]
    seen.serve_log(seen.log.note())
    sign_record(seen)
    check_refused(attack)


def test_another_key_signs_the_log(attack, seen):
    seen.log.signer = SimulatedLog("x").signer
    seen.publish()
    check_refused(attack)


TRICKS = {
    "altered": lambda data: data[::-1],
    "cut": lambda data: data[:-1],
    "too long": lambda data: data + b"x",
    "empty": lambda _: b"",
    "a page": lambda _: b"<!DOCTYPE html><title>Not found</title>",
    "gone": lambda _: None,
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_the_files_of_the_log_are(attack, seen, trick):
    """The client has seen a smaller log, so it needs the files to see that this one continues it."""
    seen.publish()
    for path in [path for path in seen.files if path.startswith("registry/log/tile/0/")]:
        data = trick(seen.files.pop(path))
        if data is not None:
            seen.files[path] = data
    check_refused(attack)


@pytest.mark.parametrize("keys", [["x"], ["psreg/x+00000000+AAAA"], [""], ["a+b+c", "d"]])
def test_a_root_names_keys_that_are_none(client, attack, keys):
    root_with(attack, keys)
    assert attack.install() == REFUSED
    assert client.installed() == []


@pytest.mark.parametrize("keys", ["a text", 7, None, {}, [1], [None], [["x"]]])
def test_a_root_has_a_malformed_log(client, attack, keys):
    root_with(attack, keys)
    assert attack.install() == (3, "TRUST_METADATA")
    assert client.installed() == []


def root_with(attack, keys):
    """Sign the first root with other keys of the log, and have the client trust it."""
    registry = attack.registry
    registry.root.unrecognized_fields["psreg"]["log"] = keys
    registry.write_root()
    shutil.rmtree(attack.client.home / "config")
    attack.client.trust(attack.server.url, registry.pin)


def test_a_log_that_grew_a_lot_is_still_the_same(attack, seen):
    """Its first tile was full meanwhile, and the old files are gone."""
    seen.log.leaves += [b"{}"] * 700
    for path in [path for path in seen.files if path.startswith("registry/log/")]:
        del seen.files[path]
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0


def test_owners_that_changed_later_do_not_matter(attack, seen):
    seen.publish()
    record, _ = row_of(seen)
    record["owners"] = [{"forge": "github", "id": 7, "login": "somebody"}]
    record["threshold"] = 2
    sign_record(seen)
    assert attack.client.run("install", "quiz_master").code == 0


def test_a_new_root_adds_a_key_of_the_log(attack, seen):
    """What the former key signed stays true, also what the client has seen."""
    new = SimulatedLog(seen.log.origin)
    seen.root.unrecognized_fields["psreg"]["log"] = [new.key, seen.log.key]
    seen.root.version = 2
    seen.write_root()
    seen.log.signer = new.signer
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    seen.log.leaves[1] = b"{}"
    seen.release("quiz_master", "1.2.0").publish()
    check_refused(attack)


def test_a_damaged_copy_of_what_was_seen_is_replaced(attack, seen):
    (stored,) = attack.client.state.glob("*/log/checkpoint")
    stored.write_bytes(b"damaged")
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert stored.read_bytes() == seen.log.note()


def test_the_history_is_false_from_the_beginning(attack):
    """Without anything seen before, the log must at least have the release."""
    _, row = row_of(attack.registry, "1.0.0")
    row["log"]["index"] = 7
    sign_record(attack.registry)
    assert attack.install() == REFUSED
    assert attack.client.installed() == []
