"""A server answers so slowly that a client without limits would wait for ever.

The limits are shortened; that the calls return at all is what is tested.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from psreg.client.open_registry import OpenRegistry
from psreg.client.registry_choice import open_source
from psreg.client.trust_store import TrustStore
from psreg.http.registry_source import SourceError
from psreg.http.retry_budget import Limits
from simulator import METADATA
from support.clients import OUTCOMES

SHORT = Limits(
    connect=1, silence=0.2, request=0.6, run=3, grace=0.1, rate=2000, retries=1, backoff=0
)


def drip_body(handler):
    """One byte every now and then, each well within the silence limit."""
    handler.send_response(200)
    handler.send_header("Content-Length", "10000")
    handler.end_headers()
    for _ in range(10_000):
        handler.wfile.write(b" ")
        time.sleep(0.02)


def drip_headers(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(10_000):
        handler.wfile.write(b"y")
        time.sleep(0.02)


def continue_for_ever(handler):
    for _ in range(10_000):
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 20)
        time.sleep(0.02)


def say_nothing(_handler):
    time.sleep(1.5)


def stall(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "10000")
    handler.end_headers()
    handler.wfile.write(b"{")
    time.sleep(1.5)


TRICKS = (drip_body, drip_headers, continue_for_ever, say_nothing, stall)


@pytest.mark.attack("T6", (4, "NETWORK_SLOW"))
@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("path", ["timestamp.json", "2.root.json"])
def test_metadata_that_drips_or_stalls_is_given_up(attack, tmp_path, trick, path):
    attack.tricks[METADATA + path] = trick
    anchor = TrustStore(tmp_path).anchor(attack.registry.first_root)
    with (
        closing(open_source(attack.server.url, SHORT)) as source,
        pytest.raises(SourceError) as caught,
    ):
        OpenRegistry(source, anchor, print).record("quiz_master")
    OUTCOMES.append((caught.value.exit_code, caught.value.code))


@pytest.mark.attack("T6", (4, "NETWORK_SLOW"))
def test_an_answer_slower_than_the_least_rate_is_given_up_before_its_deadline(attack):
    """It does not fall silent, and its deadline is far."""
    (path,) = attack.registry.artifacts
    attack.tricks[path] = drip_body
    limits = replace(SHORT, silence=60, request=120, run=120, retries=0)
    with (
        closing(open_source(attack.server.url, limits)) as source,
        pytest.raises(SourceError) as caught,
    ):
        source.read(path, 10_000)
    OUTCOMES.append((caught.value.exit_code, caught.value.code))
    assert "fewer than 2000 bytes per second" in caught.value.message


@pytest.mark.attack("T6", (4, "NETWORK_SLOW"))
@pytest.mark.parametrize("trick", TRICKS)
def test_an_artifact_that_drips_or_stalls_is_given_up(attack, trick):
    (path,) = attack.registry.artifacts
    attack.tricks[path] = trick
    with (
        closing(open_source(attack.server.url, SHORT)) as source,
        pytest.raises(SourceError) as caught,
    ):
        source.read(path, 10_000)
    OUTCOMES.append((caught.value.exit_code, caught.value.code))


@pytest.mark.attack("T6", (4, "NETWORK_SLOW"))
def test_many_quick_answers_cannot_outlast_the_run(attack, monkeypatch):
    ((path, data),) = attack.registry.artifacts.items()
    with closing(open_source(attack.server.url, Limits(retries=0))) as source:
        assert source.read(path, 1000) == data
        later = SimpleNamespace(monotonic=lambda: time.monotonic() + Limits().run)
        monkeypatch.setattr("psreg.http.deadline.time", later)
        with pytest.raises(SourceError) as caught:
            source.read(path, 1000)
    OUTCOMES.append((caught.value.exit_code, caught.value.code))
