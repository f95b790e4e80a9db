r"""The grammar of PLSP 0.5: the patterns of its tokens and statements, and its tokeniser.

Each token is written down once. All patterns are ASCII and possessive, so that matching takes time
linear in the text. Blanks are the four of JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from psreg.core.diagnostics import Span
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
"""A valid statement; any other one is parsed token by token (`recovery`).

The two ways agree on valid statements, as a test checks. There are two because tokens are slow:
a block of 52 variables takes 0.48 ms to read by tokens alone (0.23 ms of it for the tokens), but
0.11 ms by this pattern, and may take at most 0.3 ms with all rules (`tests/bench/conversing.py`).
"""

VALUES = re.compile(_VALUE)
CLOSE = re.compile(rf"{BLANKS}(?=}}S)")
NUMBERS = re.compile(NUMBER)
LITERALS = re.compile(LITERAL)

OPEN = re.compile(r"(?<![A-Za-z0-9_])S\{")
ANOTHER = re.compile(r"S\{")
"""The beginning of a second block, which may follow the end of the first without a blank."""

SPLIT_OPEN = re.compile(r"(?<![A-Za-z0-9_])S[ \t\r\n]+\{")

TOKENS = re.compile(
    r"""
    (?P<blank>[ \t\r\n]++)
    |(?P<text>"[^"]*+")
    |(?P<open>"[^"]*+)
    |(?P<end>\}S)
    |(?P<split_end>\}[ \t\r\n]++S(?![A-Za-z0-9_]))
    |(?P<variable>\$\w*+)
    |(?P<number>[+-]?(?:[0-9]|\.[0-9])[0-9A-Za-z_.]*(?:(?<=[eE])[+-][0-9]*+)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_-]*+)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""All tokens of a block, malformed ones included; every other character is a `mark`."""

ASSIGNABLE = re.compile(r"[A-Za-z]")
DOUBTFUL = re.compile(r"[A-Za-z][A-Za-z0-9]|[0-9]")
LONG = re.compile(r"[A-Za-z0-9]+")
NEGATIVE = re.compile(rf"-{NUMBER}")

_KINDS = {'"': Kind.TEXT, "$": Kind.REFERENCE}
_NUMBER = Kind.NUMBER


def value_of(lexeme: str, start: int) -> Value:
    """Return the value of a valid `lexeme`."""
    return Value(_KINDS.get(lexeme[0], _NUMBER), lexeme, start)


def values_in(text: str, start: int, end: int) -> tuple[Value, ...]:
    """Return the values of a valid list."""
    first = VALUES.match(text, start, end)
    if first and first.end() == end:  # NOTE: most lists; a quarter of the time of a long block
        return (value_of(first[0], start),)
    return tuple(value_of(match[0], match.start()) for match in VALUES.finditer(text, start, end))


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `kind` is the name of its pattern, `stop` for `;`, `eof` at the end of the text.

    `spaced` tells whether a blank precedes it.
    """

    kind: str
    lexeme: str
    start: int
    spaced: bool = False

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.lexeme)

    @property
    def span(self) -> Span:
        """The span of the token."""
        return Span(self.start, self.end)


LAST = frozenset(("stop", "end", "split_end", "eof"))
"""The kinds of token that end a statement."""


def tokens_of(text: str, at: int) -> list[Token]:
    """Return the tokens from offset `at` to the end of the statement, which is included."""
    found = []
    spaced = False
    for match in TOKENS.finditer(text, at):
        kind = match.lastgroup or ""
        if kind == "blank":
            spaced = True
            continue
        kind = "stop" if match[0] == ";" else kind
        found.append(Token(kind, match[0], match.start(), spaced))
        spaced = False
        if kind in LAST:
            return found
    found.append(Token("eof", "", len(text)))
    return found


def value_ends(tokens: list[Token]) -> list[int]:
    """Return for each token the index of the next token, itself included, that ends a value."""
    found = [len(tokens) - 1] * len(tokens)
    for at in range(len(tokens) - 2, -1, -1):
        begins = tokens[at].kind == "variable" and tokens[at + 1].lexeme == ":"
        found[at] = at if begins or tokens[at].lexeme == "," else found[at + 1]
    return found
