"""Judges one cycle of a loop: does the next block say what the instruction asks for?

Only an instruction in a dialect that psreg knows can be judged; of all others it says that they
were not, and never that they were right. Logs are free: no directive asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.core.diagnostics import Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Block, Command, Value, same
from psreg.protocols.plsp.dialect import Instruction
from psreg.protocols.plsp.interpreter import ImpossibleError, Outcome, UndecidedError, interpret
from psreg.protocols.plsp.writing import lexeme_of, state_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """What is not as it should be, at `span` of the next block; "nothing" is one of the texts."""

    what: str
    expected: str
    found: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """What was found out about a cycle.

    `unjudged` is why it, or some of it, was not judged, "" if all of it was. `impossible` is why
    the instruction cannot be carried out, at `span` of the instruction. `expected` is the state
    that should follow, as a block, "" if that is not known.
    """

    mismatches: tuple[Mismatch, ...] = ()
    unjudged: str = ""
    impossible: str = ""
    span: Span = Span(0, 0)  # noqa: RUF009 - frozen
    expected: str = ""

    @property
    def as_instructed(self) -> bool:
        """Whether all of it was judged, and nothing is wrong."""
        return not (self.mismatches or self.unjudged or self.impossible)


def judge(instruction: Instruction, before: Block, after: Block, record: Any) -> Transition:
    """Return what is to be said of the step from `before` to `after`, both readable.

    `record` has what fetches gave under `results`, as lexemes by the name of the variable.
    """
    try:
        outcome = interpret(instruction.directives, before.state, results_of(record))
    except ImpossibleError as error:
        return Transition(impossible=error.message, span=error.span, unjudged=_FAULTY)
    except UndecidedError:
        return Transition(unjudged="a condition asks for a value that was fetched and not recorded")
    sources = ", ".join(dict.fromkeys(outcome.unknown))
    mismatches = (*_variables(outcome, after), *_actions(outcome, after))
    return Transition(
        mismatches=tuple(mismatches),
        unjudged=f"what was fetched from {sources} is not recorded" if sources else "",
        expected=state_text(outcome.state),
    )


_FAULTY = "the instruction cannot be carried out"


def results_of(record: Any) -> Mapping[str, Value]:
    """Return the recorded results of a trace's record that are literals, by variable."""
    results = record.get("results")
    if not isinstance(results, dict):
        return {}
    lexemes = ((name.removeprefix("$"), _lexeme(value)) for name, value in results.items())
    return {name: grammar.value_of(each, 0) for name, each in lexemes if each}


def _lexeme(value: Any) -> str:
    """Return a result as a lexeme, "" if it is none. A whole number may be one of JSON."""
    text = str(value) if isinstance(value, int) else value
    return text if isinstance(text, str) and grammar.LITERALS.fullmatch(text) else ""


def _variables(outcome: Outcome, after: Block) -> Iterator[Mismatch]:
    places = {each.name: each.span for each in after.assignments}
    for name, expected in outcome.state.items():
        found = after.state.get(name)
        if found is None:
            # A variable that was left alone and vanished is a matter of the whole state.
            if name in outcome.touched:
                wanted = f"`${name}:{lexeme_of(expected)}`"
                yield Mismatch(what=f"${name}", expected=wanted, found="nothing", span=after.span)
        elif expected is not None and not same(expected, found):
            yield Mismatch(
                what=f"${name}",
                expected=f"`${name}:{lexeme_of(expected)}`",
                found=f"`${name}:{lexeme_of(found)}`",
                span=places[name],
            )
    for name, found in after.state.items():
        if name not in outcome.state:
            shown = f"`${name}:{lexeme_of(found)}`"
            yield Mismatch(what=f"${name}", expected="nothing", found=shown, span=places[name])


def _actions(outcome: Outcome, after: Block) -> Iterator[Mismatch]:
    """Yield the one mismatch of actions: they have to be the same, in the same order."""
    commands = [command for command in after.commands if command.sign == "!"]
    found = [(command.name, after.delivered(command)) for command in commands]
    agree = len(found) == len(outcome.actions) and all(
        name == other and len(values) == len(given) and all(map(_fits, given, values))
        for (other, given), (name, values) in zip(outcome.actions, found, strict=True)
    )
    if not agree:
        yield Mismatch(
            what="actions",
            expected=_shown(outcome.actions),
            found=_shown(found),
            span=_place(commands, after),
        )


def _fits(expected: Value | None, found: Value) -> bool:
    return expected is None or same(expected, found)


def _place(commands: list[Command], after: Block) -> Span:
    return commands[0].span if commands else after.span


def _shown(actions: Any) -> str:
    written = ("!" + ",".join((name, *map(lexeme_of, values))) + ";" for name, values in actions)
    text = "".join(written)
    return f"`{text}`" if text else "no action"
