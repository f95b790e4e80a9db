"""A site is there as a whole or not at all, and never takes the place of something else."""

import subprocess
import sys

import pytest

from psreg.catalogue.site_folder import (
    MARKER,
    changed_site,
    locked_site,
    new_site,
    read_marker,
)
from psreg.core.errors import UnavailableError, UsageError


def listing(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def build(out, **files):
    with locked_site(out), new_site(out) as site:
        for path, data in files.items():
            site.write(path.replace("__", "/"), data)
        site.write(MARKER, b"marker")
    return site


def change(out, gone=(), others=(), marker=b"newer", **files):
    with locked_site(out), changed_site(out) as site:
        for path, data in files.items():
            site.write(path.replace("__", "/"), data)
        for path in gone:
            site.remove(path)
        for folder in others:
            site.remove_others(folder)
        growth = site.growth()
        return site.finish(marker), growth


def test_a_new_site(tmp_path):
    site = build(tmp_path / "a/site", index=b"x", deep__er__file=b"y")
    assert listing(tmp_path / "a") == [
        "site",
        f"site/{MARKER}",
        "site/deep",
        "site/deep/er",
        "site/deep/er/file",
        "site/index",
    ]
    assert site.count == 3
    assert (tmp_path / "a/site").stat().st_mode & 0o777 == 0o755


def test_a_site_is_read_as_it_will_be(tmp_path):
    out = tmp_path / "site"
    with locked_site(out), new_site(out) as site:
        site.write("a/b", b"old")
        site.write("c", b"kept")
        assert site.read("a/b") == b"old"
        site.write(MARKER, b"marker")
    with locked_site(out), changed_site(out) as site:
        site.write("a/b", b"new")
        site.write("c", b"kept")
        assert (site.read("a/b"), site.read("c")) == (b"new", b"kept")
        with pytest.raises(UnavailableError):
            site.read("d")


def test_a_page_is_utf8(tmp_path):
    with new_site(tmp_path / "site") as site:
        site.page("a.html", "é")
    assert (tmp_path / "site/a.html").read_bytes() == "é".encode()


def test_a_large_file_is_complete(tmp_path):
    build(tmp_path / "site", a=b"x" * 5_000_000)
    assert (tmp_path / "site/a").stat().st_size == 5_000_000


def test_an_earlier_site_is_replaced_as_a_whole(tmp_path):
    build(tmp_path / "site", old=b"")
    build(tmp_path / "site", new=b"")
    assert listing(tmp_path) == ["site", f"site/{MARKER}", "site/new"]


def test_an_empty_folder_may_be_filled(tmp_path):
    (tmp_path / "site").mkdir()
    build(tmp_path / "site", new=b"")
    assert (tmp_path / "site/new").is_file()


def test_a_failed_build_leaves_the_earlier_site(tmp_path):
    build(tmp_path / "site", old=b"")
    with pytest.raises(UnavailableError):
        build(tmp_path / "site", new=b"", new__below=b"")
    assert listing(tmp_path) == ["site", f"site/{MARKER}", "site/old"]


def test_a_folder_of_someone_else_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(UsageError, match="did not build"):
        build(tmp_path, new=b"")
    assert listing(tmp_path) == ["mine"]


def test_a_file_or_link_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="is not a folder"):
            build(tmp_path / name, new=b"")


def test_a_place_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot write"):
        build(tmp_path / "file/site", new=b"")


def test_the_old_site_comes_back_if_the_new_one_cannot_take_its_place(tmp_path):
    out = tmp_path / "site"
    build(out, old=b"")
    with pytest.raises(UnavailableError):
        _build_and_lose(out)
    assert (out / "old").is_file()


def _build_and_lose(out):
    with new_site(out) as site:
        site.write("new", b"")
        next(out.parent.glob(".psreg-site-*")).rename(out.parent / "stolen")


def test_only_what_differs_is_changed(tmp_path):
    out = tmp_path / "site"
    build(out, same=b"1", other=b"2", a__old=b"3", a__b__older=b"4", c=b"5")
    inode = (out / "same").stat().st_ino
    done = change(out, same=b"1", other=b"6", new__er=b"7", others=["a"], gone=["c", "absent"])
    assert done == (5, -2)
    assert listing(out) == [MARKER, "new", "new/er", "other", "same"]
    assert (out / "other").read_bytes() == b"6"
    assert (out / "same").stat().st_ino == inode
    assert read_marker(out) == b"newer"
    assert listing(tmp_path)[0] == "site"


def test_others_are_removed_only_if_they_were_not_written(tmp_path):
    out = tmp_path / "site"
    build(out, a__same=b"1", a__other=b"2", a__old=b"3", b=b"4")
    assert change(out, a__same=b"1", a__other=b"5", others=["a"]) == (2, -1)
    assert listing(out) == [MARKER, "a", "a/other", "a/same", "b"]


def test_nothing_changes_before_the_end(tmp_path):
    out = tmp_path / "site"
    build(out, a=b"1")
    with changed_site(out) as site:
        site.write("a", b"2")
        site.write("b", b"2")
    assert listing(tmp_path) == ["site", f"site/{MARKER}", "site/a"]
    assert (out / "a").read_bytes() == b"1"


def test_an_interrupted_change_is_no_base_for_another(tmp_path):
    out = tmp_path / "site"
    build(out, a=b"1", z=b"1")
    (out / "z").unlink()
    (out / "z").mkdir()  # a file cannot take the place of a folder
    with pytest.raises(UnavailableError, match="cannot write"):
        change(out, a=b"2", z=b"2")
    assert (out / "a").read_bytes() == b"2"
    assert read_marker(out) not in (b"marker", b"newer")


def test_a_change_leaves_the_site_alone_where_a_link_leads_out_of_it(tmp_path):
    out = tmp_path / "site"
    build(out, a__b=b"1")
    (out / "a").rename(tmp_path / "elsewhere")
    (out / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnavailableError, match="not a folder of the site") as caught:
        change(out, a__b=b"2")
    assert "--full" in caught.value.hint
    assert (tmp_path / "elsewhere/b").read_bytes() == b"1"


def test_a_linked_file_is_replaced_and_not_followed(tmp_path):
    out = tmp_path / "site"
    build(out, a=b"1")
    (out / "a").rename(tmp_path / "elsewhere")
    (out / "a").symlink_to(tmp_path / "elsewhere")
    assert change(out, a=b"1") == (1, 0)
    assert not (out / "a").is_symlink()


def test_what_a_killed_build_left_is_cleared(tmp_path):
    out = tmp_path / "site"
    build(out, a=b"1")
    (tmp_path / ".psreg-site-killed").mkdir()
    (tmp_path / ".psreg-site-killed/file").write_text("")
    (tmp_path / ".psreg-other-killed").mkdir()
    change(out, a=b"2")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".psreg-other-killed", "site"]


def test_one_build_waits_for_another(tmp_path):
    code = (
        "import sys; from pathlib import Path; from psreg.catalogue.site_folder import locked_site\n"
        "with locked_site(Path(sys.argv[1])): print('held', flush=True)"
    )
    with locked_site(tmp_path / "site"):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "site")], stdout=subprocess.PIPE
        )
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1)
    assert other.communicate(timeout=30)[0] == b"held\n"


def test_a_site_without_a_marker_has_none(tmp_path):
    assert read_marker(tmp_path / "absent") == b""
