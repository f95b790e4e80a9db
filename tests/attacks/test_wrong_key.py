"""Metadata is signed, but by a key the root does not name for that role, or by nobody."""

from __future__ import annotations

import json

import pytest

from simulator import METADATA

WRONG = {"timestamp": "online", "snapshot": "stamp", "targets": "online", "releases": "root"}


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize("role", WRONG)
def test_another_roles_key_is_refused(attack, role):
    signed = getattr(attack.registry, role)
    name = role if role == "timestamp" else f"1.{role}"
    attack.registry.files[f"{METADATA}{name}.json"] = attack.registry.signed(
        signed, WRONG[role], role
    )
    assert attack.install() == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
def test_a_bin_signed_by_the_root_key_is_refused(attack):
    bin_ = attack.registry.bins["r-ec"]
    attack.registry.files[f"{METADATA}1.r-ec.json"] = attack.registry.signed(bin_, "root", "r-ec")
    assert attack.install() == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T10", (3, "TRUST_SIGNATURE"))
def test_a_next_root_signed_by_a_thief_is_refused(attack):
    attack.registry.root.version += 1
    path = f"{METADATA}2.root.json"
    attack.registry.files[path] = attack.registry.signed(attack.registry.root, "online")
    assert attack.install() == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize("signatures", [[], [{"keyid": "0" * 64, "sig": "00"}]])
def test_unsigned_metadata_is_refused(attack, signatures):
    path = f"{METADATA}timestamp.json"
    value = json.loads(attack.registry.files[path])
    value["signatures"] = signatures
    attack.registry.files[path] = json.dumps(value).encode()
    assert attack.install() == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
def test_a_changed_signature_is_refused(attack):
    path = f"{METADATA}timestamp.json"
    value = json.loads(attack.registry.files[path])
    value["signatures"][0]["sig"] = value["signatures"][0]["sig"][::-1]
    attack.registry.files[path] = json.dumps(value).encode()
    assert attack.install() == (3, "TRUST_SIGNATURE")
