"""The middleware of a PLSP loop: instruct, ask, read the block, carry out its commands.

A program is a text with the instruction of one cycle on each line; blank lines and lines that begin
with `#` are ignored. After the last line its instruction is repeated in every cycle, so a program
of one line is a loop.

The block is the only state. An answer without a readable block ends the loop, because there is
no state to continue from, and so does an answer with text around its block: the protocol allows
none. Every cycle is yielded before its commands are carried out, so that a trace shows them even if
the program is killed while it waits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psreg.conversations.model import Ask, ChatRequest, Message
from psreg.conversations.plsp.actions import ActionPorts, Step, plan
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UsageError
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.conversation import CycleRecord as Record
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocol_versions import DIALECT
from psreg.lint.reports.json import report_document
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import EMPTY_BLOCK, Block, canonical
from psreg.protocols.plsp.dialect import PREFIX, read_instruction
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.system_prompt import cycle_message, system_prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The instructions of the cycles, without the prefix; at least one."""

    instructions: tuple[str, ...]

    def instruction(self, cycle: int, before: str = "") -> str:
        """Return the instruction of a `cycle`, from 0, with the directives `before` it."""
        text = self.instructions[min(cycle, len(self.instructions) - 1)]
        return f"INSTR: {before}{text}"


def program_of(data: bytes, path: str, *, imf: str) -> Program:
    """Return the program in `data`, written in the dialect `imf`, or in any language if "".

    Raises:
        UsageError: BAD_PROGRAM; it has no instruction, or one that is not in the dialect.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        prefix = PREFIX.match(line)
        instruction = line[prefix.end() if prefix else 0 :].strip()
        if not instruction or instruction.startswith("#"):
            continue
        instructed = read_instruction(instruction)
        if imf and instructed.fault:
            place = f"{path}:{number}"
            hint = "Follow the grammar on the page about PLSP, or use `--imf ''` for any language."
            raise UsageError("BAD_PROGRAM", f"{place}: {instructed.fault}", hint)
        found.append(instruction)
    if not found:
        hint = "Write an instruction such as `@set:$a=1;` on each line."
        raise UsageError("BAD_PROGRAM", f"{path} has no instruction", hint)
    return Program(instructions=tuple(found))


UNREADABLE = "unreadable"
TEXT_AROUND = "text-around-block"
CUT = "cut-off"
STOPPED = "stopped"
MAX_CYCLES = "max-cycles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """One cycle of a run.

    `notes` say what its commands lead to; `fetched` are variables for the next instruction to
    set, as lexemes; `ended` is why it is the last one, "" if it is not; `finish` is what cut the
    answer off, "" if nothing did.
    """

    instr: str
    previous: str
    next: str
    notes: tuple[str, ...] = ()
    fetched: Mapping[str, str] = field(default_factory=dict)
    ended: str = ""
    finish: str = ""

    def record(self, imf: str) -> dict[str, Any]:
        """Return the record of the trace; empty members are omitted."""
        line: dict[str, Any] = {"instr": self.instr, "previous": self.previous, "next": self.next}
        more = {"imf": imf, "fetched": dict(self.fetched), "notes": list(self.notes)}
        more["finish_reason"] = self.finish
        return line | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a loop starts: after a number of earlier `cycles`, with the block of the last one."""

    block: str = EMPTY_BLOCK
    cycles: int = 0
    fetched: Mapping[str, str] = field(default_factory=dict)


def start_after(conversation: Conversation, path: str) -> Start:
    """Return where the loop with the trace `conversation` continues.

    Raises:
        FindingsError: NO_TRACE, it is not a trace; NO_STATE, its last block is not readable.
    """
    records = trace_of(conversation, path)
    block = canonical(read_block(records[-1].next))
    if block is None:
        hint = f"Run `psreg transcript {path} --protocol plsp` to see what is wrong."
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
        hint = 'Write each line of a trace as `{"instr": …, "previous": …, "next": …}`.'
        raise FindingsError("NO_TRACE", f"{path} is not a trace of a PLSP loop{why}", hint)
    return conversation.cycles


