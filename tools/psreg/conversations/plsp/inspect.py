"""A PLSP trace cycle by cycle: what each changed, said and asked for, and whether it was right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from psreg.conversations.plsp.run import trace_of
from psreg.core.diagnostics import Diagnostic, Mode
from psreg.formats.conversation.conversation import Conversation
from psreg.lint.transcript import check_transcript
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.block import Value, same_value
from psreg.protocols.plsp.trace import Cycle, cycles
from psreg.protocols.plsp.writer import lexeme_of
from psreg.protocols.protocol import Options


class Verdict(StrEnum):
    """What is known of a step: as instructed, wrong, or nothing."""

    RIGHT = "as instructed"
    WRONG = "wrong"
    OPEN = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One variable that is not what it was, as lexemes; "" where it was not there, or is not."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One cycle of the trace.

    `readable` says whether its block is understood; `changes`, `logs` and `actions` are () if not.
    A log is its values, an action its name and its values, as lexemes. `expected` is the state
    that the instruction asks for, as a block, "" if that is not known.
    """

    index: int
    line: int
    instr: str | None
    readable: bool
    changes: tuple[Change, ...]
    logs: tuple[tuple[str, ...], ...]
    actions: tuple[tuple[str, ...], ...]
    verdict: Verdict
    why: str
    expected: str
    diagnostics: tuple[Diagnostic, ...]


def inspect(conversation: Conversation, path: str, *, imf: str, mode: Mode) -> tuple[Step, ...]:
    """Return the steps of a trace in order.

    Raises:
        FindingsError: NO_TRACE, if it is none.
    """
    trace_of(conversation, path)
    report = check_transcript(conversation, "plsp", mode=mode, imf=imf, path=path)
    found = {message.index: message.diagnostics for message in report.messages}
    trace = cycles(conversation, Options(version=PLSP.version, mode=mode, imf=imf))
    return tuple(_step(cycle, found[cycle.record.index]) for cycle in trace)


def _step(cycle: Cycle, diagnostics: tuple[Diagnostic, ...]) -> Step:
    answer, step = cycle.answer, cycle.transition
    commands = list(answer.commands) if answer.readable else []
    delivered = [
        (command, tuple(value.lexeme for value in answer.resolved_values(command)))
        for command in commands
    ]
    before = cycle.previous.state if cycle.previous is not None and cycle.previous.readable else {}
    return Step(
        index=cycle.record.index,
        line=cycle.record.line,
        instr=cycle.record.instr,
        readable=answer.readable,
        changes=tuple(_changes(before, answer.state)) if answer.readable else (),
        logs=tuple(values for command, values in delivered if command.sign == ">"),
        actions=tuple((c.name, *values) for c, values in delivered if c.sign == "!"),
        verdict=_verdict(cycle),
        why=step.unchecked if step else "",
        expected=step.expected if step else "",
        diagnostics=diagnostics,
    )


def _verdict(cycle: Cycle) -> Verdict:
    step = cycle.transition
    if step is not None and step.mismatches:
        return Verdict.WRONG
    return Verdict.RIGHT if step is not None and step.as_instructed else Verdict.OPEN


def _changes(
    before: Mapping[str, Value | None], after: Mapping[str, Value | None]
) -> Iterator[Change]:
    """Yield what is different: the variables of the new block, then those that are gone."""
    for name, value in after.items():
        old = before.get(name)
        if value is not None and (old is None or not same_value(old, value)):
            was = lexeme_of(old) if old else ""
            yield Change(name=name, before=was, after=lexeme_of(value))
    for name, old in before.items():
        if name not in after:
            yield Change(name=name, before=lexeme_of(old), after="")
