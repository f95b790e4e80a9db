"""Makes typed records of the objects that a recorded conversation consists of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psreg.formats.conversation.conversation import Block, Conversation, Exchange, Turn
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.issue import Issue


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One object of a file without a fault: its number from 0, its line from 1, itself.

    `lone` tells a PB2S reply that came without the message before it, and need not have one.
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
        blocks=tuple(map(_block, found)) if kind is Kind.PLSP else (),
        exchanges=tuple(map(_exchange, found)) if kind is Kind.PB2S else (),
        issues=tuple(issues),
    )


def _turn(record: Record) -> Turn:
    return Turn(
        index=record.index,
        line=record.line,
        role=record.value["role"],
        content=record.value["content"],
    )


def _block(record: Record) -> Block:
    return Block(
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
