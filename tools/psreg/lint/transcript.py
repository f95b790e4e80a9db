"""Checks a recorded conversation with the rules of a protocol, message by message.

Lines and columns of a finding count inside its message, which is what a model wrote and a person
reads. `file_report` moves them to the line of the record, for people and programs that look at the
file.

Fixes are applied to a copy of the conversation, which has one JSON object per line. All members of
its records stay as they are, but for the texts that are fixed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from psreg.core.diagnostics import (
    ERROR,
    Diagnostic,
    LineIndex,
    Mode,
    PlainText,
    Position,
    Report,
    Severity,
)
from psreg.core.errors import UsageError
from psreg.formats.conversation import json_lines
from psreg.formats.conversation.conversation import (
    Conversation,
    CycleRecord,
    Exchange,
    Record,
    Turn,
    conversation_of,
)
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocol_versions import version_numbers
from psreg.lint.fix import MAX_PASSES, apply
from psreg.lint.locate import LISTED_IN_ALL
from psreg.lint.locate import judge as judge_by
from psreg.protocols import PROTOCOLS
from psreg.protocols.conversation_rules import PROTO_RULES, Recording, protocol_for
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.stats import Stats, stats
from psreg.protocols.protocol import ConversationProtocol, Options, Unit

_RECORD_NAMES = {Kind.TRANSCRIPT: "turn", Kind.PLSP: "cycle", Kind.PB2S: "exchange"}
"""What a record of each kind of file is called."""

_MODEL_MEMBERS = ("content", "next", "text")
"""The members of a record that a model wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One checked record: a turn, a cycle, or an exchange.

    `index` counts the records of the file from 0, `line` its lines from 1. `role` is "" if the
    kind of record has none; `units` are its texts as `protocol` reads them. `counts` counts all its
    findings; `diagnostics` are those that are listed here, and not with an earlier message.
    """

    index: int
    line: int
    role: str
    protocol: ConversationProtocol
    units: tuple[Any, ...]
    counts: Mapping[Severity, int]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def sound(self) -> bool:
        """Whether it has no error."""
        return not self.counts[ERROR]

    @property
    def parsed(self) -> tuple[Mapping[str, Any], ...]:
        """Its content as JSON data, as far as it could be parsed."""
        values = map(self.protocol.parsed, self.units)
        return tuple(value for value in values if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptReport:
    """The findings of one conversation.

    `version` is that of the rules, "" if none apply; `record_name` is what a record is called.
    `report` holds `file_diagnostics` and the diagnostics of all `messages`.
    """

    report: Report
    protocol: str
    version: str
    record_name: str
    file_diagnostics: tuple[Diagnostic, ...]
    messages: tuple[Message, ...]

    @property
    def answers(self) -> tuple[Message, ...]:
        """The messages that a model wrote."""
        return tuple(message for message in self.messages if message.role != "user")


def check_transcript(
    conversation: Conversation,
    protocol: str,
    *,
    version: str = "",
    mode: Mode = Mode.STRICT,
    imf: str = "",
    documented: bool = False,
    path: str = "",
    room: int = LISTED_IN_ALL,
) -> TranscriptReport:
    """Check `conversation` with the rules of `protocol`, a name in `PROTOCOLS`.

    `version` is the declared one; "" means the one that the file states, or else the latest. `imf`
    is the dialect of PLSP instructions, `documented` says that the temperature of PB2S is
    documented; `path` is the path of the file in diagnostics. After `room` findings, one more of
    each rule and severity is listed, which counts the others.
    """
    declared = _two_numbers(version or conversation.declared)
    row = protocol_for(PROTOCOLS, protocol, declared)
    messages: tuple[Message, ...] = ()
    if row:
        options = Options(
            version=row.version, declared=declared, mode=mode, imf=imf, documented=documented
        )
        found = _messages(conversation, row, options, path, room)
        messages = tuple(_folded(found, room))
    recording = Recording(
        conversation=conversation,
        protocol=protocol,
        declared=declared,
        known=tuple(known.version for known in PROTOCOLS if known.name == protocol),
        version=row.version if row else "",
        checked=len(messages),
    )
    file_diagnostics = tuple(
        judge_by(PROTO_RULES, recording, PlainText(conversation.text), path, mode)
    )
    return TranscriptReport(
        report=_report(file_diagnostics, messages),
        protocol=protocol,
        version=recording.version,
        record_name=_RECORD_NAMES[conversation.kind],
        file_diagnostics=file_diagnostics,
        messages=messages,
    )


def shortened(found: TranscriptReport) -> TranscriptReport:
    """Return a report with as many findings as are listed by default."""
    messages = tuple(_folded(found.messages, LISTED_IN_ALL))
    return replace(found, report=_report(found.file_diagnostics, messages), messages=messages)


def _report(diagnostics: tuple[Diagnostic, ...], messages: tuple[Message, ...]) -> Report:
    of_messages = (d for message in messages for d in message.diagnostics)
    return Report(checked=1, diagnostics=(*diagnostics, *of_messages))


def _two_numbers(version: str) -> str:
    found = version_numbers(version)
    return f"{found[0]}.{found[1]}" if found else version


def _messages(
    conversation: Conversation, row: ConversationProtocol, options: Options, path: str, room: int
) -> Iterator[Message]:
    """Yield the records that the protocol applies to, in order, with their findings."""
    located = {turn.index: (turn.line, turn.role) for turn in conversation.turns}
    located |= {each.index: (each.line, "") for each in conversation.cycles}
    located |= {each.index: (each.line, "") for each in conversation.exchanges}
    for index, group in groupby(row.units(conversation, options), lambda unit: unit.index):
        units = tuple(group)
        line, role = located[index]
        found: list[Diagnostic] = []
        for unit in units:
            found += _unit_diagnostics(row, unit, path, options.mode, max(0, room - len(found)))
        room -= len(found)
        report = Report(checked=1, diagnostics=tuple(found))
        yield Message(
            index=index,
            line=line,
            role=role,
            protocol=row,
            units=units,
            counts={severity: report.count(severity) for severity in Severity},
            diagnostics=report.diagnostics,
        )


def _folded(messages: Iterable[Message], room: int) -> Iterator[Message]:
    """Yield the messages with `room` findings, and then one of each kind, which counts the rest."""
    kept: list[Message] = []
    more: dict[tuple[str, Severity], int] = {}
    first: set[int] = set()
    for message in messages:
        listed = list(message.diagnostics[:room])
        for d in message.diagnostics[room:]:
            kind = (d.code, d.severity)
            if kind in more:
                more[kind] += 1 + d.more
            else:
                more[kind] = 0
                first.add(id(d))
                listed.append(d)
        room = max(0, room - len(listed))
        kept.append(replace(message, diagnostics=tuple(listed)))
    for message in kept:
        listed = [
            _with_more(d, more[d.code, d.severity]) if id(d) in first else d
            for d in message.diagnostics
        ]
        yield replace(message, diagnostics=tuple(listed))


def _with_more(diagnostic: Diagnostic, number: int) -> Diagnostic:
    """Return a diagnostic that stands for `number` others of its rule and severity as well."""
    if not number:
        return diagnostic
    message = f"{diagnostic.message}; and {number:,} more of {diagnostic.code} in this file"
    return replace(diagnostic, message=message, more=diagnostic.more + number)


def _unit_diagnostics(
    row: ConversationProtocol, unit: Unit, path: str, mode: Mode, room: int
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of one unit in order; each points into its record."""
    found = judge_by(row.rules, unit, unit, path, mode, room=room)
    for diagnostic in sorted(found, key=lambda d: (d.start, d.code, d.message)):
        pointer = diagnostic.pointer or unit.pointer
        yield replace(diagnostic, pointer=f"/{unit.index}{pointer}")


