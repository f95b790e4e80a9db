"""Texts in base64 or hexadecimal digits that are cut into pieces, quoted or in lines."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from itertools import chain

from psreg.core.regex import lazy

_FEWEST = 3
"""The fewest pieces of a text; two are found by themselves."""

_NEAR = 24
"""The most characters between two quoted pieces."""

_SHORTEST = 12
"""The fewest characters of what is said."""

_QUOTED = lazy(r"([\"'`])([A-Za-z0-9+/=_-]{2,100})\1")
_RUN_OF_SIGNS = "[A-Za-z0-9+/_-]{4,100}+={0,2}"
_GAP = r"(?:[^A-Za-z0-9+/_=\\%&#;-]|\\\n|(?<=\s)[-+](?=\s)){1,6}"
_PIECES = lazy(rf"(?<![A-Za-z0-9+/_-]){_RUN_OF_SIGNS}(?:{_GAP}{_RUN_OF_SIGNS}){{2,200}}")
_LABELLED = lazy(rf"(?:(?<![^\n])[^\n]{{0,14}}[ :,.|][ ]?{_RUN_OF_SIGNS}(?:\n|\Z)){{3,200}}")
_LAST = lazy(rf"{_RUN_OF_SIGNS}(?=\n|\Z)")
_PART = lazy(r"[A-Za-z0-9+/=_-]{3,}")
_ODD = lazy(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
"""What pieces of base64 have, and most words have not."""

_DIGITS = lazy(r"[0-9A-Fa-f]+")
_PADDING = lazy("[=]")
_SAID = lazy(r"[^\x00-\x09\x0b-\x1f\x7f\ufffd]*+")


def in_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where `text` may have another text in pieces, and what that says."""
    found = chain(
        _quoted(text),
        ((*m.span(), _PART.findall(m[0])) for m in _PIECES.finditer(text)),
        ((*m.span(), _LAST.findall(m[0])) for m in _LABELLED.finditer(text)),
    )
    for start, end, parts in found:
        odd = next((at for at, part in enumerate(parts) if _ODD.search(part)), None)
        if odd is None:
            continue
        for first in range(max(0, odd - 2), odd + 1):
            rest = parts[first:]
            for said in (_said("".join(rest)), " ".join(filter(None, map(_said, rest)))):
                if len(said) >= _SHORTEST:
                    yield start, end, said


def _quoted(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the runs of quoted pieces that stand near one another."""
    start, end, parts = 0, -_NEAR, list[str]()
    for match in _QUOTED.finditer(text):
        if match.start() - end > _NEAR:
            if len(parts) >= _FEWEST:
                yield start, end, parts
            start, parts = match.start(), []
        parts.append(match[2])
        end = match.end()
    if len(parts) >= _FEWEST:
        yield start, end, parts


def _said(joined: str) -> str:
    """Return the beginning of what is encoded that is text."""
    plain = _PADDING.sub("", joined)
    if _DIGITS.fullmatch(plain):
        data = binascii.unhexlify(plain[: len(plain) // 2 * 2])
    else:
        plain = plain.replace("-", "+").replace("_", "/")
        plain = plain[: len(plain) - (len(plain) % 4 == 1)]
        data = base64.b64decode(plain + "=" * (-len(plain) % 4))
    said = _SAID.match(data.decode("utf-8", "replace"))
    return said[0] if said else ""
