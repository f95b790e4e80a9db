"""Which addresses psreg connects to, and the one spelling of a registry's."""

from __future__ import annotations

import pytest

from psreg.core.errors import TrustError, UsageError
from psreg.http.address import is_loopback, normal_location, secure_parts


def test_loopback_is_exactly_this_machine():
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("128.0.0.1", "127.0.0.1.nip.io", "localhost.", "1127.0.0.1")))


@pytest.mark.parametrize(
    "address",
    ["https://a.example", "https://a.example:8443/x?y=z", "http://127.0.0.1:1", "http://[::1]/x"],
)
def test_https_and_plain_http_to_this_machine(address):
    assert secure_parts(address).geturl() == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "a.example",
        "ftp://a.example",
        "http://a.example",
        "http://127.0.0.1.a.example",
        "https://",
        "https://:secret@a.example",
        "https://user@a.example",
        "https://a.example/#part",
        "https://a.example:99999",
        "https://[::1",
        "https://a.example/a b",
        "https://a.example/\r\nX: y",
        "https://ä.example",
    ],
)
def test_nothing_else(address):
    with pytest.raises(ValueError, match=r".") as caught:
        secure_parts(address)
    assert "secret" not in str(caught.value)


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


def test_a_path_is_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="it is not UTF-8"):
        normal_location("reg\udcff")


def test_a_path_has_no_parent_in_it(tmp_path, monkeypatch):
    (tmp_path / "disk/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("disk/deep")
    (tmp_path / "disk/current").symlink_to("deep")
    monkeypatch.chdir(tmp_path / "disk")
    current = str(tmp_path / "disk/current")
    for given in ("current", "../disk/current", "../link/../current", "deep/../../disk/./current"):
        assert normal_location(given) == current
    assert normal_location(f"file://{tmp_path}/link/../current") == current
    assert normal_location("..") == str(tmp_path)


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
def test_another_address_is_a_usage_error(location):
    with pytest.raises(UsageError):
        normal_location(location)


@pytest.mark.parametrize(
    "location", ["http://example.org", "http://127.0.0.1.example.org", "http://localhost.evil.org"]
)
def test_plain_http_to_another_machine_is_refused(location):
    with pytest.raises(TrustError) as caught:
        normal_location(location)
    assert caught.value.code == "TRUST_INSECURE"
