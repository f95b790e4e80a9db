"""A folder of files comes whole or not at all."""

import os
import stat
from pathlib import PurePosixPath

import pytest

from psreg.authoring.new_folders import add_folder, remove_folder
from psreg.core.errors import UnavailableError, UsageError

FOLDER = PurePosixPath("pbes/prompt/x")
FILES = {FOLDER / "a.toml": b"1", FOLDER / "1.0.0/b.md": b"2"}


def names(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_it_is_there_with_the_usual_permissions(tmp_path):
    add_folder(tmp_path, FOLDER, FILES)
    assert (tmp_path / "pbes/prompt/x/1.0.0/b.md").read_bytes() == b"2"
    assert stat.S_IMODE((tmp_path / FOLDER).stat().st_mode) == 0o755
    assert names(tmp_path) == [
        "pbes",
        "pbes/prompt",
        "pbes/prompt/x",
        "pbes/prompt/x/1.0.0",
        "pbes/prompt/x/1.0.0/b.md",
        "pbes/prompt/x/a.toml",
    ]


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_there_stays(tmp_path, kind):
    (tmp_path / "pbes/prompt").mkdir(parents=True)
    place = tmp_path / FOLDER
    if kind == "file":
        place.write_text("mine")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="already exists"):
        add_folder(tmp_path, FOLDER, FILES)
    assert names(tmp_path) == ["pbes", "pbes/prompt", "pbes/prompt/x"]


def test_a_failure_leaves_nothing(tmp_path):
    (tmp_path / "pbes").mkdir()
    clash = {FOLDER / "a": b"1", FOLDER / "a/b": b"2"}  # a file cannot be a folder as well
    with pytest.raises(UnavailableError, match="cannot write"):
        add_folder(tmp_path, FOLDER, clash)
    assert names(tmp_path) == ["pbes"]


def test_a_program_that_breaks_off_leaves_nothing(tmp_path):
    (tmp_path / "pbes/prompt").mkdir(parents=True)
    with pytest.raises(ValueError):
        add_folder(tmp_path, FOLDER, {PurePosixPath("elsewhere"): b"1"})
    assert names(tmp_path) == ["pbes", "pbes/prompt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "pbes").mkdir(mode=0o500)
    with pytest.raises(UnavailableError, match="cannot write"):
        add_folder(tmp_path, FOLDER, FILES)


def test_a_link_above_is_not_followed(tmp_path):
    root = tmp_path / "root"
    (root / "pbes").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (root / "pbes/prompt").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnavailableError, match="must not contain links"):
        add_folder(root, FOLDER, FILES)
    assert names(tmp_path / "elsewhere") == []


def test_a_folder_goes_with_all_that_is_in_it(tmp_path):
    add_folder(tmp_path, FOLDER, FILES)
    remove_folder(tmp_path, FOLDER / "1.0.0")
    assert names(tmp_path)[2:] == ["pbes/prompt/x", "pbes/prompt/x/a.toml"]


def test_nothing_goes_through_a_link(tmp_path):
    add_folder(tmp_path, FOLDER, FILES)
    (tmp_path / "link").symlink_to(tmp_path / FOLDER)
    for folder in ("link", "nowhere"):
        with pytest.raises(UnavailableError) as caught:
            remove_folder(tmp_path, PurePosixPath(folder))
        assert caught.value.code == "CANNOT_WRITE"
    assert (tmp_path / FOLDER / "a.toml").is_file()
