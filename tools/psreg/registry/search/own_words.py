"""The words of a release that its author did not choose to be found by.

They are those of the README, of the variables and of the text that a model reads. A row of the
catalogue has room for the most telling ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from psreg.registry.search.thesaurus import psreg_thesaurus
from psreg.registry.search.words import stem, words_of

MOST = 40
"""The most words of a release: about 300 bytes, as much as the rest of its row."""

_README, _HEADING, _VARIABLE = 2, 4, 12
"""How often a word in a README, in one of its headings or of a variable counts; else once."""

_SHORTEST = 3
_LONGEST = 32
_VARIABLES = re.compile(r"\{([\w-]+)\}")
_HEADINGS = re.compile(r"^#+(.*)$", re.MULTILINE)


@cache
def _common() -> frozenset[str]:
    """Return the words that say little, as stems."""
    text = files("psreg.registry.search").joinpath("common_words.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    common = (word for line in lines for word in line.split())
    return frozenset(map(stem, (*common, *psreg_thesaurus().weak)))


def own_words(shown: Iterable[str], text: str, readme: str = "", most: int = MOST) -> str:
    """Return the most telling words of a text that a model reads and of its README, ascending.

    They are folded, with blanks between them; each stands for all its forms. Those of `shown`
    texts are left out: name, tags, summary and use case. There are at most `most` of them.
    """
    counts = Counter(words_of(text))
    for part, times in (
        (readme, _README),
        (" ".join(_HEADINGS.findall(readme)), _HEADING),
        (" ".join(_VARIABLES.findall(text)), _VARIABLE),
    ):
        for word, number in Counter(words_of(part)).items():
            counts[word] += number * times
    known = _common() | {stem(word) for part in shown for word in words_of(part)}
    by_stem: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for word, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        of = stem(word)
        if _SHORTEST <= len(word) <= _LONGEST and not word.isdecimal() and of not in known:
            by_stem[of] += number
            forms.setdefault(of, word)
    best = sorted(by_stem, key=lambda of: (-by_stem[of], of))[:most]
    return " ".join(sorted(forms[of] for of in best))
