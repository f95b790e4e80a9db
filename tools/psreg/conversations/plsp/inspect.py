"""A PLSP trace cycle by cycle: what changed, the logs and actions, and whether it is correct."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from psreg.conversations.plsp.run import trace_of
from psreg.core.diagnostics import ERROR, WARNING, Diagnostic, Mode, Report
from psreg.core.terminal import one_line
from psreg.formats.conversation.conversation import Conversation
from psreg.lint.reports.json import report_document
from psreg.lint.transcript import check_transcript
from psreg.protocols.plsp.block import Value, lexeme_of, same_value
from psreg.protocols.plsp.trace import Cycle


class Verdict(StrEnum):
    """Whether a step follows its instruction."""

    RIGHT = "as instructed"
    WRONG = "wrong"
    OPEN = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One variable that changed, as lexemes; "" if it did not exist before or does not after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One cycle of the trace.

    `readable` says whether its block can be parsed; `changes`, `logs` and `actions` are () if not.
    A log is its values, an action its name and its values, as lexemes. `expected` is the state
    that the instruction asks for, as a block, "" if that is not known. `omitted` means that the
    trace is too long to show all of it: the instruction is cut, the other texts are left out.
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
    omitted: bool = False


_LARGEST = 200_000
"""The most characters that the texts of all cycles have as JSON."""

_AROUND = 30
"""The characters of JSON around each text: blanks, the name of a member, punctuation."""

_SHORT = 60
"""The characters that are shown of an instruction and a reason where the rest is left out."""


def inspect(conversation: Conversation, path: str, *, imf: str, mode: Mode) -> tuple[Step, ...]:
    """Return the steps of a trace in order.

    Raises:
        FindingsError: NO_TRACE, the conversation is not a trace.
    """
    trace_of(conversation, path)
    report = check_transcript(conversation, "plsp", mode=mode, imf=imf, path=path)
    cycles = ((part.cycle, each) for each in report.messages for part in each.units)
    return tuple(_shortened(_step(cycle, each.diagnostics) for cycle, each in cycles if cycle))


def _shortened(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps; those for which there is no room left have none of their texts."""
    room = _LARGEST
    for step in steps:
        left = _room_after(step, room)
        if left < 0:
            yield replace(
                step,
                instr=_cut(step.instr) if step.instr is not None else None,
                changes=(),
                logs=(),
                actions=(),
                why=_cut(step.why),
                expected="",
                omitted=True,
            )
        else:
            room = left
            yield step


def _room_after(step: Step, room: int) -> int:
    """Return what is left of `room` after the texts of `step`; less than 0 if it is too small."""
    changed = ((each.name, each.before, each.after) for each in step.changes)
    for texts in ((step.instr or "", step.why, step.expected), *changed, *step.logs, *step.actions):
        room -= _AROUND + sum(len(json.dumps(text)) + _AROUND for text in texts)
        if room < 0:
            break
    return room


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


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
    """Yield the changed variables of the new block, then the removed ones."""
    for name, value in after.items():
        old = before.get(name)
        if value is not None and (old is None or not same_value(old, value)):
            was = lexeme_of(old) if old else ""
            yield Change(name=name, before=was, after=lexeme_of(value))
    for name, old in before.items():
        if name not in after:
            yield Change(name=name, before=lexeme_of(old), after="")


INSPECT_SCHEMA = "psreg.plsp-inspect/1"


def inspect_document(steps: Sequence[Step], path: str) -> dict[str, Any]:
    """Return a trace as the JSON object that `psreg plsp inspect --format json` prints."""
    found = [diagnostic for step in steps for diagnostic in step.diagnostics]
    findings = report_document(Report(checked=1, diagnostics=tuple(found)))
    return {
        "schema": INSPECT_SCHEMA,
        "trace": path,
        "cycles": [
            {
                "index": step.index,
                "line": step.line,
                "instr": step.instr,
                "readable": step.readable,
                "changes": [
                    {"variable": c.name, "before": c.before or None, "after": c.after or None}
                    for c in step.changes
                ],
                "logs": [list(log) for log in step.logs],
                "actions": [list(action) for action in step.actions],
                "verdict": str(step.verdict),
                "why": step.why,
                "expected": step.expected or None,
                "omitted": step.omitted,
            }
            for step in steps
        ],
        "counts": findings["counts"],
        "diagnostics": findings["diagnostics"],
    }


def inspect_lines(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a trace for a terminal: each cycle as a diff of its states."""
    for step in steps:
        instr = one_line(step.instr) if step.instr is not None else "(no instruction)"
        yield f"cycle {step.index + 1}, line {step.line}: {instr}"
        yield from (f"  {line}" for line in _step_lines(step))
        yield ""


def _step_lines(step: Step) -> Iterator[str]:
    if not step.readable:
        yield "the block cannot be read"
    if step.omitted:
        yield "(changes, logs and actions are left out: the trace is too long to show all of it)"
    yield from (_change_line(change) for change in step.changes)
    if step.readable and not step.changes and not step.omitted:
        yield "= the state is unchanged"
    yield from (f"> {one_line(', '.join(log))}" for log in step.logs)
    yield from (f"! {one_line(', '.join(action))}" for action in step.actions)
    yield f"{step.verdict}{f': {one_line(step.why)}' if step.why else ''}"
    for d in step.diagnostics:
        if d.severity in (ERROR, WARNING):
            yield f"{d.code} {d.severity}: {one_line(d.message)}"


def _change_line(change: Change) -> str:
    before, after = one_line(change.before), one_line(change.after)
    if not before:
        return f"+ ${change.name}: {after}"
    if not after:
        return f"- ${change.name}: {before}"
    return f"~ ${change.name}: {before} → {after}"
