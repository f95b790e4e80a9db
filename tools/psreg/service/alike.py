"""The names of a registry that a new one is like, whoever owns them: for a reader to compare."""

from __future__ import annotations

from collections.abc import Iterable

from psreg.rules.likeness import FAR, bare, distance, skeletons
from psreg.rules.naming import ENOUGH, LETTERS, affixes


def similar_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return those of `others` that `name` is like, the most alike first, at most ten.

    Alike is what looks the same, is one or two keystrokes away, or is the name without a word
    such as `official`. Names of fewer than five letters have to look the same.
    """
    letters, bases = bare(name), set(_bases(name))
    found = []
    for other in others:
        apart = _apart(letters, bare(other))
        if other != name and (apart < FAR or other in bases or _look_alike(name, other)):
            found.append((apart, other))
    return tuple(other for _, other in sorted(found)[:ENOUGH])


def _look_alike(one: str, other: str) -> bool:
    return _wide(one) == _wide(other) and not skeletons(one).isdisjoint(skeletons(other))


def _wide(name: str) -> int:
    """Return how long the skeletons of a name are; of ten thousand names few are as long."""
    return len(name) - name.count("_") + name.count("m") + name.count("w")


def _apart(one: str, other: str) -> int:
    # NOTE: two keystrokes take away two letters at most; of ten thousand names few are left.
    if len(set(one).difference(other)) >= FAR or min(len(one), len(other)) < LETTERS:
        return FAR
    return distance(one, other)


def _bases(name: str) -> Iterable[str]:
    first, _, rest = name.partition("_")
    start, _, last = name.rpartition("_")
    return [base for word, base in ((first, rest), (last, start)) if base and word in affixes()]
