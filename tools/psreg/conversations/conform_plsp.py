"""The conformance run for PLSP: a program whose next blocks are known, then invalid instructions.

Each cycle is a separate chat, as the protocol requires: the instruction and the previous block,
without any earlier messages. The previous block is always the correct one, whatever the endpoint
answered, so that one mistake is counted once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from psreg.conversations.conform_run import Probe, Run, finish_member
from psreg.conversations.model import ChatReply, Message
from psreg.core.diagnostics import ERROR, Diagnostic, Mode
from psreg.formats.conversation.conversation import Conversation, CycleRecord
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocol_versions import DIALECT
from psreg.lint.locate import judge
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.block import EMPTY_BLOCK
from psreg.protocols.plsp.system_prompt import cycle_message, system_prompt
from psreg.protocols.protocol import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One cycle to test. `imf` is "" if only the form of the next block is known."""

    id: str
    instr: str
    previous: str = EMPTY_BLOCK
    imf: str = DIALECT


PROGRAM: tuple[Exercise, ...] = (
    Exercise(id="first", instr='INSTR: @set:$p="run";@set:$t=75;@set:$l=70;'),
    Exercise(id="carry", instr="INSTR: @upd:$t=80;", previous='S{$p:"run";$t:75;$l:70;}S'),
    Exercise(
        id="compute", instr="INSTR: @upd:$l=$t;@upd:$t=$t+5;", previous='S{$p:"run";$t:80;$l:70;}S'
    ),
    Exercise(
        id="signal", instr="INSTR: @sig:!wait,5000;", previous='S{$p:"run";$t:85;$l:80;!stop;}S'
    ),
    Exercise(
        id="choose",
        instr='INSTR: @if:$t>80?@set:$p="hot":@set:$p="cool";',
        previous='S{$p:"run";$t:85;$l:80;}S',
    ),
    Exercise(
        id="literal",
        instr='INSTR: @set:$m="T:$t; #1, }S";',
        previous='S{$p:"hot";$t:85;}S',
    ),
)
"""The canonical program: every directive that needs no tool, and a string of special characters."""

ERROR_PATH: tuple[Exercise, ...] = (
    Exercise(id="unknown", instr="INSTR: @frobnicate:$t;", previous="S{$t:85;}S", imf=""),
    Exercise(id="talk", instr="INSTR: How are you today?", previous="S{$t:85;}S", imf=""),
)
"""Instructions that no dialect defines: the answer is still one block that keeps the state."""


def probes(run: Run) -> Iterator[Probe]:
    """Yield a probe for each exercise, in order; the caller's prompts replace the program.

    Raises:
        EndpointError: the endpoint gave no usable answer.
    """
    given = tuple(
        Exercise(id=prompt.id, instr=f"INSTR: {prompt.message.removeprefix('INSTR:').strip()}")
        for prompt in run.prompts
    )
    system = Message(role="system", content=system_prompt())
    for exercise in (*(given or PROGRAM), *ERROR_PATH):
        said = cycle_message(exercise.instr, exercise.previous)
        asked = (system, Message(role="user", content=said))
        reply = run.reply(asked)
        yield Probe(
            id=exercise.id,
            prompt=said,
            answer=reply.text,
            diagnostics=tuple(_findings(exercise, reply.text)),
            finish=reply.finish,
            records=(_record(exercise, reply),),
        )


def _record(exercise: Exercise, reply: ChatReply) -> dict[str, str]:
    cycle = {"instr": exercise.instr, "previous": exercise.previous, "next": reply.text}
    return {"imf": exercise.imf, **cycle, **finish_member(reply)}


def _findings(exercise: Exercise, answer: str) -> Iterator[Diagnostic]:
    """Yield the findings about the answer; the rest of the cycle is psreg's own."""
    record = CycleRecord(
        index=0, line=1, instr=exercise.instr, previous=exercise.previous, next=answer
    )
    conversation = Conversation(kind=Kind.PLSP, cycles=(record,))
    options = Options(version=PLSP.version, imf=exercise.imf)
    for part in PLSP.units(conversation, options):
        if part.block is not None:
            found = judge(PLSP.rules, part, part, exercise.id, Mode.STRICT)
            yield from (_strict(d) for d in found if exercise.imf or d.code != "PLSP045")


def _strict(diagnostic: Diagnostic) -> Diagnostic:
    """Return the finding, as an error if a variable is lost: these programs need all of them."""
    lost = diagnostic.code == "PLSP030"
    return replace(diagnostic, severity=ERROR) if lost else diagnostic