def message_label(found: TranscriptReport, diagnostic: Diagnostic) -> str:
    """Return the name of the text that a diagnostic of a message is about: `turn 2`.

    The member of the record is added if the model did not write it: `cycle 1 instr`.
    """
    index, _, member = diagnostic.pointer.removeprefix("/").partition("/")
    return f"{found.record_name} {int(index) + 1}{'' if member in _MODEL_MEMBERS else f' {member}'}"


def file_report(found: TranscriptReport, conversation: Conversation) -> Report:
    """Return the report of `found` with positions in the file instead of the messages.

    A finding is at the line of its record, and its message says where in the text it is. Fixes are
    dropped, because they would have to escape the text for JSON.
    """
    lines = LineIndex(conversation.text)
    moved = [*found.file_diagnostics]
    for message in found.messages:
        text = lines.line(message.line)
        for d in message.diagnostics:
            where = f"{message_label(found, d)}, line {d.start.line}:{d.start.column}"
            moved.append(
                replace(
                    d,
                    message=f"{where}: {d.message}",
                    start=Position(message.line, 1),
                    end=Position(message.line, len(text) + 1),
                    excerpt=text,
                    fix=None,
                )
            )
    return replace(found.report, diagnostics=tuple(moved))


def stats_of(found: TranscriptReport) -> tuple[Stats, ...]:
    """Return the size of every PLSP block that an assistant wrote in a conversation.

    Raises:
        UsageError: NO_STATS, the protocol is not PLSP.
    """
    if found.protocol != PLSP.name:
        raise UsageError(
            "NO_STATS", f"{found.protocol} has no stats", "Use --stats with --protocol plsp."
        )
    return tuple(filter(None, (stats(unit) for each in found.messages for unit in each.units)))


