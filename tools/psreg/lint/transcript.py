"""Judge a recorded conversation by the rules of a protocol, message by message.

Pure: a conversation in, findings and what was understood out. Lines and columns of a finding count
inside its message, which is what a model wrote and a person reads; `in_file` moves them to the
record's line for those who look at the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from psreg.core.diagnostics import ERROR, Diagnostic, LineIndex, Mode, Position, Report
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.documents import PlainText
from psreg.formats.protocols import numbers
from psreg.lint.locate import judge as judge_by
from psreg.protocols import PROTOCOLS
from psreg.protocols.protocol import ConversationProtocol, Options, Unit
from psreg.protocols.versions import PROTO_RULES, Recording, row_for

_WORDS = {Kind.TRANSCRIPT: "turn", Kind.PLSP: "cycle", Kind.PB2S: "exchange"}
"""What people call a record of each kind of file."""

_WRITTEN = ("content", "next", "text")
"""The members of records that hold what a model wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One record that was judged: a turn, a cycle, an exchange.

    `index` counts the records of the file from 0, `line` its lines from 1; `role` is "" where
    nobody has one; `parsed` is what DESIGN §4 says of what could be understood.
    """

    index: int
    line: int
    role: str
    diagnostics: tuple[Diagnostic, ...]
    parsed: tuple[Mapping[str, Any], ...]

    @property
    def sound(self) -> bool:
        """Whether it breaks no rule: warnings and notes do not count."""
        return not any(d.severity is ERROR for d in self.diagnostics)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptReport:
    """What the rules say of one conversation.

    `version` is that of the rules, "" where none fit; `word` is what a record is called. `report`
    holds the findings about the file, which are in `about`, and those about all `messages`.
    """

    report: Report
    protocol: str
    version: str
    word: str
    about: tuple[Diagnostic, ...]
    messages: tuple[Message, ...]

    @property
    def parsed(self) -> tuple[Mapping[str, Any], ...]:
        """What was understood, of every message that could be."""
        return tuple(value for message in self.messages for value in message.parsed)

    @property
    def answers(self) -> tuple[Message, ...]:
        """The messages that a model wrote."""
        return tuple(message for message in self.messages if message.role != "user")


def judge(
    conversation: Conversation,
    protocol: str,
    *,
    version: str = "",
    mode: Mode = Mode.STRICT,
    imf: str = "",
    path: str = "",
) -> TranscriptReport:
    """Return what the rules of `protocol`, a name in `PROTOCOLS`, say of `conversation`.

    `version` is the declared one, "" for what the file says, or else the latest; `imf` is the
    dialect of PLSP instructions; `path` is what diagnostics call the file.
    """
    declared = _two_numbers(version or conversation.declared)
    row = row_for(PROTOCOLS, protocol, declared)
    messages: tuple[Message, ...] = ()
    if row:
        options = Options(version=row.version, declared=declared, mode=mode, imf=imf)
        messages = tuple(_messages(conversation, row, options, path))
    recording = Recording(
        conversation=conversation,
        protocol=protocol,
        declared=declared,
        known=tuple(known.version for known in PROTOCOLS if known.name == protocol),
        version=row.version if row else "",
        judged=len(messages),
    )
    about = tuple(judge_by(PROTO_RULES, recording, PlainText(conversation.text), path, mode))
    found = (*about, *(d for message in messages for d in message.diagnostics))
    return TranscriptReport(
        report=Report(checked=1, diagnostics=found),
        protocol=protocol,
        version=recording.version,
        word=_WORDS[conversation.kind],
        about=about,
        messages=messages,
    )


def _two_numbers(version: str) -> str:
    found = numbers(version)
    return f"{found[0]}.{found[1]}" if found else version


def _messages(
    conversation: Conversation, row: ConversationProtocol, options: Options, path: str
) -> Iterator[Message]:
    """Yield the records of which the protocol judges something, in order."""
    places = {turn.index: (turn.line, turn.role) for turn in conversation.turns}
    places |= {each.index: (each.line, "") for each in conversation.blocks}
    places |= {each.index: (each.line, "") for each in conversation.exchanges}
    for index, group in groupby(row.units(conversation, options), lambda unit: unit.index):
        units = list(group)
        line, role = places[index]
        values = map(row.parsed, units)
        yield Message(
            index=index,
            line=line,
            role=role,
            diagnostics=tuple(d for unit in units for d in _of_unit(row, unit, path, options.mode)),
            parsed=tuple(value for value in values if value is not None),
        )


def _of_unit(row: ConversationProtocol, unit: Unit, path: str, mode: Mode) -> Iterator[Diagnostic]:
    """Yield the findings about one text, in order; each points into its record."""
    found = judge_by(row.rules, unit, unit, path, mode)
    for diagnostic in sorted(found, key=lambda d: (d.start, d.code, d.message)):
        pointer = diagnostic.pointer or unit.pointer
        yield replace(diagnostic, pointer=f"/{unit.index}{pointer}")


def place_of(found: TranscriptReport, diagnostic: Diagnostic) -> str:
    """Return what people call the text a finding about a message is in: `turn 2`, `cycle 1 instr`.

    The member of the record is named where it is not what the model wrote.
    """
    index, _, member = diagnostic.pointer.removeprefix("/").partition("/")
    return f"{found.word} {int(index) + 1}{'' if member in _WRITTEN else f' {member}'}"


def in_file(found: TranscriptReport, conversation: Conversation) -> Report:
    """Return the report of `found` for those who look at the file and not at a message.

    A finding stands at the line of its record and says where in the message it is. Nothing is
    left to be mended by a machine: it would have to write in two languages at once.
    """
    lines = LineIndex(conversation.text)
    moved = [*found.about]
    for message in found.messages:
        text = lines.line(message.line)
        for d in message.diagnostics:
            place = f"{place_of(found, d)}, line {d.start.line}:{d.start.column}"
            moved.append(
                replace(
                    d,
                    message=f"{place}: {d.message}",
                    start=Position(message.line, 1),
                    end=Position(message.line, len(text) + 1),
                    excerpt=text,
                    fix=None,
                )
            )
    return replace(found.report, diagnostics=tuple(moved))
