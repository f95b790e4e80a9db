"""Guesses what a person meant to write."""

from __future__ import annotations

from collections.abc import Collection


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the one of `known` that `word` looks most like, or None if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for who mistyped a word

    return next(iter(get_close_matches(word.lower(), known, n=1)), None)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return a hint: the known word that is near, or all of them."""
    near = nearest(word, known)
    return f"Did you mean `{near}`?" if near else f"Known are {', '.join(known)}."
