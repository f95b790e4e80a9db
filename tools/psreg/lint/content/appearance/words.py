"""Words of attacks, and words that are nearly these: see `data/disguises.toml`."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain, groupby
from operator import itemgetter

from psreg.core.regex import lazy
from psreg.lint.content.pattern_tables import listed, table

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = LETTERS + LETTERS.upper()

LONG_NAME = 16
"""The fewest letters of a name, or of a sentence without blanks, that is divided into words."""

BACON = frozenset(f"{number:05b}".translate({48: "a", 49: "b"}) for number in range(len(LETTERS)))
"""The letters of Bacon's cipher."""

LONGER, _LONGEST = 6, 32
"""The fewest and the most letters of a word of which others are nearly the same."""

PIECE = 3
"""The fewest letters of a piece of a word that is looked for."""

_ASCII_WORD = lazy(r"[a-z0-9]++")
_HUMP = lazy(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_VOWELS = lazy("[aeiou]")


@cache
def suspicious_words() -> frozenset[str]:
    """Return words of attacks, in small letters without accents."""
    return frozenset(table("disguises")["words"])


@cache
def known_words() -> frozenset[str]:
    """Return suspicious words, and those that are between them."""
    return suspicious_words().union(table("disguises")["between"])


@cache
def spelling_words() -> frozenset[str]:
    """Return the words of spelling alphabets, which stand for letters."""
    return frozenset(" ".join(table("disguises")["spelling"]).split())


def changed_words(words: frozenset[str]) -> frozenset[str]:
    """Return those of `words` that one of the `ways` to disguise words makes of suspicious ones."""
    return words & _changed_words()


@cache
def _changed_words() -> frozenset[str]:
    # NOTE: to make them takes longer than everything else that a short text needs.
    return listed("changed_words")


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
    # NOTE: by their first letters, for a search tries all that stand side by side.
    words = sorted(known_words(), key=lambda word: (word[0], -len(word)))
    groups = (
        f"{first}(?:{'|'.join(word[1:] for word in same)})"
        for first, same in groupby(words, key=itemgetter(0))
    )
    return re.compile("|".join(groups), re.IGNORECASE)


@cache
def runs() -> re.Pattern[str]:
    """Return what finds four of these words or more in small letters, one after another."""
    return re.compile(f"(?:{in_run().pattern}){{4,60}}")


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


@cache
def telling_words() -> frozenset[str]:
    """Return the suspicious words that attacks have beside others."""
    return suspicious_words().intersection(chain.from_iterable(chain(*telling().values())))


class OddWords:
    """Words that are nearly suspicious ones; most words are asked for again and again."""

    def __init__(self, most: int = 50_000) -> None:
        self._most = most
        self._plain: set[str] = set()
        self._odd: dict[str, str] = {}

    def of(self, words: frozenset[str]) -> list[str]:
        """Return those of `words` that have a wrong letter, one too many, or mixed letters."""
        odd, fresh = self._odd, words - self._plain
        if len(self._plain) + len(fresh) > self._most:
            self._plain.clear()
        for word in fresh:
            if word not in odd:
                if meant := nearly(word):
                    odd[word] = meant
                else:
                    self._plain.add(word)
        return [word for word in fresh if word in odd]


ODD = OddWords()


@lru_cache(maxsize=1 << 15)
def nearly(word: str) -> str:
    """Return the suspicious word that `word` is, but for one letter or the order of letters."""
    size = len(word)
    if not LONGER <= size <= _LONGEST or word in known_words() or not word.isalpha():
        return ""
    known = _blotted()
    if found := known.get(f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}."):
        return found
    for at in range(size):
        if found := known.get(f"{word[:at]}?{word[at + 1 :]}"):
            return found
        if size > LONGER and 0 < at < size - 1 and word[:at] + word[at + 1 :] in suspicious_words():
            return word[:at] + word[at + 1 :]
    if size > LONGER and word[1::2] == word[1] * (size // 2) and word[::2] in suspicious_words():
        return word[::2]
    return ""


@cache
def _blotted() -> dict[str, str]:
    """Return suspicious words by what is left without one letter, and by their letters sorted."""
    words = [word for word in sorted(suspicious_words()) if len(word) >= LONGER]
    found = {f"{word[:at]}?{word[at + 1 :]}": word for word in words for at in range(len(word))}
    found |= {word: word for word in suspicious_words()}
    return found | {f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}.": word for word in words}


@cache
def pieces() -> frozenset[str]:
    """Return parts of suspicious words that are not words themselves."""
    # NOTE: to make them takes six times as long as to read them.
    return listed("pieces")


def made_pieces() -> frozenset[str]:
    """Return the parts of suspicious words, as `data/pieces.txt` lists them."""
    words = [word for word in suspicious_words() if len(word) >= LONGER]
    parts = {
        word[at : at + size]
        for word in words
        for size in range(PIECE, len(word))
        for at in range(len(word) - size + 1)
    }
    return frozenset(parts) - known_words() - set(table("disguises")["wholes"])


@cache
def pairs() -> frozenset[str]:
    """Return the pairs of letters of which telling words consist."""
    return (
        frozenset(
            word[at : at + 2] for word in telling_words() for at in range(0, len(word) - 1, 2)
        )
        - known_words()
    )


@lru_cache(maxsize=4096)
def unmasked(word: str) -> str:
    """Return the suspicious word of which `word` has the consonants, with signs for vowels."""
    return _skeletons().get(_VOWELS.sub("", "".join(filter(str.isalpha, word.lower()))), word)


@cache
def _skeletons() -> dict[str, str]:
    words = (*sorted(known_words()), *sorted(suspicious_words()))
    found = {_VOWELS.sub("", word): word for word in words}
    return {letters: word for letters, word in found.items() if letters[2:]}


@cache
def telling_phrases() -> dict[str, str]:
    """Return what attacks say, each a few words, with the same without blanks."""
    return {phrase: phrase.replace(" ", "") for phrase in table("disguises")["telling"]}


@cache
def telling() -> dict[str, list[tuple[str, ...]]]:
    """Return words that attacks have one after another, by the first of them."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in telling_phrases():
        first, *then = phrase.split(" ")
        found.setdefault(first, []).append((first, *then))
    return found


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
