"""A server sends more than anybody asked for."""

from __future__ import annotations

import gzip

import pytest

from simulator import METADATA
from support.loopback import answer

ARTIFACT = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"


def endless(handler):
    """An answer of chunks without end."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")


def boundless(handler):
    """An answer without a length."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 0x8000)


@pytest.mark.attack("T5", (3, "TRUST_DIGEST"), (3, "TRUST_METADATA"))
@pytest.mark.parametrize("flood", [endless, boundless])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{METADATA}timestamp.json", "TRUST_METADATA"),
        (f"{METADATA}2.root.json", "TRUST_METADATA"),
        (ARTIFACT, "TRUST_DIGEST"),
    ],
)
def test_reading_stops_at_the_cap(attack, path, code, flood):
    attack.tricks[path] = flood
    assert attack.install() == (3, code)
    assert attack.client.installed() == []


@pytest.mark.attack("T5", (3, "TRUST_METADATA"))
def test_a_first_root_without_end_is_refused(attack):
    attack.tricks[f"{METADATA}1.root.json"] = endless
    assert attack.client.refused("registry", "add", attack.server.url) == (3, "TRUST_METADATA")


@pytest.mark.attack("T5", (3, "TRUST_DIGEST"))
def test_an_oversize_record_is_not_fetched(attack):
    files = attack.registry.files
    (path,) = (path for path in files if path.endswith(".quiz_master.json"))
    attack.tricks[path] = lambda h: answer(h, 200, b"x" * 10_000_000)
    assert attack.install() == (3, "TRUST_DIGEST")


@pytest.mark.attack("T5", (3, "TRUST_METADATA"))
def test_a_record_signed_to_be_huge_is_not_fetched(attack):
    registry = attack.registry
    for bin_ in registry.bins.values():
        if "pkg/quiz_master.json" in bin_.targets:
            bin_.targets["pkg/quiz_master.json"].length = 2**40
    registry.sign_all()
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T5", (4, "NETWORK_REFUSED"))
@pytest.mark.parametrize("path", [f"{METADATA}timestamp.json", ARTIFACT])
def test_a_compression_bomb_is_refused_unread(attack, path):
    bomb = gzip.compress(b"\x00" * 50_000_000)
    attack.tricks[path] = lambda h: answer(h, 200, bomb[:10_000], Content_Encoding="gzip")
    code, name = attack.install()
    assert code in (3, 4)
    assert name in ("NETWORK_REFUSED", "TRUST_DIGEST")
    assert attack.client.installed() == []
