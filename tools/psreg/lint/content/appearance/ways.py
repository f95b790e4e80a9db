"""How words of attacks are disguised one by one, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain
from operator import add

from psreg.core.dataclass import dataclass
from psreg.core.regex import lazy
from psreg.lint.content.appearance.layers import BACKWARDS, MISSPELT, ROT13, ROTATED
from psreg.lint.content.appearance.words import (
    LETTERS,
    LONGER,
    PIECE,
    known_words,
    suspicious_words,
    telling_words,
)

_LONG = 5
"""The fewest letters of a word; disguises of shorter ones are other words by accident."""

ATBASH = 0
"""The shift that stands for an alphabet that is written backwards."""

_ROT13 = 13
_VOWELS_TOGETHER = lazy("([aeiou]+)")
_START = lazy("[^aeiou]{0,9}")
_REPEATED = lazy(r"(.)\1+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to disguise each word of a text.

    `disguises` gets words, one a line, and yields texts with what becomes of each, "" if nothing
    does. `read` returns what a word of a text says, in small letters. A text is read so if it has
    the disguises of so many suspicious words.
    """

    how: str
    disguises: Callable[[str], Iterable[str]]
    read: Callable[[str], str]
    fewest: int = 2
    shortest: int = _LONG
    only_telling: bool = False
    """Whether only words that attacks have beside others are read so."""
    turned: bool = False
    """Whether the order of words may be turned round, too."""

    @property
    def words(self) -> list[str]:
        """The suspicious words whose disguises are looked for."""
        return _long_words(self.shortest, only_telling=self.only_telling)


@cache
def _long_words(shortest: int, *, only_telling: bool) -> list[str]:
    words = telling_words() if only_telling else suspicious_words()
    return sorted(word for word in words if len(word) >= shortest)


def made_by_ways() -> set[str]:
    """Return what the `ways` make of suspicious words, as `data/changed_words.txt` lists it."""
    texts = (text for way in ways() for text in way.disguises("\n".join(way.words)))
    changed = set(chain.from_iterable(text.split("\n") for text in texts)) - known_words()
    return {word for word in changed if len(word) > PIECE}


@cache
def ways_to_read() -> dict[str, list[Way]]:
    """Return by each changed word the way that makes it, once for each word it is made of."""
    found: dict[str, list[Way]] = {}
    for way in ways():
        for others in _disguises(way.disguises, way.words):
            for other in others:
                found.setdefault(other, []).append(way)
    return found


def _disguises(disguises: Callable[[str], Iterable[str]], words: list[str]) -> Iterator[set[str]]:
    """Yield the disguises of each word."""
    texts = (text.split("\n") for text in disguises("\n".join(words)))
    return map(set, zip(*texts, strict=True))


@cache
def ways() -> tuple[Way, ...]:
    """Return how words are disguised one by one."""
    return (
        Way(how=BACKWARDS, disguises=_one(_backwards), read=_backwards, fewest=1),
        *(_shift(number) for number in range(len(LETTERS))),
        Way(how=MISSPELT, disguises=_wrong, read=_looked_up(_wrong), shortest=LONGER),
        Way(how=MISSPELT, disguises=_repeated, read=_squeezed),
        Way(
            how=MISSPELT,
            disguises=_one(_without_vowels),
            read=_looked_up(_one(_without_vowels)),
            shortest=LONGER,
        ),
        Way(
            how=MISSPELT,
            disguises=_one(_without_vowels),
            read=_looked_up(_one(_without_vowels), last_first=True),
            shortest=LONGER,
        ),
        Way(how=MISSPELT, disguises=_one(_swapped), read=_swapped),
        Way(how=MISSPELT, disguises=_one(_first_last), read=lambda word: word[-1] + word[:-1]),
        Way(
            how=MISSPELT,
            disguises=_one(lambda word: word[-1] + word[:-1]),
            read=_first_last,
        ),
        Way(how=MISSPELT, disguises=_one(_inside_out), read=_inside_out),
        Way(how=MISSPELT, disguises=_one(_pig_latin), read=_looked_up(_one(_pig_latin))),
        Way(how=MISSPELT, disguises=_all(_lisped), read=_looked_up(_all(_lisped))),
        Way(how=ROT13, disguises=_one(_turned_rot13), read=_turned_rot13, turned=True),
        *map(_moved, (_KEYS[1:] + _KEYS[0], _KEYS[-1] + _KEYS[:-1])),
        *map(_game, _GAMES),
    )


_KEYS = "qwertyuiopasdfghjklzxcvbnm"

_GAMES = (
    ("ob", ""),
    ("ub", ""),
    ("op", ""),
    ("idig", ""),
    ("ag", ""),
    ("", "p"),
    ("", "lew"),
    ("", "b"),
)
"""What children put before vowels, or between a vowel and the same vowel again."""


