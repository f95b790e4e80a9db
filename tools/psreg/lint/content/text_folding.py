"""What a text looks like to a reader, in plain letters, without its disguise.

Compatibility forms become their letters (NFKD), marks and invisible characters are removed, and a
letter of another script becomes the ASCII letter it looks like. The look-alikes are those of
Unicode (UTS 39), in `data/lookalikes.txt`.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from psreg.core.regex import lazy
from psreg.lint.content.pattern_tables import lines, table

TYPOGRAPHY = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00a0\u202f\u2009\u2026",
    "''''\"\"\"\"-------   .",
)
"""Typographic punctuation and spaces, one character for one; they are not a disguise."""

_VANISHING = ("Cf", "Mn", "Me", "Cc", "Cs", "Co", "Cn")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_BOXES = (0x249C, 0x1F150, 0x1F170, 0x1F1E6)
"""Letters without a plain form in Unicode, A to Z: in brackets, in a disc, in a box, of flags."""

_NAMED = lazy(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL)|LISU LETTER"
    r"|MODIFIER LETTER (?:SMALL|CAPITAL|LOW)) "
    r"(?:(?:TURNED|REVERSED|INVERTED|SIDEWAYS|OPEN|CLOSED|INSULAR|SCRIPT|DOTLESS|LONG|TAILED|BARRED"
    r"|BLACKLETTER|HALF|EGYPTOLOGICAL|VOLAPUK|LENIS|BASELINE|STRETCHED|HEAVY|MIDDLE-WELSH) ){0,3}"
    r"(?P<letter>[A-Z]|ALPHA|SCHWA|ESH|EZH|ENG|IOTA|UPSILON)A?(?: WITH [A-Z -]{1,60})?"
)
"""The names of letters that are a plain one with something added, or turned."""

_OTHER_NAMES = {"SCHWA": "e", "ENG": "n", "EZH": "z"}
INDIA = "\u0900-\u0eff"
"""The letters of India and Thailand, whose vowels are marks, as a range of a pattern."""

_LIKE_NOTHING = lazy("[\u0900-\u0dff\u2e80-\ua4cf\uac00-\ud7ff\U00020000-\U0003ffff]")
"""Scripts without look-alikes in other scripts: most of India's and East Asia's."""


def folded(text: str) -> str:
    """Return `text` in plain letters."""
    if text.isascii():
        return text
    return text.translate({ord(character): _folded(character) for character in set(text)})


def is_plain(character: str) -> bool:
    """Tell whether no other letter is meant by `character`, or by the letter of which it is part.

    The vowels of India and Thailand are marks, without which a word is another one.
    """
    return character.isascii() or "\u0900" <= character <= "\u0dff" or is_vowel(character)


def is_vowel(character: str) -> bool:
    """Tell whether `character` is a mark that belongs to a letter of India or Thailand."""
    return INDIA[0] <= character <= INDIA[-1] and unicodedata.category(character) == "Mn"


def visible(character: str) -> str:
    """Return `character`, or "" if it cannot be seen and does not belong to a letter."""
    if is_vowel(character):
        return character
    if character in _FILLERS or unicodedata.category(character) in _VANISHING:
        return ""
    return unicodedata.normalize("NFKC", character)


def composed(letter: str) -> str:
    """Return a letter with marks as one character, without the marks that remain."""
    return unicodedata.normalize("NFC", letter)[:1]


def _folded(character: str) -> str:
    return character if character.isascii() else _character(character)


@lru_cache(maxsize=4096)
def _character(character: str) -> str:
    if character in _FILLERS:
        return ""
    if plain := _letters().get(character):
        return plain
    return "".join(map(_plain, unicodedata.normalize("NFKD", character)))


@cache
def _letters() -> dict[str, str]:
    """Return the plain letters of small capitals, of white letters in boxes, and of others."""
    plain = "abcdefghijklmnopqrstuvwxyz"
    boxes = {chr(first + n): letter for first in _BOXES for n, letter in enumerate(plain)}
    others = {
        other: letter
        for alphabet in reversed(table("disguises")["alphabets"])
        for other, letter in reversed([*zip(alphabet, plain, strict=True)])
        if not other.isascii()
    }
    letters: dict[str, str] = table("disguises")["letters"]
    return others | boxes | letters


def _plain(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category in _VANISHING or character in _FILLERS:
        return ""
    if category[0] == "Z":
        return " "
    return character.translate(TYPOGRAPHY) if category[0] in "PS" else _letter(character)


def _letter(character: str) -> str:
    if _LIKE_NOTHING.match(character):
        return character
    return lookalike(character) or _by_name(character) or character


def _by_name(character: str) -> str:
    """Return the plain letter that the name of `character` says, or ""."""
    found = _NAMED.fullmatch(unicodedata.name(character, ""))
    return _OTHER_NAMES.get(found["letter"], found["letter"][0].lower()) if found else ""


def lookalike(character: str) -> str:
    """Return the few ASCII characters that `character`, beyond ASCII, looks like, or ""."""
    return _lookalikes().get(character, "")


@cache
def _lookalikes() -> dict[str, str]:
    """Return what characters look like."""
    rows = (line.split("\t") for line in lines("lookalikes"))
    return {chr(int(code, 16)): plain for plain, codes in rows for code in codes.split(" ")}
