"""A client and the log of a registry: what it refuses, and what it then does not keep.

That the whole command refuses as well is in `tests/attacks/test_false_history.py`.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta

import pytest

from psreg.client.install import resolve
from psreg.client.open_registry import OpenRegistry
from psreg.client.resolve import parse_requests
from psreg.client.trust_store import TrustStore, log_keys
from psreg.core.errors import PsregError, TrustError
from psreg.system import clock
from simulator import METADATA, Simulator
from support.simulated_log import SimulatedLog

TILES = "registry/log/tile/"


@pytest.fixture
def registry():
    return Simulator(log=True).release().release("diary").publish()


@pytest.fixture
def opened(registry, tmp_path, monkeypatch):
    """Return the registry as a client that knows it opens it."""
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "home"))
    store = TrustStore(tmp_path / "store")
    store.add(store.anchor(registry.first_root))

    def open_it():
        anchor = store.find(registry.pin)
        return OpenRegistry(registry, anchor, lambda _: None)

    return open_it


@pytest.fixture
def version(opened):
    """Return the version that a client would install."""

    def resolved(name="quiz_master"):
        (request,) = parse_requests([name])
        return resolve(request, opened()).row.version

    return resolved


def code_of(action):
    with pytest.raises(PsregError) as caught:
        action()
    return caught.value.code


def test_a_release_in_the_log_is_installed(registry, version):
    assert version() == "1.0.0"
    for minor in range(1, 4):
        registry.release("quiz_master", f"1.{minor}.0").publish()
        assert version() == f"1.{minor}.0"


def test_nothing_of_the_log_is_read_twice(registry, opened, version):
    """The first release has the newest checkpoint, which needs no tiles."""
    client = opened()
    for request in parse_requests(["quiz_master", "diary"]):
        resolve(request, client)
    assert not [path for path in registry.reads if path.startswith(TILES)]
    registry.release("atlas").publish()
    registry.reads.clear()
    client = opened()
    for request in parse_requests(["quiz_master", "diary", "atlas"]):
        resolve(request, client)
    assert len(registry.reads) == len(set(registry.reads))
    assert [path for path in registry.reads if path.startswith(TILES)] == [f"{TILES}0/000.p/3"]
    assert len([path for path in registry.reads if path.endswith(".checkpoint")]) == 1


def test_a_registry_without_a_log(tmp_path, monkeypatch):
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "home"))
    registry = Simulator().release().publish()
    store = TrustStore(tmp_path / "store")
    anchor = store.anchor(registry.first_root)
    (request,) = parse_requests(["quiz_master"])
    assert resolve(request, OpenRegistry(registry, anchor, lambda _: None)).row.log is None


def test_a_release_without_a_place_in_the_log(registry, version):
    del registry.records["quiz_master"]["releases"][0]["log"]
    log, registry.log = registry.log, None
    registry.publish()
    assert code_of(version) == "TRUST_LOG"
    assert version("diary") == "1.0.0"
    registry.log = log
    registry.publish()
    assert version() == "1.0.0"


def test_a_hidden_checkpoint(registry, version):
    del registry.releases.targets["log/checkpoint"]
    registry.releases.version += 1
    registry.sign_all()
    assert code_of(version) == "TRUST_LOG"


def test_another_history(registry, version):
    assert version() == "1.0.0"
    registry.log.leaves[0] = b"{}"
    registry.release("atlas").publish()
    assert code_of(lambda: version("atlas")) == "TRUST_LOG"


@pytest.mark.parametrize("damage", [None, b"", b"x" * 100], ids=["gone", "empty", "too long"])
def test_damaged_tiles(registry, version, damage):
    assert version() == "1.0.0"
    registry.release("quiz_master", "1.1.0").publish()
    tile = f"{TILES}0/000.p/3"
    good = registry.files.pop(tile)
    if damage is not None:
        registry.files[tile] = damage
    assert code_of(version) == "TRUST_LOG"
    registry.files[tile] = good
    assert version() == "1.1.0"


def test_a_record_that_was_known_is_kept_when_the_log_is_false(registry, opened, version):
    """What is refused is the log; the record that was read earlier is still the last one seen."""
    assert version() == "1.0.0"
    client = opened()
    record = client.record("quiz_master")
    del registry.releases.targets["log/checkpoint"]
    registry.releases.version += 1
    registry.sign_all()
    assert code_of(version) == "TRUST_LOG"
    assert opened().record("quiz_master") == record
    registry.records["quiz_master"]["serial"] = 0
    registry.publish()
    assert code_of(lambda: opened().record("quiz_master")) == "TRUST_ROLLBACK"


@pytest.mark.parametrize("keys", ["text", {"a": "b"}, [1], [None]])
def test_a_root_whose_log_is_not_a_list_of_texts(registry, version, keys):
    second_root(registry, {"log": keys})
    assert code_of(version) == "TRUST_METADATA"


def test_a_root_that_names_no_registry(registry, version):
    second_root(registry, None)
    assert code_of(version) == "TRUST_PIN"
    with pytest.raises(TrustError, match="another kind"):
        log_keys(registry.files[f"{METADATA}2.root.json"])


@pytest.mark.parametrize("keys", [[], ["psreg/x+00000000+AAAA"]])
def test_a_root_that_drops_the_log(registry, version, keys):
    second_root(registry, {"log": keys})
    assert code_of(version) == "TRUST_LOG"


@pytest.mark.parametrize("third", [{"log": []}, {"log": ["first"]}, {"log": ["second"]}])
def test_a_root_that_drops_what_a_later_one_added(registry, version, third):
    first = registry.log.key
    second = SimulatedLog(registry.log.origin).key
    second_root(registry, {"log": [second, first]})
    assert version() == "1.0.0"
    keys = {"first": first, "second": second}
    fields = registry.root.unrecognized_fields
    fields["psreg"] = fields["psreg"] | {"log": [keys[name] for name in third["log"]]}
    registry.root.version = 3
    registry.write_root()
    assert code_of(version) == "TRUST_LOG"


def second_root(registry, psreg):
    """Sign a second root with other members `psreg`, None for none."""
    fields = registry.root.unrecognized_fields
    fields["psreg"] = fields["psreg"] | psreg if psreg else None
    registry.root.version = 2
    registry.write_root()


def test_the_keys_in_a_root(registry):
    assert log_keys(registry.first_root) == (registry.log.key,)
    assert log_keys(Simulator().first_root) == ()


# How long it was


def views(registry, tmp_path):
    return tmp_path / "store" / registry.registry_id / "log/views.json"


def seen_at(registry, tmp_path, at):
    """Let it be at this time that the client last saw the log."""
    place = views(registry, tmp_path).with_name("checkpoint")
    os.utime(place, (at.timestamp(), at.timestamp()))


def last_without(opened, index):
    return opened()._log.last_without(index)


def test_when_the_log_lacked_an_entry(registry, opened, version, tmp_path):
    """It is remembered for each hour in which the log then grew, for eight days."""
    now = clock.now()
    assert version() == "1.0.0"
    assert last_without(opened, 1) is None
    for days, minor in ((9, 1), (3, 2), (3 - 1 / 48, 3), (1, 4), (-1, 5)):
        seen_at(registry, tmp_path, now - timedelta(days=days))
        registry.release("quiz_master", f"1.{minor}.0").publish()
        assert version() == f"1.{minor}.0"
    assert [size for size, _ in json.loads(views(registry, tmp_path).read_bytes())] == [3, 5, 6]
    found = [last_without(opened, index) for index in (1, 2, 3, 4, 5, 6)]
    assert [at and round((now - at) / timedelta(days=1)) for at in found] == [
        None, None, 3, 3, 1, 1,
    ]  # fmt: skip


def test_a_log_that_does_not_grow_is_seen_again(registry, opened, version, tmp_path):
    now = clock.now()
    assert version() == "1.0.0"
    seen_at(registry, tmp_path, now - timedelta(days=20))
    assert version() == "1.0.0"
    registry.release("quiz_master", "1.1.0").publish()
    assert version() == "1.1.0"
    assert now - last_without(opened, 2) < timedelta(hours=1)


DAMAGED = [
    b"",
    b"{",
    b"{}",
    b"[1]",
    b"[[1]]",
    b'[["x", 1]]',
    b"[[1, 1e30]]",
    b"[" * 9000,
    b'[[1, "x"]]',
]


@pytest.mark.parametrize("data", DAMAGED)
def test_damaged_views_tell_nothing(registry, opened, version, tmp_path, data):
    assert version() == "1.0.0"
    views(registry, tmp_path).write_bytes(data)
    assert last_without(opened, 9) is None
    registry.release("quiz_master", "1.1.0").publish()
    assert version() == "1.1.0"
    assert last_without(opened, 9) is not None