def _moved(keys: str) -> Way:
    """Return how words are typed by fingers that are one key off."""
    away, back = str.maketrans(_KEYS, keys), str.maketrans(keys, _KEYS)
    return Way(
        how=ROTATED,
        disguises=lambda words: (words.translate(away),),
        read=lambda word: word.translate(back),
        only_telling=True,
    )


def _game(signs: tuple[str, str]) -> Way:
    before, after = signs
    each = {ord(vowel): before + vowel + (after and after + vowel) for vowel in "aeiou"}
    said = lazy(rf"{before}([aeiou])" if before else rf"([aeiou]+){after}\1")
    return Way(
        how=MISSPELT,
        disguises=lambda words: (
            "".join(
                [
                    before + part + (after and after + part) if at % 2 else part
                    for at, part in enumerate(_at_vowels(words))
                ]
            ),
            words.translate(each),
        ),
        read=lambda word: str(said.sub(r"\1", word)),
        only_telling=True,
    )


@lru_cache(maxsize=1)
def _at_vowels(words: str) -> list[str]:
    """Return what is before, between and after vowels, and at odd numbers these."""
    return _VOWELS_TOGETHER.split(words)


def _lisped(word: str) -> str:
    return word.replace("s", "th")


_BY_ROT13 = str.maketrans(LETTERS, LETTERS[_ROT13:] + LETTERS[:_ROT13])


def _turned_rot13(word: str) -> str:
    return word[::-1].translate(_BY_ROT13)


def _one(change: Callable[[str], str]) -> Callable[[str], Iterable[str]]:
    return lambda words: ("\n".join(map(change, words.split("\n"))),)


def _all(change: Callable[[str], str]) -> Callable[[str], Iterable[str]]:
    """As `_one`, for a change that leaves line breaks where they are."""
    return lambda words: (change(words),)


def _looked_up(
    disguises: Callable[[str], Iterable[str]], *, last_first: bool = False
) -> Callable[[str], str]:
    """Return what reads the disguises of known words; of several words it takes the last one."""
    known: dict[str, str] = {}

    def read(word: str) -> str:
        if not known:
            words = sorted(known_words(), reverse=last_first)
            for each, others in zip(words, _disguises(disguises, words), strict=True):
                known.update({other: each for other in others if other[1:]})
            known.update((each, each) for each in words)
        return known.get(word, word)

    return read


def _shift(number: int) -> Way:
    back, there = (str.maketrans(pair) for pair in _alphabets(number))
    return Way(
        how=ROT13 if number == _ROT13 else ROTATED,
        disguises=lambda words: (words.translate(back),),
        read=lambda word: word.translate(there),
        fewest=1 if number == _ROT13 else 2,
    )


def _alphabets(number: int) -> tuple[dict[str, str], dict[str, str]]:
    other = LETTERS[::-1] if number == ATBASH else LETTERS[number:] + LETTERS[:number]
    pairs = list(zip(LETTERS, other, strict=True))
    return {to: letter for letter, to in pairs}, dict(pairs)


def _backwards(word: str) -> str:
    return word[::-1]


def _wrong(words: str) -> Iterator[str]:
    """Yield the words without one letter, and with two letters in the wrong order."""
    each = [word if len(word) >= LONGER else "" for word in words.split("\n")]
    for at in range(1, max(map(len, each)) - 1):
        here = [word if at < len(word) - 1 else "" for word in each]
        yield "\n".join([word[:at] + word[at + 1 :] for word in here])
        yield "\n".join(
            [
                word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
                for word in here
            ]
        )


def _repeated(words: str) -> tuple[str, ...]:
    return tuple(map(words.translate, _REPEATING))


_REPEATING = (
    *({ord(letter): letter * number for letter in LETTERS} for number in (2, 3)),
    {ord(letter): letter * 2 for letter in set(LETTERS) - set("aeiou")},
)
"""Every letter twice or three times, or consonants twice."""


@lru_cache(maxsize=4096)
def _squeezed(word: str) -> str:
    """Return a word without repeated letters, if that is how it is disguised."""
    if word in known_words():
        return word
    for number in (2, 3):
        if len(word) % number == 0 and _repeated(word[::number])[number - 2] == word:
            return word[::number]
    short = _REPEATED.sub(r"\1", word)
    return _known_squeezed().get(short, short) if short != word else word


@cache
def _known_squeezed() -> dict[str, str]:
    return {_REPEATED.sub(r"\1", word): word for word in sorted(known_words())}


def _without_vowels(word: str) -> str:
    return word[:1] + word[1:].translate(_NO_VOWELS)


_NO_VOWELS = dict.fromkeys(map(ord, "aeiou"))


def _swapped(word: str) -> str:
    return "".join(map(add, word[1::2], word[::2])) + word[len(word) // 2 * 2 :]


def _first_last(word: str) -> str:
    return word[1:] + word[:1]


def _inside_out(word: str) -> str:
    return word[:1] + word[-2:0:-1] + word[-1:]


def _pig_latin(word: str) -> str:
    start = _START.match(word)
    first = start[0] if start else ""
    return f"{word[len(first) :]}{first}{'ay' if first else 'way'}"
