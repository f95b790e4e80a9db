"""Words of attacks, and how they are disguised: see `data/disguises.toml`."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from psreg.core.regex import lazy
from psreg.lint.content.pattern_tables import table

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = LETTERS + LETTERS.upper()
ATBASH = 0
"""The shift that stands for an alphabet that is written backwards."""

LONG_NAME = 16
"""The fewest letters of a name, or of a sentence without blanks, that is divided into words."""

_ASCII_WORD = lazy(r"[a-z0-9]++")
_HUMP = lazy(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")


@cache
def suspicious_words() -> frozenset[str]:
    """Return words of attacks, in small letters without accents."""
    return frozenset(table("disguises")["words"])


def words_of(text: str) -> list[str]:
    """Return the ASCII words of a text, in small letters."""
    return _ASCII_WORD.findall(text.lower())


@cache
def any_suspicious() -> re.Pattern[str]:
    """Return what finds suspicious words inside others; short ones are left out."""
    return re.compile("|".join(word for word in suspicious_words() if len(word) > 3))  # noqa: PLR2004


@cache
def in_run() -> re.Pattern[str]:
    """Return what finds the words of a long one: suspicious words, and little ones between them."""
    words = suspicious_words() | set(table("disguises")["between"])
    return re.compile("|".join(sorted(words, key=len, reverse=True)), re.IGNORECASE)


@cache
def runs() -> re.Pattern[str]:
    """Return what finds four of these words or more, one after another."""
    return re.compile(f"(?:{in_run().pattern}){{4,60}}", re.IGNORECASE)


def in_words(name: str) -> str:
    """Return the words of a name, or of a sentence without blanks, if some are suspicious."""
    read = str(_HUMP.sub(" ", name))
    if (
        len(name) >= LONG_NAME
        and len(set(any_suspicious().findall(name.lower()))) > 1
        and " " not in read
    ):
        read = " ".join(in_run().sub(r" \g<0> ", name).split())
    return read if not suspicious_words().isdisjoint(words_of(read)) else name


def well_spelt(word: str) -> str:
    """Return the suspicious word that `word` is a misspelling of, or `word`."""
    return _misspelt().get(word.lower(), word)


@cache
def misspellings() -> frozenset[str]:
    """Return what suspicious words are misspelt as."""
    return frozenset(_misspelt())


@cache
def _misspelt() -> dict[str, str]:
    """Return suspicious words by what is a letter short of them, or has two letters swapped."""
    words = sorted(suspicious_words())
    found = {wrong: word for word in words for wrong in _wrong(word)}
    return {wrong: word for wrong, word in found.items() if wrong not in words}


def _wrong(word: str) -> set[str]:
    if len(word) <= 5:  # noqa: PLR2004
        return set()
    places = range(1, len(word) - 1)
    short = {word[:at] + word[at + 1 :] for at in places}
    return short | {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places}


@cache
def mirrored() -> frozenset[str]:
    """Return suspicious words written backwards."""
    return frozenset(word[::-1] for word in suspicious_words() if len(word) > 4)  # noqa: PLR2004


@cache
def rotated() -> dict[str, list[int]]:
    """Return the shifts that make a word suspicious, by the word."""
    found: dict[str, list[int]] = {}
    for shift in range(len(LETTERS)):
        back = str.maketrans(shifted(shift), ALPHABETS)
        for word in suspicious_words():
            if len(word) > 4:  # noqa: PLR2004
                found.setdefault(word.translate(back), []).append(shift)
    return found


def shifted(shift: int) -> str:
    """Return the alphabets moved by `shift`, or backwards."""
    read = LETTERS[::-1] if shift == ATBASH else LETTERS[shift:] + LETTERS[:shift]
    return read + read.upper()


@lru_cache(maxsize=4096)
def without_digits(word: str) -> str:
    """Return the suspicious word that `word` spells with digits, or `word`."""
    if word.isalpha() or word.isdigit():
        return word
    for letters in _digits():
        read = word.lower().translate(letters)
        if read in suspicious_words():
            return read
    return word


@lru_cache(maxsize=4096)
def without_any_digits(word: str) -> str:
    """Return a word of a text that has digits for letters throughout."""
    if word.isalpha():
        return word
    lower, words, digits = word.lower(), suspicious_words(), _digits()
    ways = (lower.translate(letters) for letters in digits)
    read = next((way for way in ways if way in words), "")
    return read or (word if word.isdigit() else lower.translate(digits[0])) or word


@cache
def _digits() -> list[dict[int, int]]:
    rows = table("disguises")["digits"]
    return [str.maketrans(row["signs"], row["letters"]) for row in rows]
