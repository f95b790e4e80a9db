"""Withdrawals for the simulator: what records say of actions, and lifts with any signatures.

It shares no code with psreg: actions are written from the page about the registry format, and signed
in the encoding of DSSE.
"""

from __future__ import annotations

import hashlib
from typing import Any

from securesystemslib.signer import CryptoSigner

from simulator import Simulator
from support.simulated_log import encode

TYPE = "application/vnd.psreg.action+json"
WHY = "It sends the answers to a stranger."
DATE = "2026-11-25T20:00:00Z"


def row_of(registry: Simulator, version: str, name: str = "quiz_master") -> dict[str, Any]:
    """Return the row of a release."""
    rows = registry.records[name]["releases"]
    found: dict[str, Any] = next(row for row in rows if row["version"] == version)
    return found


def withdraw(
    registry: Simulator, version: str, kind: str = "revoke", action: int = 1
) -> dict[str, Any]:
    """Withdraw a release of `quiz_master`; return its row."""
    row = row_of(registry, version)
    row |= {"v": 2, "revoked": {"kind": kind, "reason": WHY, "date": DATE, "action": action}}
    registry.records["quiz_master"]["serial"] += 1
    return row


def reinstate(registry: Simulator, version: str, *lifts: dict[str, Any]) -> None:
    """Say no more that a release is withdrawn; the record has these lifts."""
    row = row_of(registry, version)
    row.pop("revoked", None)
    row["v"] = 1
    record = registry.records["quiz_master"]
    record["serial"] += 1
    record["lifts"] = [*lifts]


def lift_of(
    registry: Simulator, version: str, /, *signers: CryptoSigner, number: int = 2, **members: Any
) -> dict[str, Any]:
    """Return a lift of a release of `quiz_master`; `members` override its own."""
    subject = {
        "name": "quiz_master",
        "version": version,
        "sha256": row_of(registry, version)["sha256"],
    }
    return signed_action(registry, "lift", number, *signers, **{**subject, **members})


def signed_action(
    registry: Simulator, kind: str, number: int, /, *signers: CryptoSigner, **members: Any
) -> dict[str, Any]:
    """Return an action; `members` are its subject, or override other members."""
    action = {
        "schema": "psreg.action/1",
        "registry": registry.registry_id,
        "number": number,
        "previous": None if number == 1 else "0" * 64,
        "kind": kind,
        "reason": "It was a mistake.",
        "date": DATE,
        **members,
    }
    payload = encode(action)
    message = b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(payload), payload)
    signatures = [
        {"keyid": each.public_key.keyid, "sig": each.sign(message).signature} for each in signers
    ]
    return {**action, "signatures": sorted(signatures, key=lambda each: each["keyid"])}


def rotate(registry: Simulator) -> None:
    """Replace both keys that publish, as `psreg keys rotate online` does."""
    for name, roles in (("online", ("snapshot",)), ("stamp", ("timestamp",))):
        old = registry.signers[name].public_key
        registry.signers[name] = CryptoSigner.generate_ed25519()
        new = registry.signers[name].public_key
        for role in roles:
            registry.root.revoke_key(old.keyid, role)
            registry.root.add_key(new, role)
        if name == "online":
            for delegations in (registry.targets.delegations, registry.releases.delegations):
                del delegations.keys[old.keyid]
                delegations.keys[new.keyid] = new
                for each in (*(delegations.roles or {}).values(), delegations.succinct_roles):
                    if each and old.keyid in each.keyids:
                        each.keyids = [new.keyid]
    registry.root.version += 1
    registry.targets.version += 1
    registry.write_root()


def digest_of(data: bytes) -> str:
    """Return a SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
