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


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return a hint: the most similar known word, or all of them."""
    near = nearest(word, known)
    return f"Did you mean `{near}`?" if near else f"Choose one of {', '.join(known)}."
