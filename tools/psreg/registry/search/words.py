"""Words of texts and queries as the search compares them: without case, accents and endings.

`assets/psreg/search/words.js` does the same for the site; `tests/vectors/search.json` and the tests
in a browser hold both to it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans({
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i",
})  # fmt: skip
"""Letters that Unicode does not divide into a letter and marks."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_DIGRAPH = re.compile("([aou])e")

_WORD = re.compile("[\u3041-\u30ff\u3400-\u9fff]|(?:(?![\u3041-\u30ff\u3400-\u9fff])[^\\W_])+")
"""A word; of Chinese and Japanese, which have no blanks between words, one character."""

_ASCII_WORD = re.compile("[a-z0-9]+")

_ENDINGS = {
    3: "ed ing",
    4: "er or en em ings ion ione cion cione acion acione ation ator ate ated ating ment ement "
    "able ible ness ous ful ly "
    "ise ize iser izer isation ization isieren isierung ising izing ised ized ung ungen eln el "
    "ern erin erinnen lich ieren ierung eur euse rice amiento imiento mente "
    "ado ada ido iendo ando",
    5: "is ar ir",
}
_ENDING = {ending: least for least, group in _ENDINGS.items() for ending in group.split()}
"""Endings of English, German, French and Spanish words, and how many letters must be left."""

_LONGEST_ENDING = max(map(len, _ENDING))
_PASSES = 2
_SHORT = 4
"""The fewest letters of a word that has an ending; only some vowels at its end are one."""

_VOWELS, _LAST_VOWELS = frozenset("aeiouy"), frozenset("eiy")
_PLAIN = re.compile("[a-z]{4,}")


def folded(text: str) -> str:
    """Return `text` without case and accents, so that `resume` finds `Résumé`."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text)
    return (
        "".join(c for c in letters if not unicodedata.category(c).startswith("M"))
        .lower()
        .translate(_LETTERS)
    )


def words_of(text: str) -> list[str]:
    """Return the folded words of a text in their order."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(folded(text))


def spellings(text: str) -> list[tuple[str, ...]]:
    """Return the words of a text, each with its other spellings: `ä` may be `ae`, and `ae` `a`."""
    plain = unicodedata.normalize("NFC", text).lower()
    pairs = zip(words_of(text), words_of(plain.translate(_UMLAUTS)), strict=True)
    return [tuple(dict.fromkeys((a, b, _DIGRAPH.sub(r"\1", a)))) for a, b in pairs]


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a folded word without the ending of its form: `code` for `codes` is `cod`.

    It is a beginning of the word.
    """
    if not _PLAIN.fullmatch(word):
        return word
    left = word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word
    for _ in range(_PASSES):
        left = _single(_without_ending(left))
    while len(left) > _SHORT and left[-1] in _VOWELS:
        left = left[:-1]
    if len(left) == _SHORT and left[-1] in _LAST_VOWELS:
        left = left[:-1]
    return _single(left)


def _without_ending(word: str) -> str:
    for length in range(_LONGEST_ENDING, 1, -1):
        least = _ENDING.get(word[-length:])
        left = word[:-length]
        if least and len(left) >= least and not _VOWELS.isdisjoint(left):
            return left
    return word


def _single(word: str) -> str:
    """Return a word that does not end with one consonant twice."""
    twice = len(word) >= _SHORT and word[-1] == word[-2] and word[-1] not in _VOWELS
    return word[:-1] if twice else word


def distance(one: str, other: str, most: int) -> int:
    """Return how many typing errors lie between two words; `most` + 1 if there are more.

    An error is a letter too many, too few, another letter, or two neighbours in the wrong order
    (optimal string alignment, the restricted distance of Damerau and Levenshtein).
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = [*range(len(other) + 1)]
    for i, letter in enumerate(one, 1):
        now = [i]
        for j, second in enumerate(other, 1):
            least = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and second == one[i - 2]:
                least = min(least, before[j - 2] + 1)
            now.append(least)
        if min(now) > most:
            return most + 1
        before, row = row, now
    return row[-1] if row[-1] <= most else most + 1


def errors_allowed(word: str) -> int:
    """Return how many typing errors a word of this length may have."""
    return (len(word) >= 4) + (len(word) >= 8)  # noqa: PLR2004 - shorter words are others
