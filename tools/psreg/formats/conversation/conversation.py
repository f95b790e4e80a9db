"""A recorded conversation in any of the forms psreg reads, as typed records (DESIGN §2).

A conversation is one of three kinds: turns of a dialogue, a PLSP trace, or PB2S exchanges. What
cannot be read is an issue and not an exception; a record keeps the line of the file it stands in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from psreg.formats.conversation.json_lines import Kind
from psreg.formats.issue import Issue


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one side says. `role` is `user`, `assistant` or `system`; `index` counts from 0."""

    index: int
    line: int
    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One cycle of a PLSP trace; None where the record has no such key.

    `results` are recorded results of fetches by destination, where the record has them.
    """

    index: int
    line: int
    instr: str | None
    previous: str | None
    next: str
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One PB2S exchange: `missing` tells a key that is not there from a null."""

    index: int
    line: int
    message: Any
    text: Any
    proof: Any
    missing: frozenset[str] = frozenset()
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All records of one file, of the kind it is; `issues` are what could not be read.

    `text` is the file as read; `declared` the version of its protocol that it states, "" for none.
    """

    kind: Kind
    text: str = ""
    declared: str = ""
    turns: tuple[Turn, ...] = ()
    blocks: tuple[Block, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    issues: tuple[Issue, ...] = ()
