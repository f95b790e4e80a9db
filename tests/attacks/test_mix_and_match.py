"""Genuine files of different states are served together."""

from __future__ import annotations

import pytest

from simulator import METADATA


@pytest.mark.attack("T4", (3, "TRUST_MIXED"))
@pytest.mark.parametrize(
    ("name", "old"),
    [("2.snapshot", "1.snapshot"), ("2.r-ec", "1.r-ec"), ("2.targets", "1.targets")],
)
def test_a_file_of_an_older_state_is_refused(attack, name, old):
    registry = attack.registry
    registry.targets.version += 1
    registry.release("quiz_master", "1.1.0", b"newer").publish()
    registry.files[f"{METADATA}{name}.json"] = registry.files[f"{METADATA}{old}.json"]
    assert attack.install() == (3, "TRUST_MIXED")


@pytest.mark.attack("T4", (3, "TRUST_MIXED"))
def test_a_file_that_is_not_the_one_hashed_is_refused(attack):
    registry = attack.registry
    snapshot = f"{METADATA}1.snapshot.json"
    registry.timestamp.snapshot_meta.hashes = {"sha256": "0" * 64}
    registry.write_timestamp()
    assert snapshot in registry.files
    assert attack.install() == (3, "TRUST_MIXED")


@pytest.mark.attack("T4", (4, "NOT_FOUND"))
def test_a_missing_file_is_no_reason_to_go_on(attack):
    del attack.registry.files[f"{METADATA}1.snapshot.json"]
    assert attack.install() == (4, "NOT_FOUND")
    assert attack.client.installed() == []
