"""Finds personal data by its form, and the texts that base64 or hexadecimal digits encode.

Names and street addresses have no form, so a text without a match may still contain personal data.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64Error
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[A-Za-z]{2,}")

_GAP = r"[ ./()-]{0,2}"
_TELEPHONE = re.compile(
    rf"(?<![\w.:+-])(?:(?:\+|00)[1-9](?:{_GAP}[0-9]){{7,14}}"
    rf"|\(?0[1-9](?:{_GAP}[0-9]){{6,11}}"
    r"|\(?[2-9][0-9]{2}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}"
    r")(?![\w:]|[.-][0-9])"
    rf"|\b(?i:tel|phone|telephone|mobile|cell|fax|whatsapp)\b[^\w+]{{0,8}}\+?[0-9](?:{_GAP}[0-9]){{6,14}}"
)
"""International numbers, national ones that begin with 0, those of North America, labelled ones."""

_IP_ADDRESS = re.compile(
    r"(?<![\w.:-])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,41})"
    r"(?!\w|\.[0-9])"
)
_LEADING_ZEROS = re.compile(r"\b0+(?=[0-9])")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_ONE_ALPHABET = str.maketrans("-_", "+/")


def personal_data(text: str) -> str:
    """Return what kind of personal data is in `text`, such as `an e-mail address`, or ""."""
    if _MAIL.search(text):
        return "an e-mail address"
    if any(_is_personal_address(found[0].rstrip(".")) for found in _IP_ADDRESS.finditer(text)):
        return "an IP address"
    return "a telephone number" if _TELEPHONE.search(text) else ""


def _is_personal_address(text: str) -> bool:
    try:
        address = ip_address(_LEADING_ZEROS.sub("", text) if ":" not in text else text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def decoded_texts(text: str) -> Iterator[str]:
    """Yield the texts that are encoded in `text`, in base64 or in hexadecimal digits.

    Blanks and line breaks between the digits do not matter; an encoded text may be encoded again.
    """
    for source in dict.fromkeys((text, "".join(text.split()))):
        for inner in _once_decoded(source):
            yield inner
            yield from _once_decoded(inner)


def _once_decoded(text: str) -> Iterator[str]:
    for found in _ENCODED.finditer(text):
        for data in _decoded(found[0]):
            with suppress(UnicodeDecodeError):
                yield data.decode()


def _decoded(digits: str) -> Iterator[bytes]:
    with suppress(ValueError):
        yield bytes.fromhex(digits)
    with suppress(NotBase64Error):
        yield b64decode(digits.translate(_ONE_ALPHABET) + "=" * (-len(digits) % 4))
