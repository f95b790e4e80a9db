"""Base64 in its only form: one text for each sequence of bytes (RFC 4648 3.5)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from contextlib import suppress


def strict_decode(text: str) -> bytes:
    """Return what `text` says.

    Raises:
        ValueError: it is not base64, or not as `b64encode` writes it.
    """
    with suppress(ValueError):
        data = b64decode(text, validate=True)
        if b64encode(data).decode() == text:
            return data
    raise ValueError("it is not base64 in its only form")
