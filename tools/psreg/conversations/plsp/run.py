"""The middleware of a PLSP loop: instruct, ask, read the block, carry out what it asks for.

The state lives in the block alone. An answer that leaves its block in doubt ends the loop, because
there is nothing to go on from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.conversations.model import Ask, ChatRequest, Message
from psreg.conversations.plsp.actions import Outside, carry_out
from psreg.conversations.plsp.program import Program
from psreg.core.errors import FindingsError
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.conversation import CycleRecord as Record
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocols import DIALECT
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import EMPTY_BLOCK
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.system_prompt import cycle_message, system_prompt
from psreg.protocols.plsp.writer import canonical

UNREADABLE = "unreadable"
STOPPED = "stopped"
SPENT = "max-cycles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """One cycle that was run.

    `notes` say what became of its commands; `fetched` are variables that the next instruction is
    to set, as lexemes; `ended` is why it was the last one, "" if it was not.
    """

    instr: str
    previous: str
    next: str
    notes: tuple[str, ...] = ()
    fetched: Mapping[str, str] = field(default_factory=dict)
    ended: str = ""

    def record(self, imf: str) -> dict[str, Any]:
        """Return the line of the trace (DESIGN §2); what is empty is left out."""
        line: dict[str, Any] = {"instr": self.instr, "previous": self.previous, "next": self.next}
        more = {"imf": imf, "fetched": dict(self.fetched), "notes": list(self.notes)}
        return line | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a loop begins: after `cycles` that were run before, with the block of the last one."""

    block: str = EMPTY_BLOCK
    cycles: int = 0
    fetched: Mapping[str, str] = field(default_factory=dict)


def start_after(conversation: Conversation, path: str) -> Start:
    """Return where the loop goes on whose trace is `conversation`.

    Raises:
        FindingsError: NO_TRACE, if it is none; NO_STATE, if its last block is in doubt.
    """
    records = trace_of(conversation, path)
    block = canonical(read_block(records[-1].next))
    if block is None:
        hint = f"psreg transcript {path} --protocol plsp says what is wrong with it"
        raise FindingsError("NO_STATE", f"the last block of {path} cannot be read", hint)
    fetched = records[-1].record.get("fetched")
    known = fetched.items() if isinstance(fetched, dict) else ()
    return Start(
        block=block,
        cycles=len(records),
        fetched={name: value for name, value in known if _settable(name, value)},
    )


def trace_of(conversation: Conversation, path: str) -> tuple[Record, ...]:
    """Return the records of a trace, at least one.

    Raises:
        FindingsError: NO_TRACE.
    """
    if conversation.kind is not Kind.PLSP or conversation.issues or not conversation.cycles:
        why = next((f": {issue.message}" for issue in conversation.issues), "")
        hint = 'a line of a trace is {"instr": …, "previous": …, "next": …}'
        raise FindingsError("NO_TRACE", f"{path} is no trace of a PLSP loop{why}", hint)
    return conversation.cycles


def _settable(name: str, value: Any) -> bool:
    literal = isinstance(value, str) and grammar.LITERALS.fullmatch(value)
    return bool(literal and grammar.LONG.fullmatch(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop that can be run: what to say, to whom, and with which means."""

    program: Program
    ask: Ask
    outside: Outside
    imf: str = DIALECT
    model: str = ""

    def run(self, start: Start, max_cycles: int) -> Iterator[Cycle]:
        """Yield the cycles as they happen; the last one says why it is.

        Raises:
            EndpointError: there is no answer.
        """
        block, fetched = start.block, start.fetched
        number, ended = start.cycles, ""
        while not ended:
            number += 1
            last = SPENT if number >= start.cycles + max_cycles else ""
            cycle = self._cycle(number - 1, block, fetched, last)
            yield cycle
            block, fetched = canonical(read_block(cycle.next)) or EMPTY_BLOCK, cycle.fetched
            ended = cycle.ended

    def _cycle(self, number: int, previous: str, fetched: Mapping[str, str], ended: str) -> Cycle:
        before = "".join(f"@set:${name}={value};" for name, value in fetched.items())
        instr = self.program.instruction(number, before)
        system = Message(role="system", content=system_prompt(dialect=self.imf == DIALECT))
        user = Message(role="user", content=cycle_message(instr, previous))
        answer = self.ask(ChatRequest(messages=(system, user), model=self.model)).text
        block = read_block(answer)
        if not block.readable:
            return Cycle(instr=instr, previous=previous, next=answer, ended=UNREADABLE)
        done = list(carry_out(block, self.outside))
        return Cycle(
            instr=instr,
            previous=previous,
            next=answer,
            notes=tuple(each.note for each in done),
            fetched={each.variable: each.value for each in done if each.variable},
            ended=STOPPED if any(each.stop for each in done) else ended,
        )


def conversation_of(cycles: list[Cycle], imf: str) -> Conversation:
    """Return what was run as a conversation that can be judged."""
    records = (
        Record(
            index=index,
            line=index + 1,
            instr=cycle.instr,
            previous=cycle.previous,
            next=cycle.next,
            record=cycle.record(imf),
        )
        for index, cycle in enumerate(cycles)
    )
    return Conversation(kind=Kind.PLSP, cycles=tuple(records))
