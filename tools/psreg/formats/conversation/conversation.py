"""A recorded conversation in any of the forms that psreg reads, as typed records.

A conversation is of one kind: turns of a dialogue, cycles of a PLSP trace, or PB2S exchanges.
What cannot be read is an issue, not an exception. Each record keeps its line of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from psreg.core.diagnostics import Issue
from psreg.formats.conversation.json_lines import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a dialogue. `role` is `user`, `assistant` or `system`; `index` is 0-based."""

    index: int
    line: int
    role: str
    content: str
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleRecord:
    """One cycle of a PLSP trace; a member is None if the record does not have the key."""

    index: int
    line: int
    instr: str | None
    previous: str | None
    next: str
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One PB2S exchange. `missing` tells an absent key from a null."""

    index: int
    line: int
    message: Any
    text: Any
    proof: Any
    missing: frozenset[str] = frozenset()
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All records of one file. `issues` are what could not be read.

    `text` is the file as read; `declared` is the version of the protocol that it states, or "".
    """

    kind: Kind
    text: str = ""
    declared: str = ""
    turns: tuple[Turn, ...] = ()
    cycles: tuple[CycleRecord, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One valid JSON object of a file: its 0-based number, its 1-based line, its value.

    `lone` marks a PB2S reply that was recorded without its message and does not need one.
    """

    index: int
    line: int
    value: dict[str, Any]
    lone: bool = False


def conversation_of(
    kind: Kind,
    records: Iterable[Record],
    *,
    text: str,
    issues: Iterable[Issue] = (),
    declared: str = "",
) -> Conversation:
    """Return the conversation of `kind` that consists of `records`."""
    found = list(records)
    return Conversation(
        kind=kind,
        text=text,
        declared=declared,
        turns=tuple(map(_turn, found)) if kind is Kind.TRANSCRIPT else (),
        cycles=tuple(map(_cycle, found)) if kind is Kind.PLSP else (),
        exchanges=tuple(map(_exchange, found)) if kind is Kind.PB2S else (),
        issues=tuple(issues),
    )


def _turn(record: Record) -> Turn:
    return Turn(
        index=record.index,
        line=record.line,
        role=record.value["role"],
        content=record.value["content"],
        record=record.value,
    )


def _cycle(record: Record) -> CycleRecord:
    return CycleRecord(
        index=record.index,
        line=record.line,
        instr=record.value.get("instr"),
        previous=record.value.get("previous"),
        next=record.value["next"],
        record=record.value,
    )


def _exchange(record: Record) -> Exchange:
    value = record.value
    lone = {"message"} if record.lone else frozenset()
    return Exchange(
        index=record.index,
        line=record.line,
        message=value.get("message"),
        text=value.get("text"),
        proof=value.get("pb2s_proof"),
        missing=frozenset({"message", "text", "pb2s_proof"} - value.keys() - lone),
        record=value,
    )
