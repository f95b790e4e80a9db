"""Counts a block: bytes, statements, variables, tokens, as it was sent against its canonical form.

Tokens are an estimate by a method with a name; no vocabulary is downloaded. `pieces` cuts a text
as common tokenisers do before they merge: letters, digits by threes, signs, blanks. A word counts
one for each six letters begun, signs one for each two, and what is not ASCII one for each two
bytes of UTF-8. Vocabularies differ from it, and from each other: compare, do not add up a bill.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.protocols.plsp.parts import Part
from psreg.protocols.plsp.writing import canonical

METHOD = "pieces"
"""The name of the method by which tokens are estimated."""

_PIECES = re.compile(
    r"(?P<letters>[A-Za-z]++)|(?P<digits>[0-9]++)|(?P<blank>\s++)"
    r"|(?P<other>[^\x00-\x7f]++)|(?P<signs>[^A-Za-z0-9\s\x80-\U0010ffff]++)"
)
_PER_TOKEN = {"letters": 6, "digits": 3, "blank": 16, "other": 2, "signs": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a text is: bytes of UTF-8, and tokens as estimated by `METHOD`."""

    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The numbers of one cycle; `canonical` is None for a block that is in doubt."""

    index: int
    statements: int
    variables: int
    raw: Size
    canonical: Size | None


def stats(part: Part) -> Stats | None:
    """Return the numbers of an answer, None of any other part of a trace."""
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
    """Return about how many tokens `text` is, by the method `METHOD`."""
    total = 0
    for match in _PIECES.finditer(text):
        kind = match.lastgroup or ""
        piece = match[0]
        if kind == "blank" and piece == " ":
            continue  # a single blank is part of the word behind it
        length = len(piece.encode("utf-8", "surrogatepass")) if kind == "other" else len(piece)
        total += -(-length // _PER_TOKEN[kind])
    return total
