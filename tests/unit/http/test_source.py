"""Where a registry is: one spelling of its address, paths inside it; and reading it from a folder."""

from __future__ import annotations

import os

import pytest

from psreg.core.errors import TrustError, UsageError
from psreg.http.source import SourceError, checked_path, normal_location, open_source


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("https://Example.ORG/", "https://example.org"),
        ("https://example.org:443/a/b//", "https://example.org/a/b"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("http://localhost:80/x", "http://localhost/x"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("file:///srv/prompts/", "/srv/prompts"),
        ("file:///srv/a%20b", "/srv/a b"),
        ("/srv/prompts/", "/srv/prompts"),
    ],
)
def test_a_location_has_one_spelling(given, normal):
    assert normal_location(given) == normal


def test_a_relative_path_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert normal_location("here") == str(tmp_path / "here")


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.org",
        "https://",
        "https:///path",
        "https://user:secret@example.org",
        "https://@example.org",
        "https://example.org/?a=b",
        "https://example.org/#part",
        "https://example.org/#",
        "https://example.org:99999",
        "https://[::1",
        "https://exämple.org",
        "https://example.org/a b",
        "https://example.org/\r\nHost: evil",
        "file://server/share",
    ],
)
def test_what_is_no_address_of_a_registry_is_a_usage_error(location):
    with pytest.raises(UsageError):
        normal_location(location)


@pytest.mark.parametrize(
    "location", ["http://example.org", "http://127.0.0.1.example.org", "http://localhost.evil.org"]
)
def test_plain_http_to_another_machine_is_refused(location):
    with pytest.raises(TrustError) as caught:
        normal_location(location)
    assert caught.value.code == "TRUST_INSECURE"


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "a//b", "a/../b", "..", ".", "a/./b", "a b", "a\nb", "ä", "a?b", "a#b"],
)
def test_a_path_stays_inside_the_registry(path):
    with pytest.raises(SourceError):
        checked_path(path)


# A folder


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
    source = open_source(str(folder))
    assert source.location == str(folder)
    assert source.read("a/file", 5) == b"hello"


def test_a_folder_tells_what_is_absent_too_long_or_no_file(folder):
    source = open_source(str(folder))
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "a" / "file")
    for path in ("a/none", "none/file", "a/file/none"):
        assert code_of(source, path) == "NOT_FOUND"
    assert code_of(source, "a/file", 4) == "TOO_LONG"
    for path in ("pipe", "link", "a"):
        assert code_of(source, path) == "CANNOT_READ"
