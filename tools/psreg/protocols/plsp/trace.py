"""A trace cycle by cycle: what each takes from its neighbours, and what is lost on the way.

Everything is found out once, in time in proportion to the trace. A cycle is linked to the one
before if it was sent that one's block, in whatever spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from psreg.formats.conversation.conversation import Block as Record
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.protocols import DIALECT
from psreg.protocols.plsp import dialect, transition
from psreg.protocols.plsp.block import Block
from psreg.protocols.plsp.dialect import Instruction
from psreg.protocols.plsp.reading import read
from psreg.protocols.plsp.transition import Transition
from psreg.protocols.plsp.writing import canonical
from psreg.protocols.protocol import Options

_STRING = re.compile(r'"[^"]*+(?:"|\Z)')
_VARIABLE = re.compile(r"\$([A-Za-z0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """A variable that the next block no longer has; `wanted` is what refers to it later, or ""."""

    name: str
    wanted: str = ""


@dataclass(kw_only=True)
class Cycle:
    """One record and what is known of it, with what it takes from its neighbours."""

    record: Record
    answer: Block
    imf: str
    before: Block | None = None
    linked: bool = False
    vanished: tuple[Vanished, ...] = ()

    @cached_property
    def instruction(self) -> Instruction | None:
        """The instruction, if it is in a dialect that psreg knows."""
        known = self.record.instr is not None and self.imf == DIALECT
        return dialect.read(self.record.instr or "") if known else None

    @cached_property
    def transition(self) -> Transition | None:
        """What is to be said of the step; None if there is none, or its answer is in doubt."""
        if self.record.instr is None or not self.answer.readable:
            return None
        if self.instruction and self.before and not self._reason():
            return transition.judge(self.instruction, self.before, self.answer, self.record.record)
        return Transition(unjudged=self._reason())

    def _reason(self) -> str:
        """Return why the step cannot be judged, or ""."""
        if not self.imf:
            return UNDECLARED
        if self.instruction is None:
            return f"psreg does not know the dialect `{self.imf[:40]}`"
        if self.instruction.fault:
            return "the instruction is not in its dialect"
        if self.before is None:
            return "the previous block is not recorded"
        return "" if self.before.readable else "the previous block cannot be read"

    def mentions(self) -> frozenset[str]:
        """Return the variables that the instruction refers to, those outside of strings."""
        if self.instruction is not None and not self.instruction.fault:
            return frozenset(dialect.reads(self.instruction.directives))
        return frozenset(_VARIABLE.findall(_STRING.sub(" ", self.record.instr or "")))


UNDECLARED = "no dialect of instructions is declared"


def cycles(conversation: Conversation, options: Options) -> list[Cycle]:
    """Return the cycles of a trace; a record may name the dialect from it on as `imf`."""
    found: list[Cycle] = []
    imf = options.imf
    for record in conversation.blocks:
        named = record.record.get("imf")
        imf = named if isinstance(named, str) else imf
        last = found[-1] if found else None
        cycle = Cycle(record=record, answer=read(record.next), imf=imf)
        if record.previous is not None:
            verbatim = last is not None and last.record.next == record.previous
            cycle.before = last.answer if verbatim and last else read(record.previous)
            cycle.linked = verbatim or (last is not None and _alike(last.answer, cycle.before))
        found.append(cycle)
    _find_vanished(found)
    return found


def _alike(one: Block, other: Block) -> bool:
    return one.readable and canonical(one) == canonical(other)


def _find_vanished(trace: list[Cycle]) -> None:
    """Fill in which variables are gone, and whether anything wants them back (PLSP-A13)."""
    wanted: dict[str, int] = {}
    after: Cycle | None = None
    for cycle in reversed(trace):
        mentioned: frozenset[str] = frozenset()
        if after is not None and after.linked:
            mentioned = after.mentions()
        else:
            wanted.clear()
        cycle.vanished = tuple(
            Vanished(name=name, wanted=_wanted(name, mentioned, wanted)) for name in _gone(cycle)
        )
        for name in cycle.answer.state:
            wanted.pop(name, None)
        for issue in cycle.answer.issues:
            if issue.code == "PLSP019":
                name = cycle.answer.text[issue.span.start + 1 : issue.span.end]
                wanted[name] = cycle.record.line
        after = cycle


def _gone(cycle: Cycle) -> Iterator[str]:
    """Yield the variables that the answer lacks, where it and what was sent are understood."""
    if cycle.before is not None and cycle.before.readable and cycle.answer.readable:
        yield from (name for name in cycle.before.state if name not in cycle.answer.state)


def _wanted(name: str, mentioned: frozenset[str], wanted: dict[str, int]) -> str:
    if name in mentioned:
        return "the next instruction"
    return f"the block of line {wanted[name]}" if name in wanted else ""
