"""A role needs two signatures, and one key makes both."""

from __future__ import annotations

import pytest
from securesystemslib.signer import SSlibKey

from simulator import METADATA, Simulator


def again(key, text=None):
    """Return the same key under another id."""
    public = text or key.keyval["public"]
    return SSlibKey("f" * 64, key.keytype, key.scheme, {"public": public})


@pytest.mark.attack("T10", (3, "TRUST_KEY_TWICE"))
def test_a_first_root_with_one_key_twice_is_refused(attack, tmp_path):
    registry = Simulator(registry_id="e" * 32)
    registry.root.add_key(again(registry.signers["stamp"].public_key), "timestamp")
    registry.root.roles["timestamp"].threshold = 2
    registry.write_root()
    folder = registry.release().publish().store(tmp_path / "registry")
    assert attack.install("--registry", folder) == (3, "TRUST_KEY_TWICE")


@pytest.mark.attack("T10", (3, "TRUST_KEY_TWICE"))
@pytest.mark.parametrize("letters", [str.lower, str.upper])
def test_a_later_root_with_one_key_twice_is_refused(attack, letters):
    registry = attack.registry
    assert attack.client.run("install", "quiz_master").code == 0
    key = registry.signers["stamp"].public_key
    registry.root.add_key(again(key, letters(key.keyval["public"])), "timestamp")
    registry.root.version += 1
    registry.write_root()
    assert attack.install() == (3, "TRUST_KEY_TWICE")
    del registry.files[f"{METADATA}2.root.json"]
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T10", (3, "TRUST_KEY_TWICE"))
@pytest.mark.parametrize("role", ["targets", "releases"])
def test_a_delegation_with_one_key_twice_is_refused(attack, role):
    registry = attack.registry
    key = again(registry.signers["online"].public_key)
    signed = getattr(registry, role)
    signed.delegations.keys[key.keyid] = key
    signed.version += 1
    registry.sign_all()
    assert attack.install() == (3, "TRUST_KEY_TWICE")


@pytest.mark.attack("T10", (3, "TRUST_METADATA"))
def test_another_root_than_the_first_is_refused_as_the_first(attack, tmp_path):
    registry = Simulator(registry_id="e" * 32)
    registry.root.version = 2
    registry.files[f"{METADATA}1.root.json"] = registry.signed(registry.root, "root")
    folder = registry.release().publish().store(tmp_path / "registry")
    assert attack.install("--registry", folder) == (3, "TRUST_METADATA")
