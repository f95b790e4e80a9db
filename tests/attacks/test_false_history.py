"""The registry's own keys are used to show one client another history than the others.

All of it is signed as it should be; only the log, and what the client has seen of it, can tell.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import shutil

import pytest

from simulator import lasting
from support.simulated_log import SimulatedLog

REFUSED = (3, "TRUST_LOG")


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def seen(attack):
    """The client has installed a release, and seen the log with it and some others."""
    attack.registry.release("diary").release("atlas").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    registry = attack.registry.release("quiz_master", "1.1.0", b"newer")
    attack.honest, attack.state = honest_state(registry), None  # `check_refused` sees to it
    return registry


def honest_state(registry):
    """Return a copy of what an honest registry would publish next."""
    log = registry.log
    return copy.deepcopy((registry.records, log.leaves, log.signer, registry.artifacts))


def check_refused(attack, refusal=REFUSED):
    """Check that nothing newer is installed, and that an honest registry is still believed."""
    before = attack.client.installed()
    assert attack.install() == refusal
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


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_checkpoint_is_hidden(attack, seen):
    seen.publish()
    del seen.releases.targets["log/checkpoint"]
    seen.releases.version += 1
    seen.sign_all()
    check_refused(attack)


@pytest.mark.attack("T12", (4, "NOT_FOUND"))
def test_the_checkpoint_is_not_served(attack, seen):
    seen.publish()
    for path in [path for path in seen.files if path.endswith(".checkpoint")]:
        del seen.files[path]
    check_refused(attack, (4, "NOT_FOUND"))


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_log_is_rewound(attack, seen):
    """An entry is taken back: the newest checkpoint has fewer entries than the client has seen."""
    seen.publish()
    seen.serve_log(seen.log.note(2))
    seen.sign_all()
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_log_is_rewound_and_has_the_release(attack, seen):
    """What is installed agrees with the false log; only what the client has seen does not."""
    del seen.log.leaves[1:]
    seen.publish()
    record, _ = row_of(seen)
    assert record["releases"][-1]["log"] == seen.log.place(record, 1, 2)
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_log_is_forked_at_the_size_that_was_seen(attack, seen):
    seen.log.leaves[1:] = [b"{}"]
    seen.publish()
    assert len(seen.log.leaves) == 3
    check_refused(attack)


FALSE_CHECKPOINTS = {
    "of another log": lambda _: SimulatedLog("psreg/other").note(),
    "by another key": lambda log: another_key(log).note(),
    "for another origin": lambda log: log.note(origin="psreg/other"),
    "without a signature": lambda log: log.note().partition("\u2014".encode())[0],
    "with the signature of an earlier one": lambda log: with_signature(log.note(), log),
    "with another root": lambda log: log.note(root=b"x" * 32),
    "that is a page": lambda _: b"<!DOCTYPE html><title>Not found</title>",
    "that is empty": lambda _: b"",
}


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("false", FALSE_CHECKPOINTS.values(), ids=FALSE_CHECKPOINTS)
def test_the_registry_vouches_for_a_checkpoint(attack, seen, false):
    seen.publish()
    seen.serve_log(false(seen.log))
    seen.sign_all()
    check_refused(attack)


def with_signature(earlier, log):
    """Return a checkpoint that continues the log, with the signature of an earlier one."""
    log.leaves.append(b"{}")
    return log.note().partition(b"\n\n")[0] + b"\n\n" + earlier.partition(b"\n\n")[2]


def another_key(log):
    """Return a log with the same name and entries, and a key that no root names."""
    other = SimulatedLog(log.origin)
    other.leaves = log.leaves
    return other


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("more", [0, 1, 5, 300])
def test_the_log_is_forked(attack, seen, more):
    """An entry that the client has seen is replaced, and the log grows from there."""
    record, _ = row_of(seen)
    seen.log.leaves[1] = b'{"name":"diary","artifact":"another"}'
    seen.log.leaves += [b"{}"] * more
    seen.publish()
    assert record["releases"][-1]["log"]["index"] == 3 + more
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
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
    "with a checkpoint for another origin": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(origin="psreg/other").decode()}
    ),
    "with a checkpoint by another key": lambda log, record: another_key(log).place(record, 3),
    "with a checkpoint without entries": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(0).decode()}
    ),
    "with a checkpoint of another root": lambda log, record: (
        log.place(record, 3) | {"checkpoint": log.note(root=b"x" * 32).decode()}
    ),
    "with no checkpoint": lambda log, record: log.place(record, 3) | {"checkpoint": ""},
}


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("place", FALSE_PLACES.values(), ids=FALSE_PLACES)
def test_a_release_names_a_place_in_the_log(attack, seen, place):
    seen.publish()
    record, row = row_of(seen)
    row["log"] = place(seen.log, record)
    sign_record(seen)
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_METADATA"))
def test_a_release_names_nothing_as_its_place_in_the_log(attack, seen):
    seen.publish()
    row_of(seen)[1]["log"] = None
    sign_record(seen)
    check_refused(attack, (3, "TRUST_METADATA"))


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_bytes_of_a_release_are_not_those_in_the_log(attack, seen):
    """The artifact was replaced after it had been logged."""
    seen.publish()
    record, row = row_of(seen)
    seen.release("quiz_master", "1.1.0", b"replaced")
    replaced = record["releases"].pop()
    row |= {"sha256": replaced["sha256"], "size": replaced["size"]}
    sign_record(seen)
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("size", [1, 4, 9, 12, 20])
def test_a_release_is_in_a_log_of_its_own(attack, seen, size):
    """The key of the log signs a second log, which nobody else sees; the other one has 12."""
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


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_another_key_signs_the_log(attack, seen):
    seen.log.signer = SimulatedLog("x").signer
    seen.publish()
    check_refused(attack)


TRICKS = {
    "altered": lambda data: data[::-1],
    "in another order": lambda data: data[32:64] + data[:32] + data[64:],
    "those of another log": lambda data: hashlib.sha256().digest() * (len(data) // 32),
    "cut": lambda data: data[:-1],
    "too long": lambda data: data + b"x",
    "those of a later log": lambda data: data + b"x" * 32,
    "empty": lambda _: b"",
    "a page": lambda _: b"<!DOCTYPE html><title>Not found</title>",
    "a page that is as long": lambda data: b"<!DOCTYPE html>".ljust(len(data)),
    "gone": lambda _: None,
}


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_the_files_of_the_log_are(attack, seen, trick):
    """The client has seen a smaller log, so it needs the files to see that this one continues it."""
    seen.publish()
    for path in [path for path in seen.files if path.startswith("registry/log/tile/0/")]:
        data = trick(seen.files.pop(path))
        if data is not None:
            seen.files[path] = data
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("keys", [["x"], ["psreg/x+00000000+AAAA"], [""], ["a+b+c", "d"]])
def test_a_root_names_keys_that_are_none(client, attack, keys):
    root_with(attack, keys)
    assert attack.install() == REFUSED
    assert client.installed() == []


@pytest.mark.attack("T12", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("keys", ["a text", 7, None, {}, [1], [None], [["x"]]])
def test_a_root_has_a_malformed_log(client, attack, keys):
    root_with(attack, keys)
    assert attack.install() == (3, "TRUST_METADATA")
    assert client.installed() == []


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_a_root_names_a_key_and_one_that_is_none(client, attack):
    root_with(attack, [attack.registry.log.key, "x"])
    assert attack.install() == REFUSED
    assert client.installed() == []


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_a_root_names_a_key_of_its_log_twice(attack):
    """It is the same log: what is not in it is refused, and what is in it is installed."""
    root_with(attack, [attack.registry.log.key] * 2)
    assert attack.client.run("install", "quiz_master").code == 0
    unlogged(attack.registry)
    assert attack.install() == REFUSED


def test_a_first_root_that_names_no_key_has_no_log(attack):
    root_with(attack, [])
    unlogged(attack.registry)
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.1.0" in path for path in attack.client.installed())


def unlogged(registry):
    """Release something that is not in the log."""
    registry.release("quiz_master", "1.1.0", b"not in the log")
    sign_record(registry)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("said", [{}, {"log": []}], ids=["not at all", "as an empty list"])
def test_a_new_root_drops_the_log_and_names_it(attack, seen, said):
    """All keys were stolen: what is installed next is in no log."""
    second_root(seen, said)
    sign_record(seen)
    refused_for_trust(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_a_new_root_replaces_the_key_of_the_log_and_its_history(attack, seen):
    """What the client has seen is signed by a key that no root names any more."""
    other = another_key(seen.log)
    second_root(seen, {"log": [other.key]})
    seen.log.signer, seen.log.leaves[:] = other.signer, [b"{}"] * 3
    for record in seen.records.values():
        for row in record["releases"]:
            row.pop("log", None)
    seen.publish()
    refused_for_trust(attack)


def second_root(registry, said):
    """Sign the next root, which says something else about the log."""
    fields = registry.root.unrecognized_fields["psreg"]
    del fields["log"]
    fields |= said
    registry.root.version = 2
    registry.write_root()


def refused_for_trust(attack):
    before = attack.client.installed()
    assert attack.install()[0] == 3
    assert attack.client.installed() == before


def root_with(attack, keys):
    """Sign the first root with other keys of the log, and have the client trust it."""
    registry, attack.state = attack.registry, None
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


@pytest.fixture
def seen_300(attack, seen):
    """The client has seen the log with 300 entries; without 1.1.0, which is released again."""
    later = seen.records["quiz_master"]["releases"].pop()
    seen.log.leaves += [b"{}"] * 296
    seen.release("diary", "1.1.0", b"newer").publish()
    assert attack.client.run("install", "diary").code == 0
    (stored,) = attack.client.state.glob("*/log/checkpoint")
    assert stored.read_bytes() == seen.log.note(300)
    seen.records["quiz_master"]["releases"].append(later)
    attack.honest = honest_state(seen)
    return seen


def grow_to_700(registry):
    registry.log.leaves += [b"{}"] * 399
    registry.publish()
    assert len(registry.log.leaves) == 700


def test_a_log_that_was_seen_with_300_entries_has_700(attack, seen_300):
    grow_to_700(seen_300)
    assert attack.client.run("install", "quiz_master").code == 0
    (stored,) = attack.client.state.glob("*/log/checkpoint")
    assert stored.read_bytes() == seen_300.log.note(700)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("at", [0, 255, 256, 299])
def test_an_entry_of_300_is_replaced_before_there_are_700(attack, seen_300, at):
    seen_300.log.leaves[at] = b'{"another": "entry"}'
    grow_to_700(seen_300)
    check_refused(attack)


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
@pytest.mark.parametrize("tile", ["0/001", "0/002.p/188", "1/000.p/2"])
def test_a_tile_between_300_and_700_is_altered(attack, seen_300, tile):
    grow_to_700(seen_300)
    path = f"registry/log/tile/{tile}"
    seen_300.files[path] = seen_300.files[path][::-1]
    check_refused(attack)


def test_owners_that_changed_later_do_not_matter(attack, seen):
    seen.publish()
    record, _ = row_of(seen)
    record["owners"] = [{"forge": "github", "id": 7, "login": "somebody"}]
    record["threshold"] = 2
    sign_record(seen)
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
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


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_log_goes_on_under_another_name(attack, seen):
    """A new root names the key of a second log, which has the same entries."""
    second = SimulatedLog("psreg/second")
    second.leaves = seen.log.leaves
    seen.root.unrecognized_fields["psreg"]["log"].append(second.key)
    seen.root.version = 2
    seen.write_root()
    first, seen.log = seen.log, second
    seen.publish()
    seen.log = first
    check_refused(attack)


def test_a_damaged_copy_of_what_was_seen_is_replaced(attack, seen):
    (stored,) = attack.client.state.glob("*/log/checkpoint")
    stored.write_bytes(b"damaged")
    seen.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert stored.read_bytes() == seen.log.note()


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_history_is_false_from_the_beginning(attack):
    """Without anything seen before, the log must at least have the release."""
    _, row = row_of(attack.registry, "1.0.0")
    row["log"]["index"] = 7
    sign_record(attack.registry)
    assert attack.install() == REFUSED
    assert attack.client.installed() == []


@pytest.mark.attack("T12", (3, "TRUST_LOG"))
def test_the_log_has_another_origin_from_the_beginning(attack):
    """The key of the log signs for another registry, too."""
    _, row = row_of(attack.registry, "1.0.0")
    note = attack.registry.log.note(origin="psreg/other")
    row["log"]["checkpoint"] = note.decode()
    attack.registry.serve_log(note)
    sign_record(attack.registry)
    assert attack.install() == REFUSED
    assert attack.client.installed() == []
