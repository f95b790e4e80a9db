"""The cycles of a trace: how each is linked to the one before, and which variables vanish.

Everything is computed once, in time linear in the trace. A cycle is linked to the one before if it
was sent the block of that cycle, in any spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.conversation import CycleRecord as Record
from psreg.formats.protocol_versions import DIALECT
from psreg.protocols.plsp import dialect, transition
from psreg.protocols.plsp.block import Block, canonical
from psreg.protocols.plsp.dialect import Instruction
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.transition import Transition
from psreg.protocols.protocol import Options

_STRING = re.compile(r'"[^"]*+(?:"|\Z)')
_VARIABLE = re.compile(r"\$([A-Za-z0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """A variable that is missing from the next block; `needed_by` is what refers to it, or ""."""

    name: str
    needed_by: str = ""


@dataclass(kw_only=True)
class Cycle:
    """One record of a trace, with the block that was sent and its link to the cycle before."""

    record: Record
    answer: Block
    imf: str
    previous: Block | None = None
    linked: bool = False
    vanished: tuple[Vanished, ...] = ()

    @cached_property
    def instruction(self) -> Instruction | None:
        """The parsed instruction, None if its dialect is unknown."""
        known = self.record.instr is not None and self.imf == DIALECT
        return dialect.read_instruction(self.record.instr or "") if known else None

    @cached_property
    def transition(self) -> Transition | None:
        """The check of the transition; None without an instruction or a readable answer."""
        if self.record.instr is None or not self.answer.readable:
            return None
        if self.instruction and self.previous and not self._reason():
            return transition.check_transition(
                self.instruction, self.previous, self.answer, self.record.record
            )
        return Transition(unchecked=self._reason())

    def _reason(self) -> str:
        """Return why the transition cannot be checked, or ""."""
        if not self.imf:
            return UNDECLARED
        if self.instruction is None:
            return f"unknown dialect `{self.imf[:40]}`"
        if self.instruction.fault:
            return "the instruction is not in the declared dialect"
        if self.previous is None:
            return "the previous block is not recorded"
        return "" if self.previous.readable else "the previous block cannot be read"

    def mentions(self) -> frozenset[str]:
        """Return the variables that the instruction refers to outside strings."""
        if self.instruction is not None and not self.instruction.fault:
            return frozenset(dialect.variables_read(self.instruction.directives))
        return frozenset(_VARIABLE.findall(_STRING.sub(" ", self.record.instr or "")))


UNDECLARED = "no dialect of instructions is declared"


def cycles(conversation: Conversation, options: Options) -> list[Cycle]:
    """Return the cycles of a trace; `imf` of a record declares the dialect from there on."""
    found: list[Cycle] = []
    imf = options.imf
    for record in conversation.cycles:
        named = record.record.get("imf")
        imf = named if isinstance(named, str) else imf
        last = found[-1] if found else None
        cycle = Cycle(record=record, answer=read_block(record.next), imf=imf)
        if record.previous is not None:
            identical = last is not None and last.record.next == record.previous
            cycle.previous = last.answer if identical and last else read_block(record.previous)
            cycle.linked = identical or (
                last is not None and _same_block(last.answer, cycle.previous)
            )
        found.append(cycle)
    _find_vanished(found)
    return found


def _same_block(one: Block, other: Block) -> bool:
    return one.readable and canonical(one) == canonical(other)


def _find_vanished(trace: list[Cycle]) -> None:
    """Set which variables vanish in each cycle, and what refers to them later (PLSP-A13)."""
    needed: dict[str, int] = {}
    after: Cycle | None = None
    for cycle in reversed(trace):
        mentioned: frozenset[str] = frozenset()
        if after is not None and after.linked:
            mentioned = after.mentions()
        else:
            needed.clear()
        cycle.vanished = tuple(
            Vanished(name=name, needed_by=_needed_by(name, mentioned, needed))
            for name in _missing(cycle)
        )
        for name in cycle.answer.state:
            needed.pop(name, None)
        for issue in cycle.answer.issues:
            if issue.code == "PLSP019":
                name = cycle.answer.text[issue.span.start + 1 : issue.span.end]
                needed[name] = cycle.record.line
        after = cycle


def _missing(cycle: Cycle) -> Iterator[str]:
    """Yield the variables that the answer lacks, if both blocks are readable."""
    if cycle.previous is not None and cycle.previous.readable and cycle.answer.readable:
        yield from (name for name in cycle.previous.state if name not in cycle.answer.state)


def _needed_by(name: str, mentioned: frozenset[str], needed: dict[str, int]) -> str:
    if name in mentioned:
        return "the next instruction"
    return f"the block of line {needed[name]}" if name in needed else ""
