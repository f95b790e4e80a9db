"""Computes the state and the actions that an instruction in the dialect `psreg-1` results in.

Directives run in order, each on the state that the previous ones left. An unknown value, such as a
fetched one that was not recorded, is None, and so is every result that depends on it; a condition
that depends on one is undecided. Numbers are exact decimals; a negative result is not allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import TypeAlias

from psreg.core.diagnostics import Span
from psreg.protocols.plsp.block import Kind, Value, same_value
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
"""The literal of each variable by its name; None for an unknown value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of an instruction: the next state, and the actions with their values in order.

    `unknown` are the sources whose results were not recorded.
    """

    state: State
    actions: tuple[tuple[str, tuple[Value | None, ...]], ...]
    unknown: tuple[str, ...]


class ImpossibleError(Exception):
    """A directive cannot be carried out on the state; `span` is its span."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


class UndecidedError(Exception):
    """A condition depends on a value that was not recorded."""


def interpret(
    directives: tuple[Directive, ...], state: State, results: Mapping[str, Value]
) -> Outcome:
    """Return the result of `directives` on `state`.

    `results` are the results of fetches, by the name of the variable.

    Raises:
        ImpossibleError: a directive has no meaning on the state.
        UndecidedError: a condition depends on an unknown value.
    """
    machine = _Machine(state, results)
    machine.run(directives)
    return Outcome(
        state=machine.state,
        actions=tuple(machine.actions),
        unknown=tuple(machine.unknown),
    )


_ORDER_RELATIONS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Machine:
    def __init__(self, state: State, results: Mapping[str, Value]) -> None:
        self.state = dict(state)
        self.actions: list[tuple[str, tuple[Value | None, ...]]] = []
        self.unknown: list[str] = []
        self._results = results

    def run(self, directives: tuple[Directive, ...]) -> None:
        for directive in directives:
            match directive:
                case Assign():
                    self._assign(directive)
                case Fetch(source=source, name=name):
                    self.state[name] = self._results.get(name)
                    if name not in self._results:
                        self.unknown.append(source)
                case Signal(action=action, values=values, span=span):
                    given = tuple(self._literal(value, span) for value in values)
                    self.actions.append((action, given))
                case _:
                    holds = self._holds(directive.condition, directive.span)
                    self.run(directive.then if holds else directive.otherwise)

    def _assign(self, directive: Assign) -> None:
        if directive.update and directive.name not in self.state:
            message = f"`@upd:` updates `${directive.name}`, which does not exist"
            raise ImpossibleError(message, directive.span)
        self.state[directive.name] = self._evaluate(directive.expression, directive.span)

    def _literal(self, value: Value, span: Span) -> Value | None:
        if value.kind is not Kind.REFERENCE:
            return value
        if value.name not in self.state:
            raise ImpossibleError(f"`{value.lexeme}` does not exist", span)
        return self.state[value.name]

    def _evaluate(self, expression: Expression, span: Span) -> Value | None:
        first = self._literal(expression.first, span)
        if expression.second is None:
            return first
        second = self._literal(expression.second, span)
        if first is None or second is None:
            return None
        one, other = self._number(first, span), self._number(second, span)
        with localcontext() as context:
            context.prec = len(first.lexeme) + len(second.lexeme) + 2  # exact for any operands
            result = one + other if expression.operator == "+" else one - other
        if result < 0:
            message = f"{first.lexeme} - {second.lexeme} is negative, which a state cannot contain"
            raise ImpossibleError(message, span)
        return Value(Kind.NUMBER, f"{result:f}")

    def _number(self, value: Value, span: Span) -> Decimal:
        if value.kind is not Kind.NUMBER:
            raise ImpossibleError(f"`{value.lexeme[:40]}` is not a number", span)
        return Decimal(value.lexeme)

    def _holds(self, condition: Condition, span: Span) -> bool:
        # With short circuits: `$a & $a>1` tests first whether `$a` exists.
        return any(all(self._compare(each, span) for each in group) for group in condition)

    def _compare(self, comparison: Comparison, span: Span) -> bool:
        if comparison.right is None:
            return comparison.left.first.name in self.state
        left = self._evaluate(comparison.left, span)
        right = self._evaluate(comparison.right, span)
        if left is None or right is None:
            raise UndecidedError
        if comparison.relation in _ORDER_RELATIONS:
            numbers = self._number(left, span), self._number(right, span)
            return _ORDER_RELATIONS[comparison.relation](*numbers)
        return same_value(left, right) is (comparison.relation == "=")
