"""The table of rules, from which everything takes them that judges, lists or explains."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from psreg.core.rule import Rule

T = TypeVar("T")


class RuleTable(tuple[Rule[Any], ...]):  # noqa: SLOT001 - it keeps what it computed
    """Rules in the order in which they are listed, and by what they judge."""

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of all rules."""
        return frozenset(each.code for each in self)

    def about(self, subject: T) -> tuple[Rule[T], ...]:
        """Return the rules that judge what is of the type of `subject`."""
        return self._by_subject.get(type(subject).__name__, ())

    @cached_property
    def _by_subject(self) -> Mapping[str, tuple[Rule[Any], ...]]:
        found: dict[str, list[Rule[Any]]] = {}
        for each in self:
            found.setdefault(each.subject, []).append(each)
        return {subject: tuple(rules) for subject, rules in found.items()}
