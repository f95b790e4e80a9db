"""The texts with which the matches of a regular expression begin, read off its parsed form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as op
from re import _parser

LONGEST, MOST = 30, 20_000
"""A beginning is read to so many characters, and about so many of an expression."""

_FEW = 8
_BOUNDARY = "\b"
_BLANK = [(op.IN, [(op.CATEGORY, op.CATEGORY_SPACE)])]
_IMPOSSIBLE = re.compile(r"\w\x08+\w|[^\w\x08]\x08+[^\w\x08]")

Begun = set[tuple[str, bool]]
"""Texts, and whether what follows each is still to be read."""


def beginnings(pattern: str) -> set[str]:
    """Return the beginnings of matches in lower case, each up to what may be any character.

    White space is one blank; what may not be followed by a letter or digit ends with a blank.
    """
    found = _sequence(_parser.parse(pattern), {("", True)})
    return {
        re.sub(r"\x08+$", " ", text).replace(_BOUNDARY, "").replace("  ", " ") for text, _ in found
    }


def _sequence(items: Iterable[tuple], begun: Begun) -> Begun:
    for kind, value in items:
        live = {each for each in begun if each[1]}
        if not live or len(begun) > MOST:
            return _stopped(begun)
        begun = (begun - live) | _element(kind, value, live)
    return begun


def _element(kind: object, value: object, live: Begun) -> Begun:
    if kind in (op.LITERAL, op.IN):
        letters = _letters(value if kind is op.IN else [(kind, value)])
        return _followed(live, letters) if letters else _stopped(live)
    if kind is op.BRANCH:
        return set().union(*(_sequence(branch, live) for branch in value[1]))
    if kind is op.SUBPATTERN:
        return _sequence(value[3], live)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _repeated(*value, live)
    if kind is op.AT and value is op.AT_BOUNDARY:
        return {(text + _BOUNDARY if text else "", True) for text, _ in live}
    return live if kind in (op.AT, op.ASSERT, op.ASSERT_NOT) else _stopped(live)


def _repeated(least: int, most: int, inside: Iterable[tuple], live: Begun) -> Begun:
    once = _sequence(inside, live)
    if list(inside) != _BLANK:
        for _ in range(1, least):
            once = _sequence(inside, once)
        if most not in (least, 1):
            once |= _stopped(once)
    return once if least else once | live


def _followed(live: Begun, then: Iterable[str]) -> Begun:
    texts = {text + each for text, _ in live for each in then}
    return {(text[:LONGEST], len(text) < LONGEST) for text in texts if not _IMPOSSIBLE.search(text)}


def _stopped(live: Begun) -> Begun:
    return {(text, False) for text, _ in live}


def _letters(members: Iterable[tuple]) -> set[str]:
    """Return the characters of a set in brackets; none if these are many."""
    found: set[str] = set()
    for kind, value in members:
        if kind is op.LITERAL:
            found.add(chr(value).lower())
        elif (kind, value) == (op.CATEGORY, op.CATEGORY_SPACE):
            found.add(" ")
        else:
            return set()
    return found if len(found) <= _FEW else set()
