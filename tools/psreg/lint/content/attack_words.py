"""How much the words of a text are those of attacks on assistants: a linear model of few words.

`data/attack_words.txt` has a weight for each word, learned from attacks and ordinary prompts of
many sources (`tests/bench/learn_words.py`). The sum of the weights of the words that occur in a
text, each counted once, is compared with a limit. That finds attacks whose phrases nobody has
listed yet, and says nothing about what a single word means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data

from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.lint.content import search_marks
from psreg.lint.content.texts import Content

FEWEST = 5
"""The different words with a weight of the shortest text that is judged."""

_LONG = 6

_LETTERS = lazy(r"[^\W\d_]{2,}")
_WORD = lazy(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each word, and the least sum of a text that reads like an attack."""

    words: Mapping[str, int]
    known: frozenset[str]
    limit: int

    def of(self, words: frozenset[str]) -> int:
        """Return the sum of the weights of `words`."""
        weights = self.words
        return sum([weights[word] for word in words & self.known])


def words_of(content: Content) -> frozenset[str]:
    """Return the words of what a model reads: of a `.prompt`, not its metadata and comments."""
    words, lower = content.words, content.lower
    if prompt := content.prompt:
        lower = "\n".join((prompt.content, *prompt.defaults.values())).lower()
        words = search_marks.words_of(search_marks.spaced(lower), ascii_only=lower.isascii())
    return words if lower.isascii() else words.union(_LETTERS.findall(lower))


def heaviest(content: Content) -> list[str]:
    """Return the words that make a text read like an attack, the most telling first; often none."""
    weights = attack_weights()
    words = words_of(content) & weights.known
    if len(words) < FEWEST or weights.of(words) < weights.limit:
        return []
    pressing = (word for word in words if weights.words[word] > 0)
    # NOTE: short words weigh much together, and tell a reader nothing.
    return sorted(pressing, key=lambda word: (len(word) < _LONG, -weights.words[word], word))


def heaviest_line(content: Content, words: frozenset[str]) -> Span:
    """Return the position of the line that has the most of `words`, by weight."""
    weights, most = attack_weights(), -1
    headers = content.prompt.headers if content.prompt else ()
    begin = next((each.span.end for each in headers if each.name == "CONTENT"), 0)
    span = content.segments[0].span(0, 0)
    for segment in content.segments:
        at = 0
        for line in segment.text.splitlines(keepends=True):
            weight = weights.of(words.intersection(_WORD.findall(line.lower())))
            if weight > most and at >= begin:
                most, span = weight, segment.span(at, at + len(line.rstrip()))
            at += len(line)
    return span


@cache
def attack_weights() -> Weights:
    """Return the weights in `data/attack_words.txt`: a word and a number on each line."""
    data = get_data("psreg.lint.content", "data/attack_words.txt") or b""
    lines = [line.split(" ") for line in data.decode().splitlines() if line[0] != "#"]
    words = {word: int(weight) for word, weight in lines}
    limit = words.pop("LIMIT")
    return Weights(words=words, known=frozenset(words), limit=limit)
