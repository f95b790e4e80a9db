"""Checks whether the next block is the result of the instruction.

Only instructions in a known dialect can be checked; for all others, the result says that they were
not. Logs are not compared, because no directive asks for one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, TypeAlias

from psreg.core.diagnostics import Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import (
    Block,
    Command,
    Kind,
    Value,
    lexeme_of,
    same_value,
    state_text,
)
from psreg.protocols.plsp.dialect import (
    Assign,
    Comparison,
    Condition,
    Directive,
    Expression,
    Fetch,
    Instruction,
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
    """A condition depends on a value that was not recorded; `state` has the variables by then.

    Their values are unknown, because directives of either branch may change them.
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self.state: State = dict.fromkeys(names)


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
            raise UndecidedError(self.state)
        if comparison.relation in _ORDER_RELATIONS:
            numbers = self._number(left, span), self._number(right, span)
            return _ORDER_RELATIONS[comparison.relation](*numbers)
        return same_value(left, right) is (comparison.relation == "=")


NOTHING = "nothing"
"""What is expected or found on the missing side of a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One difference, at `span` of the next block; a missing side is "nothing"."""

    what: str
    expected: str
    found: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """The check of one transition.

    `unchecked` is why some or all of it was not checked, or "". `impossible` is why the instruction
    cannot be carried out, at `span` of the instruction. `expected` is the state that should follow,
    as a block, or "" if it is unknown.
    """

    mismatches: tuple[Mismatch, ...] = ()
    unchecked: str = ""
    impossible: str = ""
    span: Span = Span(0, 0)  # noqa: RUF009 - frozen
    expected: str = ""

    @property
    def as_instructed(self) -> bool:
        """Whether all of it was checked and nothing is wrong."""
        return not (self.mismatches or self.unchecked or self.impossible)


def check_transition(
    instruction: Instruction, previous: Block, answer: Block, record: Any
) -> Transition:
    """Check the transition from `previous` to `answer`, both readable.

    `record` has the results of fetches under `results`, as lexemes by the name of the variable.
    """
    try:
        outcome = interpret(instruction.directives, previous.state, results_of(record))
    except ImpossibleError as error:
        return Transition(impossible=error.message, span=error.span, unchecked=_IMPOSSIBLE)
    except UndecidedError as error:  # no directive removes a variable, whatever is chosen
        return Transition(
            mismatches=tuple(_missing(error.state, answer)),
            unchecked="a condition depends on a fetched value that is not recorded",
            expected=state_text(error.state),
        )
    sources = ", ".join(dict.fromkeys(outcome.unknown))
    mismatches = (*_variables(outcome, answer), *_actions(outcome, answer))
    return Transition(
        mismatches=tuple(mismatches),
        unchecked=f"the result of fetching {sources} is not recorded" if sources else "",
        expected=state_text(outcome.state),
    )


_IMPOSSIBLE = "the instruction cannot be carried out"


def results_of(record: Any) -> Mapping[str, Value]:
    """Return the literals in the `results` of a record of a trace, by variable."""
    results = record.get("results")
    if not isinstance(results, dict):
        return {}
    lexemes = ((name.removeprefix("$"), _lexeme(value)) for name, value in results.items())
    return {name: grammar.value_of(each, 0) for name, each in lexemes if each}


def _lexeme(value: Any) -> str:
    """Return a result as a lexeme, "" if it is not one. A JSON integer is allowed."""
    text = str(value) if isinstance(value, int) else value
    return text if isinstance(text, str) and grammar.LITERALS.fullmatch(text) else ""


def _missing(state: State, answer: Block) -> Iterator[Mismatch]:
    """Yield the variables that the answer lacks."""
    for name, expected in state.items():
        if name not in answer.state:
            wanted = f"`${name}:{lexeme_of(expected)}`"
            yield Mismatch(what=f"${name}", expected=wanted, found=NOTHING, span=answer.span)


def _variables(outcome: Outcome, answer: Block) -> Iterator[Mismatch]:
    spans = {each.name: each.span for each in answer.assignments}
    yield from _missing(outcome.state, answer)
    for name, expected in outcome.state.items():
        found = answer.state.get(name)
        if expected is not None and found is not None and not same_value(expected, found):
            yield Mismatch(
                what=f"${name}",
                expected=f"`${name}:{lexeme_of(expected)}`",
                found=f"`${name}:{lexeme_of(found)}`",
                span=spans[name],
            )
    for name, found in answer.state.items():
        if name not in outcome.state:
            shown = f"`${name}:{lexeme_of(found)}`"
            yield Mismatch(what=f"${name}", expected=NOTHING, found=shown, span=spans[name])


def _actions(outcome: Outcome, answer: Block) -> Iterator[Mismatch]:
    """Yield a mismatch if the actions are not the same in the same order."""
    commands = [command for command in answer.commands if command.sign == "!"]
    found = [(command.name, answer.resolved_values(command)) for command in commands]
    agree = len(found) == len(outcome.actions) and all(
        name == other and len(values) == len(given) and all(map(_matches, given, values))
        for (other, given), (name, values) in zip(outcome.actions, found, strict=True)
    )
    if not agree:
        yield Mismatch(
            what="actions",
            expected=_written(outcome.actions),
            found=_written(found),
            span=_actions_span(commands, answer),
        )


def _matches(expected: Value | None, found: Value) -> bool:
    return expected is None or same_value(expected, found)


def _actions_span(commands: list[Command], answer: Block) -> Span:
    return commands[0].span if commands else answer.span


def _written(actions: Any) -> str:
    written = ("!" + ",".join((name, *map(lexeme_of, values))) + ";" for name, values in actions)
    text = "".join(written)
    return f"`{text}`" if text else "no action"
