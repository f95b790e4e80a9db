"""The table of rules, used by everything that checks, lists or explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Self, TypeVar

from psreg.core.rule import Rule

T = TypeVar("T")


class RuleTable(tuple[Rule[Any], ...]):  # noqa: SLOT001 - it caches what it computes
    """Rules in the order of listings, and by what they check.

    `everything` loads the table of all rules if these are only some: a waiver may name any.
    """

    _everything: Callable[[], RuleTable] | None

    def __new__(
        cls, rules: Iterable[Rule[Any]], everything: Callable[[], RuleTable] | None = None
    ) -> Self:
        """Return the table of `rules`."""
        table = super().__new__(cls, tuple(rules))
        table._everything = everything
        return table

    def knows(self, code: str) -> bool:
        """Return whether any rule has this code, in this table or not."""
        return code in self._own_codes or code in self.codes

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of all rules, in this table or not."""
        return self._everything().codes if self._everything else self._own_codes

    @cached_property
    def _own_codes(self) -> frozenset[str]:
        return frozenset(each.code for each in self)

    def about(self, subject: T) -> tuple[Rule[T], ...]:
        """Return the rules that check values of the type of `subject`."""
        return self._by_subject.get(type(subject).__name__, ())

    @cached_property
    def _by_subject(self) -> Mapping[str, tuple[Rule[Any], ...]]:
        found: dict[str, list[Rule[Any]]] = {}
        for each in self:
            found.setdefault(each.subject, []).append(each)
        return {subject: tuple(rules) for subject, rules in found.items()}
