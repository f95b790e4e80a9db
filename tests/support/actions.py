"""Actions of a registry, as tests of them begin; signed by those whom the test names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from securesystemslib.signer import CryptoSigner

from psreg.registry.actions.action import Action, Subject

REGISTRY_ID = "0123456789abcdef" * 2
WHY = "It sends the answers to a stranger."


def action_of(
    number: int,
    kind: str,
    *,
    before: Action | None = None,
    registry_id: str = REGISTRY_ID,
    reason: str = WHY,
    signers: Iterable[CryptoSigner] = (),
    **subject: Any,
) -> Action:
    """Return an action about a `name`, `version` and `sha256`, or about a `key`."""
    previous = before.digest if before else None if number == 1 else "0" * 64
    made = Action(
        registry_id=registry_id,
        number=number,
        previous=previous,
        kind=kind,
        subject=Subject(**subject),
        reason=reason,
        date="2026-11-25T20:00:00Z",
        signatures={},
    )
    signed = {each.public_key.keyid: each.sign(made.message).signature for each in signers}
    return Action(**{**made.__dict__, "signatures": signed}) if signed else made
