"""Private keys on this machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.trust.signing_keys import key_from_pem

ID = "0123456789abcdef" * 2


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_keys_are_for_their_owner_only(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path / "data" / "keys")
    pem = keys.create(ID, "root")
    key_from_pem(pem)
    folder = tmp_path / "data" / "keys" / ID
    assert (folder / "root.pem").read_bytes() == pem
    assert mode(folder / "root.pem") == 0o600
    assert mode(folder) == mode(folder.parent) == 0o700
    assert [path.name for path in folder.iterdir()] == ["root.pem"]
    assert keys.load(ID) == {"root": pem}
    assert keys.folder(ID) == str(folder)


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    pem = keys.create(ID, "root")
    with pytest.raises(UnavailableError, match="File exists"):
        keys.create(ID, "root")
    assert keys.load(ID) == {"root": pem}
    assert len(list((tmp_path / ID).iterdir())) == 1


def test_a_key_half_made_is_cleared_away(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    pem = keys.create(ID, "root")
    (tmp_path / ID / ".psreg-half").write_bytes(b"-----BEGIN")
    assert keys.load(ID) == {"root": pem}
    assert len(list((tmp_path / ID).iterdir())) == 1


def test_no_folder_no_keys(tmp_path: Path) -> None:
    assert KeyStore(tmp_path / "nowhere").load(ID) == {}
    (tmp_path / "file").write_text("")
    assert KeyStore(tmp_path / "file").load(ID) == {}


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / ID / "root.pem").mkdir(parents=True)
    with pytest.raises(UnavailableError) as caught:
        KeyStore(tmp_path).load(ID)
    assert caught.value.code == "CANNOT_READ"


def test_ids_are_32_random_hex_digits(tmp_path: Path) -> None:
    ids = {KeyStore(tmp_path).new_id() for _ in range(10)}
    assert len(ids) == 10
    assert all(len(i) == 32 and set(i) <= set("0123456789abcdef") for i in ids)


def test_keys_in_a_tree_are_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    link = tmp_path / "link"
    link.symlink_to(tree)
    for inside in (tree, tree / "keys", link / "keys", tmp_path / "x" / ".." / "tree" / "k"):
        with pytest.raises(TrustError) as caught:
            KeyStore(inside).keep_out_of(tree)
        assert caught.value.code == "KEYS_IN_TREE"
    KeyStore(tmp_path / "tree2").keep_out_of(tree)


def refused(keys: KeyStore) -> str:
    with pytest.raises(TrustError) as caught:
        keys.load(ID)
    return caught.value.code


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660, 0o602])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, bits: int) -> None:
    keys = KeyStore(tmp_path / "keys")
    pem = keys.create(ID, "root")
    (tmp_path / "keys" / ID / "root.pem").chmod(bits)
    assert refused(keys) == "KEYS_EXPOSED"
    (tmp_path / "keys" / ID / "root.pem").chmod(0o400)
    assert keys.load(ID) == {"root": pem}


def test_a_key_with_a_second_name_is_refused(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path / "keys")
    keys.create(ID, "root")
    (tmp_path / "copy").hardlink_to(tmp_path / "keys" / ID / "root.pem")
    assert refused(keys) == "KEYS_EXPOSED"


@pytest.mark.parametrize("level", ["", ID, f"{ID}/root.pem"])
def test_keys_that_are_linked_into_a_tree_are_refused(tmp_path: Path, level: str) -> None:
    tree, keys = tmp_path / "tree", KeyStore(tmp_path / "keys")
    tree.mkdir()
    keys.create(ID, "root")
    keys.keep_out_of(tree)
    place = tmp_path / "keys" / level
    place.rename(tree / "moved")
    place.symlink_to(tree / "moved")
    with pytest.raises(TrustError) as caught:
        keys.keep_out_of(tree)
    assert caught.value.code == "KEYS_IN_TREE"


def test_a_pipe_in_place_of_a_key_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / ID).mkdir()
    os.mkfifo(tmp_path / ID / "root.pem")
    with pytest.raises(UnavailableError, match="not a regular file"):
        KeyStore(tmp_path).load(ID)
