"""What the attack tests share: a simulated registry behind HTTP, and a client that trusts it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import serving


@pytest.fixture
def client(tmp_path):
    """A person with an empty home."""
    return Client(tmp_path / "client")


@pytest.fixture
def signer():
    """What signs the registry that is attacked; it has published nothing yet."""
    return Simulator()


@pytest.fixture
def attack(client, signer):
    """`attack.registry` is served with `attack.tricks`; `attack.install()` is the victim's move."""
    registry = signer.release().publish()
    tricks = {}
    with serving(registry.files, tricks) as server:
        client.trust(server.url, registry.pin)
        yield SimpleNamespace(
            registry=registry,
            tricks=tricks,
            server=server,
            client=client,
            install=lambda *options: client.refused("install", "quiz_master", *options),
        )
