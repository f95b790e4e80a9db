"""Measures a block in bytes, statements, variables and tokens, as sent and in canonical form.

Tokens are estimated with a named method; no vocabulary is downloaded. `pieces` splits a text as
common tokenisers do before they merge: letters, digits, signs, blanks. Each run of letters counts
one token per six letters, digits per three, signs per two, text outside ASCII per two bytes of
UTF-8, always rounded up. Tokenisers differ from this and from each other: use it to compare blocks,
not to predict costs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.protocols.plsp.block import canonical
from psreg.protocols.plsp.units import Part

METHOD = "pieces"
"""The name of the method that estimates tokens."""

_PIECES = re.compile(
    r"(?P<letters>[A-Za-z]++)|(?P<digits>[0-9]++)|(?P<blank>\s++)"
    r"|(?P<other>[^\x00-\x7f]++)|(?P<signs>[^A-Za-z0-9\s\x80-\U0010ffff]++)"
)
_PER_TOKEN = {"letters": 6, "digits": 3, "blank": 16, "other": 2, "signs": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a text: bytes of UTF-8, and tokens as estimated by `METHOD`."""

    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The size of the block of one cycle; `canonical` is None if the block is not readable."""

    index: int
    statements: int
    variables: int
    raw: Size
    canonical: Size | None


def stats(part: Part) -> Stats | None:
    """Return the size of an answer, None for another part of a trace."""
    if part.block is None:
        return None
    shortest = canonical(part.block)
    return Stats(
        index=part.index,
        statements=len(part.block.statements),
        variables=len(part.block.state),
        raw=size(part.text),
        canonical=None if shortest is None else size(shortest),
    )


def size(text: str) -> Size:
    """Return the size of `text`."""
    return Size(bytes=len(text.encode("utf-8", "surrogatepass")), tokens=estimated_tokens(text))


def estimated_tokens(text: str) -> int:
    """Return the estimated number of tokens of `text` by the method `METHOD`."""
    total = 0
    for match in _PIECES.finditer(text):
        kind = match.lastgroup or ""
        piece = match[0]
        if kind == "blank" and piece == " ":
            continue  # a single space is part of the word after it
        length = len(piece.encode("utf-8", "surrogatepass")) if kind == "other" else len(piece)
        total += -(-length // _PER_TOKEN[kind])
    return total
