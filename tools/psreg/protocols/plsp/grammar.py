r"""The tokens of PLSP 0.5 as patterns, written down once.

All of them are ASCII and possessive, so that matching takes time in proportion to the text. Blanks
are the four of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from psreg.protocols.plsp.block import Kind, Value

BLANKS = r"[ \t\r\n]*+"
TEXT = r'"[^"]*+"'
NUMBER = r"[0-9]++(?:\.[0-9]++)?"
ACTION = r"[A-Za-z_][A-Za-z0-9_-]*+"
LITERAL = rf"(?:{TEXT}|{NUMBER})"

_LETTER = r"\$[A-Za-z]"
_VALUE = rf"(?:{TEXT}|{NUMBER}|{_LETTER})"
_MORE = rf"(?:{BLANKS},{BLANKS}{_VALUE})*"

STATEMENT = re.compile(
    rf"{BLANKS}(?:(?P<id>{_LETTER}){BLANKS}:{BLANKS}(?P<value>{_VALUE})"
    rf"|(?P<log>>){BLANKS}(?P<logged>{_VALUE}{_MORE})"
    rf"|(?P<sign>!){BLANKS}(?P<action>{ACTION})(?P<given>{_MORE})){BLANKS};"
)
"""A statement without a flaw; what does not match is looked at token by token (`faults`)."""

VALUES = re.compile(_VALUE)
SPACE = re.compile(BLANKS)
CLOSE = re.compile(rf"{BLANKS}(?=}}S)")
NUMBERS = re.compile(NUMBER)
LITERALS = re.compile(LITERAL)

OPEN = re.compile(r"(?<![A-Za-z0-9_])S\{")
ANOTHER = re.compile(r"S\{")
"""The beginning of a second block, which may follow the end of the first without a blank."""

TORN_OPEN = re.compile(r"(?<![A-Za-z0-9_])S[ \t\r\n]+\{")

TOKENS = re.compile(
    r"""
    (?P<blank>[ \t\r\n]++)
    |(?P<text>"[^"]*+")
    |(?P<open>"[^"]*+)
    |(?P<end>\}S)
    |(?P<torn>\}[ \t\r\n]++S(?![A-Za-z0-9_]))
    |(?P<variable>\$\w*+)
    |(?P<number>[+-]?(?:[0-9]|\.[0-9])[0-9A-Za-z_.]*(?:(?<=[eE])[+-][0-9]*+)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_-]*+)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""Everything that may stand in a block, and everything else as a `mark`."""

ASSIGNABLE = re.compile(r"[A-Za-z]")
DOUBTFUL = re.compile(r"[A-Za-z][A-Za-z0-9]|[0-9]")
LONG = re.compile(r"[A-Za-z0-9]+")
NEGATIVE = re.compile(rf"-{NUMBER}")

_KINDS = {'"': Kind.TEXT, "$": Kind.REFERENCE}


def value_of(lexeme: str, start: int) -> Value:
    """Return the value that a flawless `lexeme` is."""
    return Value(_KINDS.get(lexeme[0], Kind.NUMBER), lexeme, start)


def values_in(text: str, start: int, end: int) -> Iterator[Value]:
    """Yield the values of a list without a flaw."""
    for match in VALUES.finditer(text, start, end):
        yield value_of(match[0], match.start())
