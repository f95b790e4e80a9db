"""The names of a registry that a new one is like, whoever owns them: for a reader to compare."""

from __future__ import annotations

from collections.abc import Iterable

from psreg.rules.likeness import bare, distance
from psreg.rules.naming import ENOUGH
from psreg.rules.nearby import nearby


def similar_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return those of `others` that `name` is like, the most alike first, at most ten."""
    found = nearby([name], others) - {name}
    ranked = sorted(found, key=lambda other: (distance(bare(name), bare(other)), other))
    return tuple(ranked[:ENOUGH])
