"""The names of a registry that a new one is like, whoever owns them: for a reader to compare."""

from __future__ import annotations

from collections.abc import Iterable

from psreg.lint.names.all_names import ENOUGH
from psreg.lint.names.likeness import bare, distance
from psreg.lint.names.near_names import nearby


def similar_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return those of `others` that `name` is like, the most alike first, at most ten."""
    found = nearby([name], others) - {name}
    ranked = sorted(found, key=lambda other: (distance(bare(name), bare(other)), other))
    return tuple(ranked[:ENOUGH])
