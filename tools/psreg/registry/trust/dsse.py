"""The encoding of what is signed in DSSE: a type and a payload, so that neither can be mistaken."""

from __future__ import annotations


def encoded(kind: str, payload: bytes) -> bytes:
    """Return the bytes that are signed (DSSE's pre-authentication encoding)."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
