"""What a registry is asked for ahead is what a client will ask, and nothing that is kept."""

from __future__ import annotations

import json

import pytest

from psreg.client.tufclient import TufClient
from psreg.client.verified.ahead import Ahead
from simulator import METADATA, Simulator

RECORD, CLAIM = "pkg/quiz_master.json", "owners/quiz_master.json"


class Memory(Simulator):
    """Fetches ahead at once, and says what."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.ahead = []

    def prefetch(self, path, limit, then=None):
        self.ahead.append(path)
        data = self.files.get(path)
        if data is not None and len(data) <= limit and then is not None:
            then(data)


@pytest.fixture
def registry():
    return Memory(log=True).release().publish()


def row_of(record):
    row = json.loads(record)["releases"][0]
    yield row["path"], row["size"]


@pytest.fixture
def ask(registry, tmp_path):
    def ask(*wanted, follow=row_of, **known):
        ahead = Ahead(registry, tmp_path)
        for path in wanted:
            ahead.want(path, follow if path == RECORD else None)
        registry.ahead.clear()
        ahead.begin(**known)
        return registry.ahead

    return ask


def read(registry, folder, *paths):
    client = TufClient(registry, registry.first_root, folder, print)
    registry.reads.clear()
    for path in paths:
        client.target(path, 100_000)
    return registry.reads


def test_a_cold_client_asks_for_what_was_fetched_ahead(registry, ask, tmp_path):
    ahead = ask(RECORD, CLAIM)
    asked = read(registry, tmp_path, RECORD, CLAIM, "log/checkpoint")
    artifact = next(path for path in registry.files if path.startswith("pbes/"))
    assert set(asked) | {artifact} == {*ahead}
    assert len(ahead) == len({*ahead}) == 9


def test_what_is_kept_is_not_fetched(registry, ask, tmp_path):
    read(registry, tmp_path, RECORD, CLAIM, "log/checkpoint")
    artifact = next(path for path in registry.files if path.startswith("pbes/"))
    assert ask(RECORD, follow=None) == [f"{METADATA}timestamp.json", f"{METADATA}2.root.json"]
    assert ask(RECORD)[1:] == [artifact, f"{METADATA}2.root.json"]


def test_nothing_follows_from_a_timestamp_that_is_known(registry, ask):
    known = registry.files[f"{METADATA}timestamp.json"]
    assert ask(RECORD, root=6, known=known) == [
        f"{METADATA}timestamp.json",
        f"{METADATA}7.root.json",
    ]


def test_only_what_is_new_is_fetched(registry, ask, tmp_path):
    read(registry, tmp_path, RECORD, "log/checkpoint")
    registry.release(version="1.1.0", data=b"new").publish()
    ahead = {path.rpartition("/")[2] for path in ask(RECORD)}
    assert "2.snapshot.json" in ahead
    assert "2.releases.json" in ahead, "it has the checkpoint of the log"
    assert "1.targets.json" not in ahead


@pytest.mark.parametrize("size", [-1, 2_000_000])
def test_what_is_large_is_not_fetched_ahead(ask, size):
    assert "pbes/x" not in ask(RECORD, follow=lambda _: [("pbes/x", size)])


def test_a_large_target_is_not_fetched_ahead(registry, ask):
    registry.records["quiz_master"]["x"] = "x" * 2_000_000
    registry.publish()
    assert not [path for path in ask(RECORD) if path.startswith("registry/targets/pkg/")]