def fixed_conversation(
    conversation: Conversation, check: Callable[[Conversation], TranscriptReport]
) -> tuple[Conversation, TranscriptReport, int]:
    """Return the conversation after all fixes, its report, and how many fixes were applied.

    `check` judges a conversation; a fix is offered as long as its finding is there.
    """
    records = _records(conversation)
    report = check(conversation)
    number, passes, done = 0, 0, 1
    while done and passes < MAX_PASSES:
        done = sum(_fix(records, found) for found in _offered(report).items())
        if done:
            conversation = _conversation(conversation, records)
            report = check(conversation)
        number, passes = number + done, passes + 1
    return conversation, report, number


def json_lines_of(conversation: Conversation) -> str:
    """Return the records of a conversation as JSON Lines."""
    rows = (json.dumps(record, ensure_ascii=False) for record in _records(conversation).values())
    header = json_lines.header_line(conversation.text)
    return "".join(f"{row}\n" for row in (*filter(None, (header,)), *rows))


def _records(conversation: Conversation) -> dict[int, dict[str, Any]]:
    return {each.index: dict(each.record) for each in _kept(conversation)}


def _kept(conversation: Conversation) -> tuple[Turn | CycleRecord | Exchange, ...]:
    return (*conversation.turns, *conversation.cycles, *conversation.exchanges)


def _offered(found: TranscriptReport) -> Mapping[tuple[int, str], list[Diagnostic]]:
    """Return the fixable findings by the record and the member that they are about."""
    fixable: dict[tuple[int, str], list[Diagnostic]] = defaultdict(list)
    for message in found.messages:
        for diagnostic in message.diagnostics:
            if diagnostic.fix:
                member = diagnostic.pointer.rpartition("/")[2]
                fixable[message.index, member].append(diagnostic)
    return fixable


def _fix(
    records: Mapping[int, dict[str, Any]], offered: tuple[tuple[int, str], list[Diagnostic]]
) -> int:
    """Fix one text; return the number of fixes."""
    (index, member), diagnostics = offered
    text = records[index][member]
    data, done = apply(text.encode("utf-8", "surrogatepass"), "", diagnostics)
    fixed = data.decode("utf-8", "surrogatepass")
    records[index][member] = fixed
    return len(done) if fixed != text else 0


def _conversation(old: Conversation, records: Mapping[int, dict[str, Any]]) -> Conversation:
    lines = {each.index: each.line for each in _kept(old)}
    return conversation_of(
        old.kind,
        (
            Record(
                index=index,
                line=lines[index],
                value=record,
                lone=old.kind is Kind.PB2S and "message" not in record,
            )
            for index, record in records.items()
        ),
        text=old.text,
        issues=old.issues,
        declared=old.declared,
    )
