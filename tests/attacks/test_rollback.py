"""An old but genuine state is shown to a client that has seen a newer one."""

from __future__ import annotations

import shutil

import pytest

from simulator import METADATA


@pytest.fixture
def seen(attack):
    """The state before the second release, which the client has already installed."""
    before = dict(attack.registry.files)
    attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    attack.learned()
    return before


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_an_old_timestamp_is_refused(attack, seen):
    attack.registry.files[f"{METADATA}timestamp.json"] = seen[f"{METADATA}timestamp.json"]
    assert attack.install() == (3, "TRUST_ROLLBACK")
    assert any("1.1.0" in path for path in attack.client.installed())


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_new_timestamp_naming_an_old_snapshot_is_refused(attack, seen):
    attack.registry.timestamp.version += 1
    attack.registry.timestamp.snapshot_meta.version = 1
    attack.registry.write_timestamp()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_snapshot_that_lists_an_older_bin_is_refused(attack, seen):
    registry = attack.registry
    registry.snapshot.meta["r-ec.json"].version = 1
    registry.snapshot.version += 1
    registry.write_snapshot()
    registry.timestamp.version += 1
    registry.timestamp.snapshot_meta.version = registry.snapshot.version
    registry.write_timestamp()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_snapshot_that_drops_a_bin_is_refused(attack, seen):
    registry = attack.registry
    del registry.snapshot.meta["r-00.json"]
    registry.snapshot.version += 1
    registry.write_snapshot()
    registry.timestamp.version += 1
    registry.timestamp.snapshot_meta.version = registry.snapshot.version
    registry.write_timestamp()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_an_old_root_in_place_of_the_next_is_refused(attack, seen):
    attack.registry.files[f"{METADATA}2.root.json"] = attack.registry.first_root
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_clearing_the_cache_folder_does_not_help(attack, seen):
    shutil.rmtree(attack.client.home / "cache")
    attack.registry.files[f"{METADATA}timestamp.json"] = seen[f"{METADATA}timestamp.json"]
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_garbage_beside_a_good_timestamp_does_not_lift_the_protection(attack, seen):
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "snapshot.json").write_bytes(b"garbage")
    attack.registry.files[f"{METADATA}timestamp.json"] = seen[f"{METADATA}timestamp.json"]
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_a_mirror_that_is_behind_is_recognised_as_the_same_registry(attack, seen, tmp_path):
    for path, data in seen.items():
        (tmp_path / "usb" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "usb" / path).write_bytes(data)
    assert attack.install("--registry", tmp_path / "usb") == (3, "TRUST_ROLLBACK")
