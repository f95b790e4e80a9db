"""Computes the state and the actions that follow from an instruction in the dialect `psreg-1`.

Directives are carried out in order, each on what the ones before left. A value that nobody knows,
such as a fetched one that was not recorded, is None and spreads; what would have to be decided by
it is not decided at all. Numbers are decimals and exact; a result below zero has no spelling.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import TypeAlias

from psreg.core.diagnostics import Span
from psreg.protocols.plsp.block import Kind, Value, same
from psreg.protocols.plsp.dialect import (
    Assign,
    Comparison,
    Condition,
    Directive,
    Expression,
    Fetch,
    Signal,
)

State: TypeAlias = Mapping[str, Value | None]
"""Literals by the name of the variable; None for one that is there with an unknown value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What follows: the whole next state, and the actions with their values in order.

    `touched` are the variables that a directive assigned. `unknown` are the sources whose results
    are not recorded.
    """

    state: State
    touched: frozenset[str]
    actions: tuple[tuple[str, tuple[Value | None, ...]], ...]
    unknown: tuple[str, ...]


class ImpossibleError(Exception):
    """A directive cannot be carried out on this state; `span` is where it stands."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


class UndecidedError(Exception):
    """A condition depends on a value that nobody recorded."""


def interpret(
    directives: tuple[Directive, ...], state: State, results: Mapping[str, Value]
) -> Outcome:
    """Return what follows from `state` by `directives`.

    `results` are what fetches gave, by the variable they were for.

    Raises:
        ImpossibleError: a directive has no meaning on the state.
        UndecidedError: it depends on what is not known.
    """
    machine = _Machine(state, results)
    machine.run(directives)
    return Outcome(
        state=machine.state,
        touched=frozenset(machine.touched),
        actions=tuple(machine.actions),
        unknown=tuple(machine.unknown),
    )


_ORDERS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Machine:
    def __init__(self, state: State, results: Mapping[str, Value]) -> None:
        self.state = dict(state)
        self.touched: set[str] = set()
        self.actions: list[tuple[str, tuple[Value | None, ...]]] = []
        self.unknown: list[str] = []
        self._results = results

    def run(self, directives: tuple[Directive, ...]) -> None:
        for directive in directives:
            match directive:
                case Assign():
                    self._assign(directive)
                case Fetch(source=source, name=name):
                    self._set(name, self._results.get(name))
                    if name not in self._results:
                        self.unknown.append(source)
                case Signal(action=action, values=values, span=span):
                    given = tuple(self._worth(value, span) for value in values)
                    self.actions.append((action, given))
                case _:
                    holds = self._holds(directive.condition, directive.span)
                    self.run(directive.then if holds else directive.otherwise)

    def _set(self, name: str, value: Value | None) -> None:
        self.state[name] = value
        self.touched.add(name)

    def _assign(self, directive: Assign) -> None:
        if directive.update and directive.name not in self.state:
            message = f"`@upd:` changes `${directive.name}`, which is not there"
            raise ImpossibleError(message, directive.span)
        self._set(directive.name, self._evaluate(directive.expression, directive.span))

    def _worth(self, value: Value, span: Span) -> Value | None:
        if value.kind is not Kind.REFERENCE:
            return value
        if value.name not in self.state:
            raise ImpossibleError(f"`{value.lexeme}` is not there to be read", span)
        return self.state[value.name]

    def _evaluate(self, expression: Expression, span: Span) -> Value | None:
        first = self._worth(expression.first, span)
        if expression.second is None:
            return first
        second = self._worth(expression.second, span)
        if first is None or second is None:
            return None
        one, other = self._number(first, span), self._number(second, span)
        with localcontext() as context:
            context.prec = len(first.lexeme) + len(second.lexeme) + 2  # exact, whatever they are
            result = one + other if expression.operator == "+" else one - other
        if result < 0:
            message = f"{first.lexeme} - {second.lexeme} is negative, and no state has that"
            raise ImpossibleError(message, span)
        return Value(Kind.NUMBER, f"{result:f}")

    def _number(self, value: Value, span: Span) -> Decimal:
        if value.kind is not Kind.NUMBER:
            raise ImpossibleError(f"{value.lexeme[:40]} is no number", span)
        return Decimal(value.lexeme)

    def _holds(self, condition: Condition, span: Span) -> bool:
        # In order and no further than needed: `$a & $a>1` asks first whether there is an `$a`.
        return any(all(self._compare(each, span) for each in group) for group in condition)

    def _compare(self, comparison: Comparison, span: Span) -> bool:
        if comparison.right is None:
            return comparison.left.first.name in self.state
        left = self._evaluate(comparison.left, span)
        right = self._evaluate(comparison.right, span)
        if left is None or right is None:
            raise UndecidedError
        if comparison.relation in _ORDERS:
            numbers = self._number(left, span), self._number(right, span)
            return _ORDERS[comparison.relation](*numbers)
        return same(left, right) is (comparison.relation == "=")
