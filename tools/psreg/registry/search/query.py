"""What the words of a query mean: what to look for, and how much each way of saying it counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from psreg.core.dataclass import dataclass, replace
from psreg.registry.search.texts import Wanted
from psreg.registry.search.thesaurus import LONGEST, Thesaurus
from psreg.registry.search.words import distance, errors_allowed, spellings

_TYPED, _SPELLED, _JOINED, _SAME, _MISTYPED, _RELATED, _INSIDE = 10, 9, 8, 7, 5, 4, 3
"""How much an alternative counts: what was typed, its other spelling, it together with its
neighbour or divided, a synonym, what was mistyped, what is related, a word that contains it."""

MOST_TERMS = 12
"""The most words of a query that count."""

_SHORTEST_PART, _SHORTEST_INSIDE = 3, 4
"""The fewest letters of a part of a divided word, and of one that is inside of another."""

_QUOTES = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A way of saying the terms from `start` until before `end`: words that all must be there."""

    start: int
    end: int
    wanted: tuple[Wanted, ...]
    factor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word of a query with its spellings, or the words of a quoted phrase.

    A weak one need not be found: it only counts in phrases that mean something.
    """

    spellings: tuple[str, ...]
    phrase: tuple[str, ...] = ()
    weak: bool = False

    @property
    def word(self) -> str:
        """The word; "" for a phrase."""
        return "" if self.phrase else self.spellings[0]


def terms_of(query: str, weak: Iterable[str]) -> list[Term]:
    """Return the terms of a query; words among `weak` are, if there are others."""
    *closed, last = _QUOTES.split(query)
    if len(closed) % 2:  # a quotation mark that is still open
        closed, last = closed[:-1], f"{closed[-1]} {last}"
    terms = []
    for number, part in enumerate([*closed, last]):
        found = spellings(part)
        if number % 2 and found:
            terms.append(Term(spellings=(), phrase=tuple(each[0] for each in found)))
        else:
            terms += [Term(spellings=each) for each in found]
    terms, known = terms[:MOST_TERMS], frozenset(weak)
    if all(term.word in known for term in terms):
        return terms
    return [replace(term, weak=term.word in known) for term in terms]


def alternatives(terms: Sequence[Term], thesaurus: Thesaurus) -> Iterator[Alternative]:
    """Yield the ways of saying what the terms say."""
    for at, term in enumerate(terms):
        if term.phrase:
            yield Alternative(start=at, end=at + 1, wanted=_neighbours(term.phrase), factor=_TYPED)
            continue
        if not term.weak:
            yield from _said(term, at)
        words = _words_from(terms, at)
        if len(words) > 1:
            wanted = Wanted(word=words[0] + words[1], forms=True)
            yield Alternative(start=at, end=at + 2, wanted=(wanted,), factor=_JOINED)
        for length in range(1 + term.weak, min(LONGEST, len(words)) + 1):
            phrases = [words[:length]] if length > 1 else [(each,) for each in term.spellings]
            for phrase in phrases:
                yield from _meanings(phrase, at, at + length, thesaurus, _SAME, _RELATED)


def _said(term: Term, at: int) -> Iterator[Alternative]:
    """Yield a word as it was typed, in other spellings, and divided."""
    for number, word in enumerate(term.spellings):
        wanted = Wanted(word=word, forms=True, beginnings=True)
        yield _one(at, wanted, _SPELLED if number else _TYPED)
    for one, two in _divided(term.word):
        yield _one(at, Wanted(word=one, second=two, labels=True), _JOINED)


def guesses(
    terms: Sequence[Term], at: int, thesaurus: Thesaurus, labels: frozenset[str]
) -> Iterator[Alternative]:
    """Yield what the term number `at`, which nothing has, may mean: a typing error, or parts.

    `labels` are the words of names and tags.
    """
    word = terms[at].word
    for found, errors in _misspelt(word, labels | thesaurus.words):
        yield _one(at, Wanted(word=found, forms=True, labels=True), _MISTYPED - errors + 1)
        yield from _meanings((found,), at, at + 1, thesaurus, _RELATED, _INSIDE)
    for one, two in _divided(word):
        both = (Wanted(word=each, forms=True, labels=True) for each in (one, two))
        yield Alternative(start=at, end=at + 1, wanted=tuple(both), factor=_RELATED)
    if len(word) >= _SHORTEST_INSIDE:
        for label in labels:
            if word in label:
                yield _one(at, Wanted(word=label, labels=True), _INSIDE)


def _misspelt(word: str, known: frozenset[str]) -> list[tuple[str, int]]:
    """Return the known words with the fewest typing errors, and how many; their beginning is right.

    Two letters at the beginning may be in the wrong order.
    """
    most = errors_allowed(word)
    starts = {word[:1], word[1:2]}
    near = [
        (each, distance(word, each, most))
        for each in known
        if abs(len(each) - len(word)) <= most and each[:1] in starts
    ]
    near = [(each, errors) for each, errors in near if errors <= most and _begins(word, each)]
    least = min((errors for _, errors in near), default=0)
    return sorted(pair for pair in near if pair[1] == least)


def _begins(word: str, other: str) -> bool:
    return word[0] == other[0] or word[:2] == other[1::-1]


def _one(at: int, wanted: Wanted, factor: int) -> Alternative:
    return Alternative(start=at, end=at + 1, wanted=(wanted,), factor=factor)


def _neighbours(phrase: tuple[str, ...]) -> tuple[Wanted, ...]:
    if len(phrase) == 1:
        return (Wanted(word=phrase[0]),)
    pairs = pairwise(phrase)
    return tuple(Wanted(word=one, second=two) for one, two in pairs)


def _divided(word: str) -> Iterator[tuple[str, str]]:
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        yield word[:at], word[at:]


def _words_from(terms: Sequence[Term], at: int) -> tuple[str, ...]:
    """Return the words from a term to the next phrase."""
    words: list[str] = []
    for term in terms[at:]:
        if term.phrase:
            break
        words.append(term.word)
    return tuple(words)


def _meanings(  # noqa: PLR0917 - a phrase, its place, and what each meaning counts
    phrase: tuple[str, ...], start: int, end: int, thesaurus: Thesaurus, same: int, related: int
) -> Iterator[Alternative]:
    for found, is_related in thesaurus.meanings(phrase):
        wanted = tuple(Wanted(word=word, forms=True, labels=True) for word in found)
        factor = related if is_related else same
        yield Alternative(start=start, end=end, wanted=wanted, factor=factor)
