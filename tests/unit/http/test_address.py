"""Which addresses are spoken to at all."""

from __future__ import annotations

import pytest

from psreg.http.address import is_loopback, secure_parts


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
