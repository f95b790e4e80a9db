"""A state block as data: what was understood of an answer, with the place of everything.

A block keeps its statements in the order in which they stand, and every number as it was written
(READINGS PLSP-A17). Offsets count the code points of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from psreg.core.diagnostics import Span
from psreg.formats.issue import Issue

FIRST = "S{}S"
"""The block that the first cycle starts from (PLSP-14)."""


class Kind(StrEnum):
    """What a value is. A bare word is none of the specification's, but is read (PLSP-A6)."""

    TEXT = "text"
    NUMBER = "number"
    REFERENCE = "reference"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `lexeme` is how it is written: a text with its quotes, a reference with its `$`.

    Two values are equal if they are written alike; `same` compares what they mean.
    """

    kind: Kind
    lexeme: str
    start: int = field(default=0, compare=False)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.start + len(self.lexeme))

    @property
    def name(self) -> str:
        """The name of the variable that a reference refers to."""
        return self.lexeme[1:]

    @property
    def text(self) -> str:
        """The characters of a text without its quotes; other values as they are written."""
        return self.lexeme[1:-1] if self.kind is Kind.TEXT else self.lexeme


def same(one: Value, other: Value) -> bool:
    """Tell whether two literals mean the same: numbers as decimals, texts by their characters."""
    if one.kind is Kind.NUMBER and other.kind is Kind.NUMBER:
        return Decimal(one.lexeme) == Decimal(other.lexeme)
    return one.kind is not Kind.NUMBER and other.kind is not Kind.NUMBER and one.text == other.text


@dataclass(frozen=True, slots=True)
class Assignment:
    """`$name:value;`. The value is None where it cannot be understood; an issue says why."""

    name: str
    value: Value | None
    start: int = field(default=0, compare=False)

    @property
    def span(self) -> Span:
        """Where the variable stands that is assigned to."""
        return Span(self.start, self.start + 1 + len(self.name))

    @property
    def values(self) -> tuple[Value, ...]:
        """The value, if there is one."""
        return () if self.value is None else (self.value,)


@dataclass(frozen=True, slots=True)
class Command:
    """`>value,…;` or `!name,value,…;`: `sign` is the first character, `name` "" for a log."""

    sign: str
    name: str
    values: tuple[Value, ...]
    start: int = field(default=0, compare=False)

    @property
    def span(self) -> Span:
        """Where the sign and the name stand."""
        return Span(self.start, self.start + 1 + len(self.name))


Statement: TypeAlias = Assignment | Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What was understood of the answer `text`.

    `state` has the value of every variable, references resolved, the last of two assignments
    winning; None for one that has no value. `readable` is False where an issue leaves in doubt
    what the block says, in read mode too.
    """

    text: str
    span: Span
    statements: tuple[Statement, ...] = ()
    state: Mapping[str, Value | None] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    readable: bool = False

    @property
    def commands(self) -> Iterator[Command]:
        """The logs and actions, in order."""
        return (each for each in self.statements if isinstance(each, Command))

    @property
    def assignments(self) -> Iterator[Assignment]:
        """The assignments, in order."""
        return (each for each in self.statements if isinstance(each, Assignment))

    def resolved(self, value: Value) -> Value | None:
        """Return the literal that `value` stands for, None if there is none."""
        return self.state.get(value.name) if value.kind is Kind.REFERENCE else value

    def delivered(self, command: Command) -> tuple[Value, ...]:
        """Return the literals of a command of a readable block, in order (PLSP-A11)."""
        found = (self.resolved(value) for value in command.values)
        return tuple(value for value in found if value is not None)


def parsed(block: Block) -> dict[str, object] | None:
    """Return variables and commands as lexemes (DESIGN §4), None of a block that is in doubt."""
    if not block.readable:
        return None
    commands = (
        [command.sign, *filter(None, (command.name,)), *_lexemes(block, command)]
        for command in block.commands
    )
    variables = {name: value.lexeme for name, value in block.state.items() if value}
    return {"variables": variables, "commands": list(commands)}


def _lexemes(block: Block, command: Command) -> Iterator[str]:
    return (value.lexeme for value in block.delivered(command))
