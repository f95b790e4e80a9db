"""Checks whether the next block is the result of the instruction.

Only instructions in a known dialect can be checked; for all others, the result says that they were
not. Logs are not compared, because no directive asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.core.diagnostics import Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Block, Command, Value, same_value
from psreg.protocols.plsp.dialect import Instruction
from psreg.protocols.plsp.interpreter import ImpossibleError, Outcome, UndecidedError, interpret
from psreg.protocols.plsp.writer import lexeme_of, state_text


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
    except UndecidedError:
        return Transition(unchecked="a condition depends on a fetched value that is not recorded")
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


def _variables(outcome: Outcome, answer: Block) -> Iterator[Mismatch]:
    spans = {each.name: each.span for each in answer.assignments}
    for name, expected in outcome.state.items():
        found = answer.state.get(name)
        if found is None:
            wanted = f"`${name}:{lexeme_of(expected)}`"
            yield Mismatch(what=f"${name}", expected=wanted, found="nothing", span=answer.span)
        elif expected is not None and not same_value(expected, found):
            yield Mismatch(
                what=f"${name}",
                expected=f"`${name}:{lexeme_of(expected)}`",
                found=f"`${name}:{lexeme_of(found)}`",
                span=spans[name],
            )
    for name, found in answer.state.items():
        if name not in outcome.state:
            shown = f"`${name}:{lexeme_of(found)}`"
            yield Mismatch(what=f"${name}", expected="nothing", found=shown, span=spans[name])


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
