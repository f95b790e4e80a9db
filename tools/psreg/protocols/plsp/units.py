"""The units of a trace that rules check: the instruction, previous and next block of each cycle.

A part carries everything that is needed to check it. An answer in a dialogue is checked as a block
alone, and so is a record with `next` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Finding, Issue, Span
from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.plsp import block as blocks
from psreg.protocols.plsp.block import EMPTY_BLOCK, Block
from psreg.protocols.plsp.dialect import PREFIX
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.trace import UNDECLARED, Cycle, Vanished, cycles
from psreg.protocols.plsp.transition import Transition
from psreg.protocols.protocol import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One text of a record: an instruction, or a block that was sent or answered.

    Only an answer has a `block`, and in a trace its `cycle`. `issues` are about the text and its
    position in the trace.
    """

    index: int
    text: str
    pointer: str
    issues: tuple[Issue, ...] = ()
    block: Block | None = None
    cycle: Cycle | None = None
    vanished: tuple[Vanished, ...] = ()
    transition: Transition | None = None

    def found(self, code: str) -> Iterator[Finding]:
        """Yield a finding for each issue whose code is `code`."""
        return (issue.finding for issue in self.issues if issue.code == code)

    def span(self, _pointer: str = "", /) -> Span:
        """Return the whole text, which has no members."""
        return Span(0, len(self.text))

    key_span = span


def units(conversation: Conversation, options: Options) -> Iterator[Part]:
    """Yield the parts of all records in order: instruction, previous block, next block."""
    for turn in conversation.turns:
        if turn.role == "assistant":
            yield answer(turn.index, turn.content, "/content")
    trace = cycles(conversation, options)
    undeclared = sum(_undeclared(cycle) for cycle in trace)
    for number, cycle in enumerate(trace):
        record = cycle.record
        if record.instr is not None:
            issues = _instruction_issues(record.instr, cycle)
            yield Part(
                index=record.index, text=record.instr, pointer="/instr", issues=tuple(issues)
            )
        if record.previous is not None and cycle.previous is not None:
            issues = _previous_issues(cycle, cycle.previous, first=number == 0)
            yield Part(
                index=record.index, text=record.previous, pointer="/previous", issues=tuple(issues)
            )
        # What applies to every cycle of the trace is reported once.
        said = _transition_issues(cycle, undeclared)
        undeclared = 0 if _undeclared(cycle) else undeclared
        yield Part(
            index=record.index,
            text=record.next,
            pointer="/next",
            issues=(*cycle.answer.issues, *said),
            block=cycle.answer,
            cycle=cycle,
            vanished=cycle.vanished,
            transition=cycle.transition,
        )


def answer(index: int, text: str, pointer: str) -> Part:
    """Return an answer that is checked alone."""
    block = read_block(text)
    return Part(index=index, text=text, pointer=pointer, issues=block.issues, block=block)


def parsed(part: Part) -> dict[str, object] | None:
    """Return the content of an answer; None if it is not readable, or for another part."""
    return blocks.parsed(part.block) if part.block else None


def _undeclared(cycle: Cycle) -> bool:
    return cycle.transition is not None and cycle.transition.unchecked == UNDECLARED


def _instruction_issues(text: str, cycle: Cycle) -> Iterator[Issue]:
    if not PREFIX.match(text):
        message = "the instruction does not begin with `INSTR:`"
        hint = "Begin the instruction with `INSTR:`."
        yield Issue(code="PLSP040", message=message, span=Span(0, len(text)), hint=hint)
    if text.count('"') % 2:
        at = text.rindex('"')
        message = "the string that begins here is not closed"
        hint = 'Close it with `"`.'
        yield Issue(code="PLSP041", message=message, span=Span(at, at + 1), hint=hint)
    elif cycle.instruction is not None and cycle.instruction.fault:
        instruction = cycle.instruction
        hint = f"Follow the grammar of `{cycle.imf}` on the page about PLSP."
        yield Issue(code="PLSP042", message=instruction.fault, span=instruction.span, hint=hint)
    step = cycle.transition
    if step is not None and step.impossible:
        hint = f"Compare it with the state that was sent: {cycle.record.previous or EMPTY_BLOCK}."
        yield Issue(code="PLSP043", message=step.impossible, span=step.span, hint=hint)


def _previous_issues(cycle: Cycle, previous: Block, *, first: bool) -> Iterator[Issue]:
    if cycle.linked:
        return  # its issues are reported for the answer that it repeats
    yield from previous.issues
    if previous.statements and first:
        message = "the first cycle does not start from an empty block"
        hint = f"Start the loop from `{EMPTY_BLOCK}`, or record it from its beginning."
        yield Issue(code="PLSP031", message=message, span=previous.span, hint=hint)
    elif previous.statements:
        message = "this is not the block that the previous cycle answered"
        hint = "Send the last block unchanged."
        yield Issue(code="PLSP032", message=message, span=previous.span, hint=hint)


def _transition_issues(cycle: Cycle, undeclared: int) -> Iterator[Issue]:
    """Yield why a transition was not checked.

    `undeclared` counts the transitions of the trace without a dialect, 0 if they were reported.
    """
    if cycle.transition is None or not cycle.transition.unchecked:
        return
    reason = cycle.transition.unchecked
    hint = ""
    if reason == UNDECLARED:
        if not undeclared:
            return
        reason += f", here and in {undeclared - 1} more" if undeclared > 1 else ""
        hint = 'Declare `imf = "psreg-1"` if the instructions follow that dialect.'
    message = f"transition not checked: {reason}"
    yield Issue(code="PLSP045", message=message, span=cycle.answer.span, hint=hint)
