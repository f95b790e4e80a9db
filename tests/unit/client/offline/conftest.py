"""A machine that has read a registry, and keeps what it read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.install import fetch, resolve
from psreg.client.library import Library, Receipt
from psreg.client.offline.kept_registry import KeptRegistry, kept_registry
from psreg.client.open_registry import OpenRegistry
from psreg.client.resolve import parse_request
from psreg.client.trust_store import TrustStore
from simulator import Simulator
from support.owners import ANA
from support.simulated_owners import SimulatedOwners

URL = "https://registry.invalid"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has searched a registry and installed its `quiz_master`."""
    monkeypatch.setenv("PSREG_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "home"))
    registry = Simulator(log=True).release().release("diary").publish()
    owners = SimulatedOwners(registry)
    registry.targets.version += 1
    owners.claim("quiz_master", ANA)
    registry.publish()
    store, library = TrustStore(tmp_path / "store"), Library(tmp_path / "library")
    anchor = store.anchor(registry.first_root)
    store.add(anchor)
    opened = OpenRegistry(registry, anchor, lambda _: None)
    opened.catalogue()
    for name in ("quiz_master", "diary"):
        choice = resolve(parse_request(name), opened)
        receipt = Receipt(
            release=choice.release,
            sha256=choice.row.sha256,
            size=choice.row.size,
            registry=opened.describe(),
            installed="2026-11-21T05:00:00Z",
        )
        library.install(receipt, fetch(choice, opened))
    said = []

    def kept(kind=KeptRegistry, **members):
        selected = SelectedRegistry(
            location=URL, origin="test", root_sha256=registry.pin, **members
        )
        return kept_registry(selected, Settings([]), store, said.append, kind)

    return SimpleNamespace(
        registry=registry,
        opened=lambda: OpenRegistry(registry, anchor, lambda _: None),
        url=URL,
        kept=kept,
        said=said,
        store=store,
        library=library,
        folder=anchor.folder,
    )
