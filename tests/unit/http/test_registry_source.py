"""The port of a registry's bytes: paths inside of a registry, and reading it from a folder."""

from __future__ import annotations

import os

import pytest

from psreg.http.registry_source import FileSource, SourceError, checked_path


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "a//b", "a/../b", "..", ".", "a/./b", "a b", "a\nb", "ä", "a?b", "a#b"],
)
def test_a_path_stays_inside_the_registry(path):
    with pytest.raises(SourceError):
        checked_path(path)


def code_of(source, path, limit=100):
    with pytest.raises(SourceError) as caught:
        source.read(path, limit)
    return caught.value.code


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"hello")
    return tmp_path


def test_a_folder_serves_its_files(folder):
    source = FileSource(folder)
    assert source.location == str(folder)
    assert source.read("a/file", 5) == b"hello"


def test_a_folder_tells_what_is_absent_too_long_or_no_file(folder):
    source = FileSource(folder)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "a" / "file")
    for path in ("a/none", "none/file", "a/file/none"):
        assert code_of(source, path) == "NOT_FOUND"
    assert code_of(source, "a/file", 4) == "TOO_LONG"
    for path in ("pipe", "link", "a"):
        assert code_of(source, path) == "CANNOT_READ"
