"""Guesses what a person meant to write."""

from __future__ import annotations

from collections.abc import Collection


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the one of `known` that `word` looks most like, or None if none is near."""
    return next(iter(near_ones(word, known, 1)), None)


def near_ones(word: str, known: Collection[str], most: int) -> list[str]:
    """Return those of `known` that `word` looks most like, the nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for who mistyped a word

    return get_close_matches(word.lower(), known, n=most)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return a hint: the known word that is near, or all of them."""
    near = nearest(word, known)
    return f"Did you mean `{near}`?" if near else f"Known are {', '.join(known)}."
