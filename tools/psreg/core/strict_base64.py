"""Base64 in its only form: one text for each sequence of bytes (RFC 4648 3.5)."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from contextlib import suppress


def strict_decode(text: str) -> bytes:
    """Return what `text` says.

    Raises:
        ValueError: it is not base64, or not as `b64encode` writes it.
    """
    with suppress(ValueError):
        data = a2b_base64(text, strict_mode=True)
        if b2a_base64(data, newline=False).decode() == text:
            return data
    raise ValueError("it is not base64 in its only form")
