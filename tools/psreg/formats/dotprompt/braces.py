"""What the braces of a CONTENT mean: variables, literal pairs, or just braces.

One scan over the source decides, so that nothing a value brings in is ever looked at (READINGS
PROMPT-A5). A literal pair `{{…}}` opens and closes on one line; pairs nest, and a variable inside
one is a variable (PROMPT-A6). Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = r"[A-Za-z0-9_-]++"
"""The letters of keys and variables (READINGS PROMPT-06, PROMPT-A18), as a pattern."""

_TOKEN = re.compile(rf"\{{\{{|\}}\}}|\{{({NAME})\}}|\n++")
_NAMED = re.compile(rf"({NAME})\}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One `{name}` or `{{name}}`: where its braces start and end in the scanned text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Braces:
    """All that a scan found, as offsets into the scanned text.

    `pairs` are the offsets of `{{` and `}}` of each literal pair, `literals` those pairs around
    nothing but a name; `spanning` are pairs whose ends stand on different lines, which stay as
    they are (READINGS PROMPT-A7).
    """

    uses: list[Use] = field(default_factory=list)
    literals: list[Use] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    spanning: list[tuple[int, int]] = field(default_factory=list)


def scan(text: str) -> Braces:
    """Return what the braces of `text` mean; uses and literals are in order of place."""
    braces = Braces()
    opened: list[int] = []  # the `{{` of this line that wait for their `}}`
    waiting: list[int] = []  # those of the lines before
    for token in _TOKEN.finditer(text):
        at, what = token.start(), token[0]
        if what == "{{":
            opened.append(at)
        elif what == "}}":
            if opened:
                _close(text, opened.pop(), at, braces)
            elif waiting:
                braces.spanning.append((waiting.pop(), at))
        elif what[0] == "\n":
            _end_line(text, opened, waiting, braces)
        else:
            braces.uses.append(Use(name=token[1], start=at, end=token.end()))
    _end_line(text, opened, waiting, braces)
    for uses in (braces.uses, braces.literals):
        uses.sort(key=lambda use: use.start)
    return braces


def _close(text: str, opening: int, closing: int, braces: Braces) -> None:
    braces.pairs.append((opening, closing))
    named = _NAMED.match(text, opening + 2)
    if named and named.end() == closing + 1:
        braces.literals.append(Use(name=named[1], start=opening, end=closing + 2))


def _end_line(text: str, opened: list[int], waiting: list[int], braces: Braces) -> None:
    """Settle the `{{` that found no `}}` on their line: they enclose nothing here."""
    for at in opened:
        if named := _NAMED.match(text, at + 2):  # `{{x}`: a brace, then the variable `{x}`
            braces.uses.append(Use(name=named[1], start=at + 1, end=named.end()))
        else:
            waiting.append(at)
    opened.clear()
