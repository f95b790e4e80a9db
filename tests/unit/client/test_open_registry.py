"""Which registry is meant, and opening it."""

from __future__ import annotations

import os

import pytest

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.open_registry import open_registry
from psreg.client.registry_choice import select_registry
from psreg.client.trust_store import TrustStore
from psreg.core.errors import PsregError
from psreg.registry.records import read_record
from simulator import METADATA, Simulator
from support.loopback import serving


@pytest.fixture
def registry():
    return Simulator().release().release("diary", entry_class="prompt", data=b"dear").publish()


@pytest.fixture
def store(tmp_path):
    return TrustStore(tmp_path / "store")


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.delenv("PSREG_REGISTRY", raising=False)

    def load(user=""):
        (tmp_path / "user").write_text(user)
        return Settings.load(tmp_path, system=tmp_path / "system", user=tmp_path / "user")

    return load


def code_of(action):
    with pytest.raises(PsregError) as caught:
        action()
    return caught.value.code


def opened(location, store, said=None, **pins):
    """Open a registry and return the names it has."""
    wanted = SelectedRegistry(location=str(location), origin="test", **pins)
    with open_registry(wanted, store, (said if said is not None else []).append) as found:
        return found.names()


# Which one


def test_the_option_comes_first_then_the_variable_then_the_settings(
    settings, tmp_path, monkeypatch
):
    loaded = settings('registry = "https://user.example"')
    monkeypatch.setenv("PSREG_REGISTRY", "https://variable.example")
    option = select_registry("https://option.example", loaded, tmp_path)
    assert (option.location, option.origin) == ("https://option.example", "--registry")
    assert select_registry(None, loaded, tmp_path).location == "https://variable.example"
    monkeypatch.setenv("PSREG_REGISTRY", "")
    assert select_registry(None, loaded, tmp_path).location == "https://user.example"


def test_the_checkout_around_us_comes_last(settings, registry, tmp_path):
    registry.store(tmp_path / "checkout")
    deep = tmp_path / "checkout" / "pbes" / "prompt"
    wanted = select_registry(None, settings(), deep)
    assert wanted.location == str(tmp_path / "checkout")
    assert select_registry(None, settings('registry = "https://u.example"'), deep).location == "https://u.example"  # fmt: skip


def test_no_registry_at_all(settings, tmp_path):
    assert code_of(lambda: select_registry(None, settings(), tmp_path)) == "NO_REGISTRY"


def test_a_checkout_that_was_never_published(settings, tmp_path):
    (tmp_path / "pbes").mkdir()
    assert code_of(lambda: select_registry(None, settings(), tmp_path)) == "NOT_PUBLISHED"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_checkout_of_another_user_must_be_named(settings, registry, store, tmp_path):
    registry.store(tmp_path / "theirs")
    os.chown(tmp_path / "theirs" / "registry" / "metadata", 12345, 12345)
    assert code_of(lambda: select_registry(None, settings(), tmp_path / "theirs")) == "TRUST_FOREIGN"  # fmt: skip
    assert opened(tmp_path / "theirs", store)


# Opening it


def test_a_folder_is_trusted_with_one_line_said_once(registry, store, tmp_path):
    said = []
    for _ in range(2):
        assert opened(registry.store(tmp_path / "r"), store, said) == ("diary", "quiz_master")
    assert len(said) == 1
    assert "trusting the registry in" in said[0]


def test_a_pinned_url_is_asked_for_its_root_once(registry, store):
    with serving(registry.files) as server:
        for _ in range(2):
            assert "diary" in opened(server.url, store, root_sha256=registry.pin)
        assert server.asked.count(f"{METADATA}1.root.json") == 1


def test_an_unpinned_url_is_refused_with_what_a_project_suggests(registry, store):
    with serving(registry.files) as server:
        assert code_of(lambda: opened(server.url, store)) == "TRUST_UNPINNED"
        with pytest.raises(PsregError) as caught:
            opened(server.url, store, suggested_sha256="a" * 64)
        assert caught.value.hint.endswith("--root-sha256 " + "a" * 64)
        assert registry.pin in caught.value.message


def test_a_pinned_folder_is_checked(registry, store, tmp_path):
    folder = registry.store(tmp_path / "r")
    assert opened(folder, store, root_sha256=registry.pin)
    assert code_of(lambda: opened(folder, store, root_sha256="0" * 64)) == "TRUST_PIN"


def test_a_folder_without_a_registry(store, tmp_path):
    assert code_of(lambda: opened(tmp_path, store)) == "NOT_A_REGISTRY"
    (tmp_path / "pbes").mkdir()
    assert code_of(lambda: opened(tmp_path, store)) == "NOT_PUBLISHED"
    (tmp_path / "registry" / "metadata").mkdir(parents=True)
    assert code_of(lambda: opened(tmp_path, store)) == "NOT_A_REGISTRY"


def test_a_first_root_over_the_limit(registry, store, tmp_path):
    registry.files[f"{METADATA}1.root.json"] += b" " * 600_000
    folder = registry.store(tmp_path / "r")
    assert code_of(lambda: opened(folder, store)) == "TRUST_METADATA"


def test_a_root_without_consistent_snapshots(registry, store, tmp_path):
    registry.root.consistent_snapshot = False
    registry.write_root()
    folder = registry.store(tmp_path / "r")
    assert code_of(lambda: opened(folder, store)) == "TRUST_METADATA"


def test_a_rotated_root_is_followed(registry, store, tmp_path):
    folder = registry.store(tmp_path / "r")
    opened(folder, store)
    registry.root.version = 2
    registry.root.unrecognized_fields["psreg"]["mode"] = "dev"
    registry.write_root()
    registry.store(folder)
    wanted = SelectedRegistry(location=str(folder), origin="test")
    with open_registry(wanted, store, print) as found:
        assert found.mode == "dev"
        assert found.versions["root"] == 2


def test_records_rows_and_artifacts(registry, store, tmp_path):
    wanted = SelectedRegistry(location=str(registry.store(tmp_path / "r")), origin="test")
    path = "pbes/prompt/diary/1.0.0/diary.prompt"
    with open_registry(wanted, store, print) as found:
        assert b'"name":"diary"' in found.record("diary")
        assert found.record("absent") is None
        rows = found.rows()
        assert list(rows) == ["diary", "quiz_master"]
        assert [row["class"] for row in rows.values()] == ["prompt", "interactive_engine"]
        assert found.artifact(path, 4) == b"dear"
        assert code_of(lambda: found.artifact(path, 3)) == "TRUST_DIGEST"
        assert code_of(lambda: found.artifact("pbes/absent", 3)) == "NOT_FOUND"
        assert found.describe() == {"id": "0123456789abcdef" * 2, "url": str(tmp_path / "r")}


def test_what_is_kept_is_written_once_and_again_if_it_is_damaged(registry, store, tmp_path):
    wanted = SelectedRegistry(location=str(registry.store(tmp_path / "r")), origin="test")

    def kept():
        with open_registry(wanted, store, print) as found:
            record = read_record(found.record("diary"), "diary")
            found.check_release(record, record.releases[0])
        return {path: path.read_bytes() for path in (tmp_path / "store").rglob("pkg/diary.*")}

    first = kept()
    assert [path.suffix for path in sorted(first)] == [".json", ".proof"]
    before = {path: path.stat().st_ino for path in first}
    for path in first:
        os.utime(path, (0, 0))
    assert kept() == first
    assert {path: path.stat().st_ino for path in first} == before
    assert min(path.stat().st_mtime for path in first if path.suffix == ".json") > 0
    for path in first:
        path.write_bytes(first[path] + b" ")
    assert kept() == first