def _settable(name: str, value: Any) -> bool:
    literal = isinstance(value, str) and grammar.LITERALS.fullmatch(value)
    return bool(literal and grammar.LONG.fullmatch(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop ready to run: its program, the assistant, and the ports for actions."""

    program: Program
    ask: Ask
    ports: ActionPorts
    imf: str = DIALECT
    model: str = ""

    def run(self, start: Start, max_cycles: int) -> Iterator[Cycle]:
        """Yield the cycles as they happen; the last one says why the loop ended.

        The commands of a cycle are carried out when the next one is requested.

        Raises:
            EndpointError: there is no usable answer.
            UnavailableError: an allowed source cannot be read.
        """
        block, fetched = start.block, start.fetched
        number, ended = start.cycles, ""
        while not ended:
            number += 1
            last = MAX_CYCLES if number >= start.cycles + max_cycles else ""
            cycle, steps = self._cycle(number - 1, block, fetched, last)
            yield cycle
            for step in steps:
                if step.carry_out is not None:
                    step.carry_out()
            block, fetched = canonical(read_block(cycle.next)) or EMPTY_BLOCK, cycle.fetched
            ended = cycle.ended

    def _cycle(
        self, number: int, previous: str, fetched: Mapping[str, str], ended: str
    ) -> tuple[Cycle, Sequence[Step]]:
        before = "".join(f"@set:${name}={value};" for name, value in fetched.items())
        instr = self.program.instruction(number, before)
        system = Message(role="system", content=system_prompt(dialect=self.imf == DIALECT))
        user = Message(role="user", content=cycle_message(instr, previous))
        answer = self.ask(ChatRequest(messages=(system, user), model=self.model))
        block = read_block(answer.text)
        refused = _refused(block) or (CUT if answer.cut else "")
        steps = () if refused else tuple(plan(block, self.ports))
        cycle = Cycle(
            instr=instr,
            previous=previous,
            next=answer.text,
            notes=tuple(step.note for step in steps),
            fetched={step.variable: step.value for step in steps if step.variable},
            ended=refused or (STOPPED if any(step.stop for step in steps) else ended),
            finish=answer.finish if answer.cut else "",
        )
        return cycle, steps


def _refused(block: Block) -> str:
    """Return why the loop cannot go on from `block`, or ""."""
    if not block.readable:
        return UNREADABLE
    return TEXT_AROUND if any(issue.code == "PLSP003" for issue in block.issues) else ""


def conversation_of(cycles: list[Cycle], imf: str) -> Conversation:
    """Return the cycles of a run as a conversation, to check it."""
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


RUN_SCHEMA = "psreg.plsp-run/1"

WHY_ENDED = {
    "max-cycles": "all cycles were run",
    "stopped": "the assistant asked to stop",
    "unreadable": "the last block cannot be read",
    "text-around-block": "there is text around the last block",
    "cut-off": "the last answer was cut off at the model's limit",
    "interrupted": "it was interrupted",
}


def trace_line(cycle: Cycle, imf: str) -> str:
    """Return the line of a trace that records `cycle`."""
    return json.dumps(cycle.record(imf), ensure_ascii=False)


def run_document(
    cycles: Sequence[Cycle], report: Report, *, imf: str, ended: str, trace: str | None
) -> dict[str, Any]:
    """Return a run as the JSON object that `psreg plsp run --format json` prints."""
    findings = report_document(report)
    return {
        "schema": RUN_SCHEMA,
        "ended": ended,
        "imf": imf,
        "trace": trace,
        "state": cycles[-1].next if cycles else None,
        "cycles": [
            {
                "instr": cycle.instr,
                "previous": cycle.previous,
                "next": cycle.next,
                "notes": list(cycle.notes),
                "fetched": dict(cycle.fetched),
            }
            for cycle in cycles
        ],
        "counts": findings["counts"],
        "diagnostics": findings["diagnostics"],
    }
