"""A site is there as a whole or not at all, and never takes the place of something else."""

import pytest

from psreg.catalogue.site_folder import MARKER, site_dir
from psreg.core.errors import UnavailableError, UsageError


def listing(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def build(out, **files):
    with site_dir(out) as site:
        for path, data in files.items():
            site.write(path.replace("__", "/"), data)
    return site


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


def test_a_page_is_utf8(tmp_path):
    with site_dir(tmp_path / "site") as site:
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
    with site_dir(out) as site:
        site.write("new", b"")
        next(out.parent.glob(".site-*")).rename(out.parent / "stolen")
