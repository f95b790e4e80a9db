"""Words that mean the same, in several languages: `synonyms.txt`, and what a registry adds.

Each line is one meaning: words and phrases that stand for each other, and after `>` related ones,
which are found as well, but not the reverse. A line with `!` lists words that fit most prompts.
`assets/psreg/search/thesaurus.js` reads the same file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.resources import files

from psreg.registry.search.words import folded, stem, words_of

Phrase = tuple[str, ...]
"""Folded words in their order."""

LONGEST = 4
"""The most words of a phrase."""


class Thesaurus:
    """What the words and phrases in the lines of a text mean."""

    def __init__(self, text: str) -> None:
        lines = (line.strip() for line in folded(text).split("\n"))
        self._lines = [line for line in lines if line and not line.startswith("#")]

    @cached_property
    def weak(self) -> frozenset[str]:
        """The words that only count in a query of nothing else."""
        lines = (line for line in self._lines if line.startswith("!"))
        return frozenset(word for line in lines for word in words_of(line))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that mean something, but for those of phrases."""
        phrases = (phrase for line in self._lines if line[0] != "!" for phrase in _phrases(line))
        return frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)

    def meanings(self, phrase: Phrase) -> Iterator[tuple[Phrase, bool]]:
        """Yield the phrases that mean the same, and those that are related, with True.

        The form of a word does not matter.
        """
        wanted = _stems(phrase)
        for line in self._lines:
            if line[0] == "!" or wanted[0] not in line:  # a stem is a beginning of its word
                continue
            same, _, related = line.partition(">")
            words = [*_phrases(same)]
            if any(_stems(each) == wanted for each in words):
                yield from ((each, False) for each in words if _stems(each) != wanted)
                yield from ((each, True) for each in _phrases(related))


def _phrases(text: str) -> Iterator[Phrase]:
    found = (tuple(words_of(part)) for part in text.replace(">", ",").split(","))
    return (phrase for phrase in found if phrase)


def _stems(phrase: Phrase) -> Phrase:
    return tuple(map(stem, phrase))


def psreg_thesaurus(own: Iterable[str] = ()) -> Thesaurus:
    """Return that of psreg, with the `own` lines of a registry."""
    return Thesaurus(synonyms(own).decode())


def synonyms(own: Iterable[str] = ()) -> bytes:
    """Return the file that `psreg_thesaurus` reads."""
    known = files("psreg.registry.search").joinpath("synonyms.txt").read_bytes()
    return known + "".join(f"{line}\n" for line in own).encode()
