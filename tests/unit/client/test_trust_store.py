"""Pinned roots: what is stored, found, refused and forgotten."""

from __future__ import annotations

import pytest

from psreg.client.trust_store import TrustStore, read_mode
from psreg.core.errors import TrustError, UnavailableError
from simulator import Simulator


@pytest.fixture
def root():
    return Simulator().first_root


def test_a_root_says_who_it_is(root):
    assert read_mode(root) == ("0123456789abcdef" * 2, "production")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"signed":[]}',
        b'{"signed":{"_type":"targets"}}',
        b'{"signed":{"_type":"root","psreg":{"id":5,"mode":"dev"}}}',
        b'{"signed":{"_type":"root"},"signed":{}}',
    ],
)
def test_what_is_no_root_is_refused(data):
    with pytest.raises(TrustError) as caught:
        read_mode(data)
    assert caught.value.code == "TRUST_METADATA"


def test_a_kept_root_is_found_by_its_digest(root, tmp_path):
    store = TrustStore(tmp_path)
    anchor = store.anchor(root)
    assert store.find(anchor.sha256) is None
    assert store.add(anchor)
    assert not store.add(anchor)
    for each in (store, TrustStore(tmp_path)):
        assert each.find(anchor.sha256) == anchor
    assert (anchor.folder / "1.root.json").read_bytes() == root


def test_an_id_belongs_to_one_root(root, tmp_path):
    store = TrustStore(tmp_path)
    store.add(store.anchor(root))
    with pytest.raises(TrustError) as caught:
        store.add(store.anchor(Simulator().first_root))
    assert caught.value.code == "TRUST_PIN"


@pytest.mark.parametrize("damage", [b"", b"garbage", b"{}"])
def test_a_damaged_root_counts_as_not_kept(root, tmp_path, damage):
    anchor = TrustStore(tmp_path).anchor(root)
    TrustStore(tmp_path).add(anchor)
    (anchor.folder / "1.root.json").write_bytes(damage)
    assert TrustStore(tmp_path).find(anchor.sha256) is None
    assert TrustStore(tmp_path).add(anchor)
    assert TrustStore(tmp_path).find(anchor.sha256) == anchor


def test_a_root_in_the_folder_of_another_id_counts_as_not_kept(root, tmp_path):
    (tmp_path / ("f" * 32)).mkdir()
    (tmp_path / ("f" * 32) / "1.root.json").write_bytes(root)
    store = TrustStore(tmp_path)
    assert store.find(store.anchor(root).sha256) is None


def test_forgetting_removes_all_of_it(root, tmp_path):
    store = TrustStore(tmp_path)
    anchor = store.anchor(root)
    store.add(anchor)
    assert store.forget(anchor.id)
    assert not store.forget(anchor.id)
    assert store.find(anchor.sha256) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("identity", ["", "..", "main", "../../x", "F" * 32])
def test_only_an_id_can_be_forgotten(tmp_path, identity):
    (tmp_path / "add").write_text("me")
    assert not TrustStore(tmp_path / "store").forget(identity)
    assert (tmp_path / "add").exists()


def test_a_store_that_cannot_be_written(root, tmp_path):
    (tmp_path / "file").write_text("")
    store = TrustStore(tmp_path / "file" / "registries")
    with pytest.raises(UnavailableError):
        store.add(store.anchor(root))
