"""A log grows by entries; what records say of them proves that they are in it, and stays true."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.errors import TrustError
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, signed, verified
from psreg.registry.log.entry import LogEntry, LogRecord, owners_digest
from psreg.registry.log.growth import (
    check_continues,
    check_logged,
    grow_log,
    log_files,
    log_paths,
    tiles_of,
)
from psreg.registry.log.merkle import tree_root
from psreg.registry.log.tiles import subtrees_in
from psreg.registry.trust.signing_keys import generate_key, public_key

PEM = generate_key()
KEY = NoteKey(name="psreg/0123", public=public_key(PEM))
OTHER_PEM = generate_key()
EMPTY = Checkpoint(origin=KEY.name, size=0, root=hashlib.sha256().digest())
OWNERS = owners_digest([{"forge": "github", "id": 1}], 1)


def entry(number, **changes):
    artifact = hashlib.sha256(str(number).encode()).hexdigest()
    fields = {"name": "quiz", "version": f"{number}.0.0", "artifact": artifact, "owners": OWNERS}
    return LogEntry(**fields | changes)


class Log:
    """A log in memory, all files kept."""

    def __init__(self):
        self.files = {}
        self.checkpoints = [EMPTY]
        self.records = []

    def add(self, *entries):
        grown = grow_log(self.checkpoints[-1], entries, PEM, tiles_of(self.files.get))
        assert not grown.files.keys() & self.files.keys()
        self.files |= grown.files
        self.checkpoints.append(verified(grown.note, KEY))
        self.records += grown.records
        return grown.records


def refused(function, *arguments):
    with pytest.raises(TrustError) as error:
        function(*arguments)
    assert error.value.code == "TRUST_LOG"


@given(st.lists(st.integers(0, 40), min_size=1, max_size=4))
def test_every_entry_is_proven_and_every_checkpoint_continued(batches):
    log, entries = Log(), []
    for batch in batches:
        new = [entry(len(entries) + at) for at in range(batch)]
        log.add(*new)
        entries += new
    for number, (each, record) in enumerate(zip(entries, log.records, strict=True)):
        assert record.index == number
        assert check_logged(each, record, [KEY]) in log.checkpoints
        assert LogRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    for before in log.checkpoints:
        for after in log.checkpoints[log.checkpoints.index(before) :]:
            check_continues(before, after, tiles_of(log.files.get))


def test_an_entry_is_canonical_json():
    assert entry(3, artifact="a" * 64, owners="b" * 64).data.decode() == (
        f'{{"artifact":"{"a" * 64}","kind":"release","name":"quiz","owners":"{"b" * 64}",'
        '"statement":null,"version":"3.0.0"}'
    )


def test_who_owns_a_name_is_one_digest():
    one, two = {"forge": "github", "id": 1}, {"id": 1, "forge": "github"}
    assert owners_digest([one], 1) == owners_digest((two,), 1) == OWNERS
    assert len({OWNERS, owners_digest([one], 2), owners_digest([one, one], 1)}) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"name": "quiz2"},
        {"version": "3.0.1"},
        {"artifact": "0" * 64},
        {"owners": "0" * 64},
        {"statement": "0" * 64},
        {"kind": "other"},
    ],
)
def test_an_entry_that_says_something_else_is_not_in_the_log(change):
    log = Log()
    _, record = log.add(entry(1), entry(2))
    check_logged(entry(2), record, [KEY])
    refused(check_logged, entry(2, **change), record, [KEY])


def test_a_key_that_was_replaced_still_counts():
    log = Log()
    (record,) = log.add(entry(1))
    newer = NoteKey(name=KEY.name, public=public_key(OTHER_PEM))
    assert check_logged(entry(1), record, [newer, KEY]).size == 1
    refused(check_logged, entry(1), record, [newer])
    refused(check_logged, entry(1), record, [])


def test_a_log_that_forgot_an_entry_is_refused():
    log, other = Log(), Log()
    log.add(entry(1), entry(2))
    other.add(entry(1), entry(3))
    log.add(entry(4))
    other.add(entry(4))
    here, there = log.checkpoints, other.checkpoints
    refused(check_continues, here[1], there[2], tiles_of(other.files.get))
    refused(check_continues, here[1], there[1], tiles_of(other.files.get))
    refused(check_continues, here[2], here[1], tiles_of(log.files.get))
    renamed = Checkpoint(origin="psreg/4567", size=here[2].size, root=here[2].root)
    refused(check_continues, here[1], renamed, tiles_of(log.files.get))
    refused(check_continues, EMPTY, renamed, tiles_of(log.files.get))


def test_a_log_whose_files_are_damaged_does_not_grow():
    log = Log()
    log.add(*map(entry, range(300)))
    for path in ("log/tile/0/001.p/44", "log/tile/1/000.p/1", "log/tile/entries/001.p/44"):
        for damaged in ({**log.files, path: log.files[path][::-1]}, {**log.files, path: b""}):
            refused(grow_log, log.checkpoints[-1], [entry(300)], PEM, tiles_of(damaged.get))
        gone = {place: data for place, data in log.files.items() if place != path}
        refused(grow_log, log.checkpoints[-1], [entry(300)], PEM, tiles_of(gone.get))


def test_the_files_of_a_log_are_verified_before_they_are_handed_on():
    log = Log()
    log.add(*map(entry, range(300)))
    newest = log.checkpoints[-1]
    assert dict(log_files(newest, tiles_of(log.files.get))) == log.files
    assert set(log_paths(newest)) == log.files.keys()
    root = tree_root(256, subtrees_in(tiles_of(log.files.get), 300))
    for path, data in log.files.items():
        others = {key: value for key, value in log.files.items() if key != path}
        for damaged in (b"", root, data[:-1], data + b"\0", data[32:] + data[:32], data[::-1]):
            files = tiles_of({**others, path: damaged}.get)
            refused(list, log_files(newest, files)) if damaged != data else None
        refused(list, log_files(newest, tiles_of(others.get)))


def test_files_that_are_known_are_not_read_again():
    log = Log()
    log.add(*map(entry, range(300)))
    known = {"log/tile/0/000", "log/tile/entries/000"}
    asked = []

    def read(path):
        asked.append(path)
        return log.files.get(path)

    assert dict(log_files(log.checkpoints[-1], tiles_of(read), known)).keys() == (
        log.files.keys() - known
    )
    assert known.isdisjoint(asked)


def test_the_files_are_in_one_folder():
    log = Log()
    log.add(entry(1))
    assert sorted(log.files) == ["log/tile/0/000.p/1", "log/tile/entries/000.p/1"]


@pytest.mark.parametrize(
    "change",
    [
        {"index": "1"},
        {"index": True},
        {"owners": "A" * 64},
        {"proof": ["AAAA"]},
        {"proof": ["A" * 43]},
        {"proof": ["A" * 43 + "=" + "\n"]},
        {"proof": ["\u00fc" * 44]},
        {"proof": [1]},
        {"proof": None},
        {"checkpoint": None},
    ],
)
def test_a_record_of_another_shape_is_refused(change):
    log = Log()
    _, record = log.add(entry(1), entry(2))
    with pytest.raises(ValueError, match=r"log|proof|base64"):
        LogRecord.from_json(record.to_json() | change)


def test_a_negative_index_and_a_lone_surrogate_are_refused():
    log = Log()
    (record,) = log.add(entry(1))
    for change in ({"index": -1}, {"checkpoint": "\ud800"}):
        refused(check_logged, entry(1), LogRecord.from_json(record.to_json() | change), [KEY])


def test_an_empty_log_has_a_checkpoint():
    log = Log()
    assert log.add() == ()
    assert log.checkpoints == [EMPTY, EMPTY]
    log.add(entry(1))
    check_continues(EMPTY, log.checkpoints[-1], tiles_of({}.get))
    assert tree_root(0, None) == EMPTY.root
    assert signed(EMPTY, PEM).startswith(b"psreg/0123\n0\n")
