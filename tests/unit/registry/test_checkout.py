"""Reading a checkout never follows a link, never waits, never reads without end."""

import os
from pathlib import Path, PurePosixPath

import pytest

from psreg.core.errors import UnavailableError
from psreg.formats.layout import Irregular
from psreg.registry.checkout import find_checkout, read_tree
from psreg.system.files import MAX_FILE, read_file, read_named


@pytest.fixture
def checkout(tmp_path):
    version = tmp_path / "pbes/prompt/a/1.0.0"
    version.mkdir(parents=True)
    (version / "a.prompt").write_text("[METADATA]\n")
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry/policy.toml").write_text("")
    return tmp_path


def test_a_tree_is_read_when_asked_for(checkout):
    tree = read_tree(checkout)
    path = PurePosixPath("pbes/prompt/a/1.0.0/a.prompt")
    assert list(tree) == [path, PurePosixPath("registry/policy.toml")]
    assert len(tree) == 2
    assert path in tree
    assert tree[path] == b"[METADATA]\n"
    (checkout / path).write_text("later")
    assert tree[path] == b"later"
    with pytest.raises(KeyError):
        tree[PurePosixPath("pbes/../secret")]


def test_links_and_pipes_are_refused(checkout):
    (checkout / "secret").write_text("secret")
    (checkout / "pbes/prompt/a/1.0.0/link").symlink_to(checkout / "secret")
    (checkout / "pbes/prompt/folder").symlink_to(checkout)
    os.mkfifo(checkout / "pbes/prompt/pipe")
    tree = read_tree(checkout)
    assert {path.name for path in tree.refused} == {"link", "folder", "pipe"}
    assert len(tree) == 2
    for name in ("a/1.0.0/link", "pipe", "a"):
        with pytest.raises(UnavailableError):
            read_file(checkout / "pbes/prompt" / name)


def test_a_tree_without_pbes(tmp_path):
    with pytest.raises(UnavailableError, match="cannot list"):
        read_tree(tmp_path)


def test_reading_is_capped(tmp_path):
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(MAX_FILE + 10)
    assert len(read_file(big)) == MAX_FILE
    assert len(read_named(big, 7)) == 7
    with pytest.raises(UnavailableError, match="No such file"):
        read_named(tmp_path / "absent")


def test_the_nearest_checkout(checkout):
    assert find_checkout(checkout / "pbes/prompt/a") == checkout
    assert find_checkout(Path(checkout.anchor)) is None


def test_what_is_no_plain_file_is_named(checkout):
    folder = checkout / "pbes/prompt/a/1.0.0"
    (folder / "README.md").write_text("")
    (folder / "README.md").chmod(0o755)
    (folder / "link").symlink_to(checkout)
    os.mkfifo(checkout / "pbes/prompt/pipe")
    (folder / "fetched").mkdir()
    (folder / "fetched/.git").write_text("gitdir: elsewhere")
    (folder / "fetched/file.md").write_text("")
    (folder / "empty").mkdir()
    modules = '[submodule "x"]\n\tpath = pbes/prompt/a/1.0.0/empty\n\turl = ../x\n[submodule "y"]\n\tpath = other\n'
    (checkout / ".gitmodules").write_text(modules)
    tree = read_tree(checkout)
    assert {path.name: kind for path, kind in tree.irregular().items()} == {
        "README.md": Irregular.EXECUTABLE,
        "link": Irregular.LINK,
        "pipe": Irregular.SPECIAL,
        "fetched": Irregular.SUBMODULE,
        "empty": Irregular.SUBMODULE,
    }
    assert PurePosixPath("pbes/prompt/a/1.0.0/fetched/file.md") not in tree


def test_a_file_system_without_the_bit_has_no_executables(checkout):
    for path in read_tree(checkout):
        (checkout / path).chmod(0o777)
    assert read_tree(checkout).irregular() == {}


def test_a_file_that_just_went_away_is_not_executable(checkout):
    tree = read_tree(checkout)
    (checkout / "registry/policy.toml").unlink()
    assert tree.irregular() == {}


def test_parts_of_a_tree_are_all_that_is_listed(checkout):
    for name in ("b", "c"):
        (checkout / f"pbes/prompt/{name}").mkdir()
        (checkout / f"pbes/prompt/{name}/entry.toml").write_text("")
    (checkout / "pbes/stray.txt").write_text("")
    parts = ("pbes/prompt/b", "pbes/stray.txt", "pbes/prompt/gone", "pbes/none/at/all")
    tree = read_tree(checkout, parts=map(PurePosixPath, parts))
    listed = ["pbes/prompt/b/entry.toml", "pbes/stray.txt", "registry/policy.toml"]
    assert list(map(str, tree)) == listed
    assert tree.refused == []


def test_nothing_on_the_way_to_a_part_is_followed(checkout, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a").mkdir()
    (elsewhere / "a/entry.toml").write_text("")
    (checkout / "pbes/link").symlink_to(elsewhere)
    os.mkfifo(checkout / "pbes/pipe")
    (checkout / "pbes/inner/.git").mkdir(parents=True)
    (checkout / "pbes/inner/a").mkdir()
    (checkout / "pbes/declared/a").mkdir(parents=True)
    (checkout / ".gitmodules").write_text("[submodule]\npath = pbes/declared\n")
    (checkout / "pbes/file").write_text("")
    names = ("link", "pipe", "inner", "declared", "file")
    parts = [PurePosixPath("pbes", name, "a") for name in names]
    tree = read_tree(checkout, parts=parts)
    assert list(map(str, tree)) == ["pbes/file", "registry/policy.toml"]
    assert {path.name: kind for path, kind in tree.irregular().items()} == {
        "link": Irregular.LINK,
        "pipe": Irregular.SPECIAL,
        "inner": Irregular.SUBMODULE,
        "declared": Irregular.SUBMODULE,
    }
