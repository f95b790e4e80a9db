"""Text that is encoded in UTF-16, told from other bytes by its form."""

from __future__ import annotations

import codecs
from contextlib import suppress

_FEWEST = 4
"""Bytes of the shortest text: two characters."""

_ALIKE = 4
"""How many characters of one script there are for each different high byte, at least."""


def utf16_text(data: bytes) -> str:
    """Return the text that `data` is in UTF-16, with a byte order mark or without; "" if it is not.

    Without the mark, the characters must be of few scripts, such as ASCII and Cyrillic: half of the
    bytes are then nearly the same. Chinese is not recognised without it.
    """
    if len(data) < _FEWEST or _is_utf8(data):
        return ""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _printable(data, "utf-16")
    for encoding, high in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
        few = len({*high}) == 1 or len({*high}) * _ALIKE <= len(high)
        if few and (text := _printable(data, encoding)):
            return text
    return ""


def _is_utf8(data: bytes) -> bool:
    """Tell whether data is plain text, which may have few different bytes in every second place."""
    with suppress(UnicodeDecodeError):
        return data.decode().translate(_SPACES).isprintable()
    return False


def _printable(data: bytes, encoding: str) -> str:
    with suppress(UnicodeDecodeError):
        text = data[: len(data) // 2 * 2].decode(encoding)
        if text.translate(_SPACES).isprintable():
            return text
    return ""


_SPACES = dict.fromkeys(map(ord, "\t\n\r"), " ")
