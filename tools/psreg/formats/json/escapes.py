"""Escapes in a stretch of source text: which character came from where.

The decoded text is never longer than the source; every escape stands for one character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

JSON = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|\\u[0-9a-fA-F]{4}"
    r"|\\."
)
TOML = re.compile(r'\\u[0-9a-fA-F]{4}|\\U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|\\[btnfr"\\]')

_CONTROLS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Escaped:
    """Leads from offsets in a decoded text to offsets in its source.

    `afters[i]` is the decoded offset behind escape number i, `origins[i]` the source's; the first
    pair is the start of the text.
    """

    afters: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Return where in the source the decoded character at `offset` begins."""
        piece = bisect_right(self.afters, offset) - 1
        return self.origins[piece] + offset - self.afters[piece]


def escaped(source: str, start: int, end: int, escape: re.Pattern[str]) -> Escaped:
    """Return the map of the text that `source[start:end]` spells with escapes like `escape`."""
    afters, origins, surplus = [0], [start], start
    for match in escape.finditer(source, start, end):
        surplus += match.end() - match.start() - 1
        afters.append(match.end() - surplus)
        origins.append(match.end())
    return Escaped(tuple(afters), tuple(origins))


def toml_decoded(source: str) -> str:
    """Return a TOML text with every escape replaced by its character, wherever it stands."""
    return TOML.sub(_toml_character, source) if "\\" in source else source


def _toml_character(match: re.Match[str]) -> str:
    letter, digits = match[0][1], match[0][2:]
    return _CONTROLS.get(letter) or chr(int(digits, 16))
