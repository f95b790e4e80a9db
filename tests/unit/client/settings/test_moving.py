"""What a client knows of a registry that has moved."""

from __future__ import annotations

import pytest

from psreg.client.open_registry import OpenRegistry
from psreg.client.settings.moving import announced, notice
from psreg.client.trust_store import TrustStore
from psreg.registry.trust.moved import Move
from simulator import METADATA, Simulator

NEW = "https://new.example"
OLD = "https://registry.invalid"


@pytest.fixture
def registry():
    return Simulator().release().publish()


@pytest.fixture
def anchor(registry, tmp_path):
    store = TrustStore(tmp_path / "store")
    found = store.anchor(registry.first_root)
    store.add(found)
    return found


def announce(registry, **members):
    """Let the next root announce a move."""
    registry.root.version += 1
    psreg = {**registry.root.unrecognized_fields["psreg"]}
    psreg["moved_to"] = {"url": NEW, "root_sha256": registry.pin, **members}
    registry.root.unrecognized_fields["psreg"] = psreg
    registry.write_root()


def seen(registry, anchor):
    OpenRegistry(registry, anchor, lambda _: None).targets.versions()


def test_a_registry_that_has_not_moved(registry, anchor):
    seen(registry, anchor)
    assert announced(anchor) is None
    assert notice(anchor, OLD) == ""


def test_the_newest_root_that_was_seen_says_it(registry, anchor):
    announce(registry)
    assert announced(anchor) is None
    seen(registry, anchor)
    assert announced(anchor) == Move(url=NEW, root_sha256=registry.pin)
    told = f"the registry {OLD} has moved to {NEW} (root sha256 {registry.pin})"
    assert notice(anchor, OLD) == f"{told}; run `psreg registry move {OLD}`"
    added = f"psreg registry add {NEW} --root-sha256 {registry.pin}"
    assert notice(anchor, "/srv/mirror").endswith(f"; run `{added}`")
    assert notice(anchor, NEW) == ""


def test_a_planted_root_says_nothing(registry, anchor):
    seen(registry, anchor)
    announce(registry)
    planted = registry.signed(registry.root, "online")
    (anchor.folder / "metadata/root_history/2.root.json").write_bytes(planted)
    assert announced(anchor) is None


def test_an_announcement_that_is_refused_is_told(registry, anchor):
    announce(registry, url="http://new.example")
    seen(registry, anchor)
    assert notice(anchor, OLD) == (
        f"the registry {OLD} announces a move that is refused: http://new.example is not encrypted"
    )
    assert registry.files[f"{METADATA}2.root.json"]
