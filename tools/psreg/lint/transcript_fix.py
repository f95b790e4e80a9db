"""Applies the fixes that the rules of a protocol offer, to a copy of a conversation.

The copy has one JSON object per line. All members of the records stay as they are, but for the
texts that are fixed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from psreg.core.diagnostics import Diagnostic
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
from psreg.lint.fix import MAX_PASSES, apply
from psreg.lint.transcript import TranscriptReport


def fixed_conversation(
    conversation: Conversation, check: Callable[[Conversation], TranscriptReport]
) -> tuple[Conversation, int]:
    """Return the conversation after all fixes, and how many were applied.

    `check` judges a conversation; a fix is offered as long as its finding is there.
    """
    records = _records(conversation)
    number, passes, done = 0, 0, 1
    while done and passes < MAX_PASSES:
        done = sum(_fix(records, found) for found in _offered(check(conversation)).items())
        conversation = _conversation(conversation, records)
        number, passes = number + done, passes + 1
    return conversation, number


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
