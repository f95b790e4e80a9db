"""The parts of a trace that rules judge: of every cycle instruction, previous block, next block.

A part carries all it is judged by. An answer of an ordinary conversation is judged as a block
alone, and so is a record that has just the next block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from psreg.core.diagnostics import Finding, Span
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.issue import Issue
from psreg.protocols.plsp import block as blocks
from psreg.protocols.plsp.block import FIRST, Block
from psreg.protocols.plsp.dialect import PREFIX
from psreg.protocols.plsp.reading import read
from psreg.protocols.plsp.trace import UNDECLARED, Cycle, Vanished, cycles
from psreg.protocols.plsp.transition import Transition
from psreg.protocols.protocol import Options

MOST = 100
"""Findings of one kind in one block: nobody reads more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One text of a record: an instruction, or a block that was sent or answered.

    `block` is there for an answer only. `issues` are of the text and of its place in the trace.
    """

    index: int
    text: str
    pointer: str
    issues: tuple[Issue, ...] = ()
    block: Block | None = None
    vanished: tuple[Vanished, ...] = ()
    transition: Transition | None = None

    def found(self, code: str) -> Iterator[Finding]:
        """Yield a finding for each issue whose code is `code`, at most `MOST`."""
        for issue in islice((issue for issue in self.issues if issue.code == code), MOST):
            yield Finding(
                message=issue.message,
                at=issue.span,
                hint=issue.hint,
                fix=issue.fix,
                fix_title=issue.fix_title,
            )

    def span(self, _pointer: str = "", /) -> Span:
        """Return the whole text: it has no values that a pointer could name."""
        return Span(0, len(self.text))

    def key_span(self, _pointer: str = "", /) -> Span:
        """Return the whole text."""
        return Span(0, len(self.text))


def units(conversation: Conversation, options: Options) -> Iterator[Part]:
    """Yield the parts of all records in order: instruction, previous block, next block."""
    for turn in conversation.turns:
        if turn.role == "assistant":
            yield answer(turn.index, turn.content, "/content")
    trace = cycles(conversation, options)
    silent = sum(_undeclared(cycle) for cycle in trace)
    for number, cycle in enumerate(trace):
        record = cycle.record
        if record.instr is not None:
            issues = _of_instruction(record.instr, cycle)
            yield Part(
                index=record.index, text=record.instr, pointer="/instr", issues=tuple(issues)
            )
        if record.previous is not None and cycle.before is not None:
            issues = _of_previous(cycle, cycle.before, first=number == 0)
            yield Part(
                index=record.index, text=record.previous, pointer="/previous", issues=tuple(issues)
            )
        # What holds for every cycle of the trace is said of the first.
        said = _of_transition(cycle, silent)
        silent = 0 if _undeclared(cycle) else silent
        yield Part(
            index=record.index,
            text=record.next,
            pointer="/next",
            issues=(*cycle.answer.issues, *said),
            block=cycle.answer,
            vanished=cycle.vanished,
            transition=cycle.transition,
        )


def answer(index: int, text: str, pointer: str) -> Part:
    """Return an answer that is judged alone."""
    block = read(text)
    return Part(index=index, text=text, pointer=pointer, issues=block.issues, block=block)


def parsed(part: Part) -> dict[str, object] | None:
    """Return what DESIGN §4 says of an answer, None of one in doubt and of other parts."""
    return blocks.parsed(part.block) if part.block else None


def _undeclared(cycle: Cycle) -> bool:
    return cycle.transition is not None and cycle.transition.unjudged == UNDECLARED


def _of_instruction(text: str, cycle: Cycle) -> Iterator[Issue]:
    if not PREFIX.match(text):
        message = "the instruction does not begin with `INSTR:`"
        hint = "begin with `INSTR:`, by which an assistant knows it from other text"
        yield Issue(code="PLSP040", message=message, span=Span(0, len(text)), hint=hint)
    if text.count('"') % 2:
        at = text.rindex('"')
        message = "the string that begins here is not closed"
        hint = 'close it by `"`'
        yield Issue(code="PLSP041", message=message, span=Span(at, at + 1), hint=hint)
    elif cycle.instruction is not None and cycle.instruction.fault:
        instruction = cycle.instruction
        hint = f"the dialect is declared as `{cycle.imf}`; its grammar is on the page about PLSP"
        yield Issue(code="PLSP042", message=instruction.fault, span=instruction.span, hint=hint)
    step = cycle.transition
    if step is not None and step.impossible:
        hint = f"the state that was sent is {cycle.record.previous or FIRST}"
        yield Issue(code="PLSP043", message=step.impossible, span=step.span, hint=hint)


def _of_previous(cycle: Cycle, before: Block, *, first: bool) -> Iterator[Issue]:
    if cycle.linked:
        return  # what is wrong with it was said of the answer that it is
    yield from before.issues
    if before.statements and first:
        message = "the first cycle does not start from an empty block"
        hint = f"a loop starts from {FIRST}; this may be a part of a longer trace"
        yield Issue(code="PLSP031", message=message, span=before.span, hint=hint)
    elif before.statements:
        message = "this is not the block that the cycle before answered"
        hint = "send the last block as it is: nothing else is remembered"
        yield Issue(code="PLSP032", message=message, span=before.span, hint=hint)


def _of_transition(cycle: Cycle, silent: int) -> Iterator[Issue]:
    """Yield why a step was not judged.

    `silent` counts those of the trace without a dialect; it is 0 when that was said before.
    """
    if cycle.transition is None or not cycle.transition.unjudged:
        return
    reason = cycle.transition.unjudged
    hint = ""
    if reason == UNDECLARED:
        if not silent:
            return
        reason += f", here and in {silent - 1} more" if silent > 1 else ""
        hint = 'psreg judges instructions that are declared as imf = "psreg-1"'
    message = f"transition not judged: {reason}"
    yield Issue(code="PLSP045", message=message, span=cycle.answer.span, hint=hint)
