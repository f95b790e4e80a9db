"""A registry as a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from psreg.core.errors import UnavailableError
from psreg.registry.store_folder import RegistryFolder, released_versions
from simulator import Simulator


@pytest.fixture
def store(tmp_path: Path) -> RegistryFolder:
    return RegistryFolder(tmp_path / "deep" / "registry")


def test_what_is_written_is_read(store: RegistryFolder) -> None:
    assert store.read("metadata/timestamp.json") is None
    store.write("metadata/timestamp.json", b"one")
    store.write("metadata/timestamp.json", b"two")
    store.sync()
    assert store.read("metadata/timestamp.json") == b"two"
    assert store.names("metadata") == ["timestamp.json"]


def test_a_folder_that_is_not_there_is_empty(store: RegistryFolder) -> None:
    assert store.names("metadata") == []
    store.sweep("metadata")
    assert not store.root.exists()


def test_a_file_in_place_of_the_folder(store: RegistryFolder) -> None:
    store.root.parent.mkdir()
    store.root.write_text("a file")
    assert store.read("metadata/x") is None
    assert store.names("metadata") == []
    with pytest.raises(UnavailableError) as caught:
        store.write("metadata/x", b"")
    assert caught.value.code == "CANNOT_WRITE"


def test_unfinished_files_are_swept(store: RegistryFolder) -> None:
    store.write("metadata/x", b"1")
    (store.root / "metadata/.psreg-abc").write_bytes(b"half")
    assert store.names("metadata") == ["x"]
    store.sweep("metadata")
    assert [path.name for path in (store.root / "metadata").iterdir()] == ["x"]


def test_remove(store: RegistryFolder) -> None:
    store.write("metadata/x", b"1")
    store.remove("metadata/x")
    store.sync()
    assert store.read("metadata/x") is None
    with pytest.raises(UnavailableError):
        store.remove("metadata/x")


def test_a_planted_link_is_replaced_not_followed(store: RegistryFolder, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (store.root / "metadata").mkdir(parents=True)
    (store.root / "metadata/timestamp.json").symlink_to(victim)
    store.write("metadata/timestamp.json", b"new")
    assert victim.read_text() == "untouched"
    assert not (store.root / "metadata/timestamp.json").is_symlink()


def test_what_cannot_be_read_is_told(store: RegistryFolder) -> None:
    (store.root / "metadata/x").mkdir(parents=True)
    with pytest.raises(UnavailableError) as caught:
        store.read("metadata/x")
    assert caught.value.code == "CANNOT_READ"
    loop = store.root / "loop"
    loop.symlink_to(loop)
    with pytest.raises(UnavailableError) as caught:
        store.names("loop")
    assert caught.value.code == "CANNOT_READ"


def test_a_folder_that_vanished_cannot_be_synced(store: RegistryFolder) -> None:
    store.write("metadata/x", b"1")
    store.remove("metadata/x")
    (store.root / "metadata").rmdir()
    with pytest.raises(UnavailableError):
        store.sync()


def test_versions_that_records_list(tmp_path: Path) -> None:
    assert released_versions(tmp_path / "registry", "quiz_master") == frozenset()
    made = Simulator(mode="dev").release("quiz_master", "1.0.0").release("quiz_master", "1.1.0")
    made.release("master", "3.0.0")
    registry = made.publish().store(tmp_path)
    registry = next(path.parent for path in registry.rglob("targets") if path.is_dir())
    (registry / f"targets/pkg/{'0' * 64}.quiz_master.json").write_text("{")
    assert released_versions(registry, "quiz_master") == {"1.0.0", "1.1.0"}
    assert released_versions(registry, "master") == {"3.0.0"}
