"""Suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Collection


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the word in `known` that is most similar to `word`, or None if none is similar."""
    return next(iter(near_ones(word, known, 1)), None)


def near_ones(word: str, known: Collection[str], most: int) -> list[str]:
    """Return the words in `known` that are most similar to `word`, the most similar first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a misspelt word needs it

    return get_close_matches(word.lower(), known, n=most)


_SLIGHT = 0.9
_MANY = 100
"""Known words among which a misspelt one is searched, and letters of the longest: it takes time."""


def meant(word: str, known: Collection[str]) -> str | None:
    """Return the one of `known` that `word` spells in other letter case, or with other separators.

    A slight misspelling counts, too. None if no word is that similar.
    """
    if len(word) > _MANY or len(known) > _MANY:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - only a misspelt word needs it

    by_letters = {letters(one): one for one in known if len(one) <= _MANY}
    near = get_close_matches(letters(word), by_letters, n=1, cutoff=_SLIGHT)
    swapped = (one for one in by_letters if _are_swapped(one, letters(word)))
    found = near[0] if near else next(swapped, None)
    return None if found is None else by_letters[found]


def _are_swapped(word: str, other: str) -> bool:
    """Tell whether two words differ in the order of two neighbouring letters alone."""
    if len(word) != len(other):
        return False
    at = next((n for n, (one, two) in enumerate(zip(word, other, strict=True)) if one != two), 0)
    return word != other and word[at : at + 2][::-1] + word[at + 2 :] == other[at:]


def letters(word: str) -> str:
    """Return the letters and digits of a word, case folded."""
    return "".join(filter(str.isalnum, word.casefold()))


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return a hint: the most similar known word, or all of them."""
    near = nearest(word, known)
    return f"Did you mean `{near}`?" if near else f"Choose one of {', '.join(known)}."
