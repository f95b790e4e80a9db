"""A state block as data: the statements of an answer, with their positions; and how to write one.

A block keeps the order of its statements, and every number as written (PLSP-A17). Offsets count
the code points of the answer. The canonical form has no blanks, each statement is ended, and no
variable occurs twice. Reading it gives the same statements, `read_block(write(s)).statements == s`,
and writing them again gives the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from psreg.core.diagnostics import Issue, Span

EMPTY_BLOCK = "S{}S"
"""The block that the first cycle starts from (PLSP-14)."""


class Kind(StrEnum):
    """The kind of a value. The specification has no bare words, but psreg reads them (PLSP-A6)."""

    TEXT = "text"
    NUMBER = "number"
    REFERENCE = "reference"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `lexeme` is its spelling: a text with its quotes, a reference with its `$`.

    Two values are equal if their spelling is; `same_value` compares their meaning.
    """

    kind: Kind
    lexeme: str
    start: int = field(default=0, compare=False)

    @property
    def span(self) -> Span:
        """The span of the value."""
        return Span(self.start, self.start + len(self.lexeme))

    @property
    def name(self) -> str:
        """The name of the variable that a reference refers to."""
        return self.lexeme[1:]

    @property
    def text(self) -> str:
        """The characters of a text without its quotes; another value as it is written."""
        return self.lexeme[1:-1] if self.kind is Kind.TEXT else self.lexeme


def same_value(one: Value, other: Value) -> bool:
    """Tell whether two literals have the same meaning: numbers as decimals, texts by characters."""
    if one.kind is Kind.NUMBER and other.kind is Kind.NUMBER:
        return Decimal(one.lexeme) == Decimal(other.lexeme)
    return one.kind is not Kind.NUMBER and other.kind is not Kind.NUMBER and one.text == other.text


@dataclass(frozen=True, slots=True)
class Assignment:
    """`$name:value;`. The value is None if it is malformed; an issue says why."""

    name: str
    value: Value | None
    start: int = field(default=0, compare=False)

    @property
    def span(self) -> Span:
        """The span of the variable."""
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
        """The span of the sign and the name."""
        return Span(self.start, self.start + 1 + len(self.name))


Statement: TypeAlias = Assignment | Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The block in the answer `text`, as far as it was understood.

    `state` maps every variable to its value, with references resolved; the last of two assignments
    wins, and None means no value. `readable` is False if an issue leaves the content of the block
    in doubt, even in read mode.
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
        """Return the literal that `value` resolves to, None if there is none."""
        return self.state.get(value.name) if value.kind is Kind.REFERENCE else value

    def resolved_values(self, command: Command) -> tuple[Value, ...]:
        """Return the literals of a command of a readable block, in order (PLSP-A11)."""
        return tuple(found for value in command.values if (found := self.resolved(value)))


def parsed(block: Block) -> dict[str, object] | None:
    """Return variables and commands as lexemes, None if the block is not readable."""
    if not block.readable:
        return None
    commands = (
        [
            command.sign,
            *((command.name,) if command.name else ()),
            *[value.lexeme for value in block.resolved_values(command)],
        ]
        for command in block.commands
    )
    variables = {name: value.lexeme for name, value in block.state.items() if value}
    return {"variables": variables, "commands": list(commands)}


def write(statements: Iterable[Statement]) -> str:
    """Return the block of `statements`, all of which have values."""
    return "S{" + "".join(f"{_statement(each)};" for each in statements) + "}S"


def canonical(block: Block) -> str | None:
    """Return the canonical form of a block, None if it is not readable.

    If a variable is assigned twice, only the last assignment is kept.
    """
    if not block.readable:
        return None
    last = {each.name: each for each in block.assignments}
    return write(
        each
        for each in block.statements
        if not isinstance(each, Assignment) or last[each.name] is each
    )


def state_text(state: Mapping[str, Value | None]) -> str:
    """Return a block with the variables of `state`; an unknown value is written as `?`."""
    return "S{" + "".join(f"${name}:{lexeme_of(value)};" for name, value in state.items()) + "}S"


def lexeme_of(value: Value | None) -> str:
    """Return the spelling of a value: a bare word as a string, None as `?`."""
    if value is None:
        return "?"
    return f'"{value.lexeme}"' if value.kind is Kind.WORD else value.lexeme


def _statement(statement: Statement) -> str:
    if isinstance(statement, Assignment):
        return f"${statement.name}:{lexeme_of(statement.value)}"
    values = [lexeme_of(value) for value in statement.values]
    if statement.sign == ">":
        return f">{','.join(values)}"
    return f"!{','.join((statement.name, *values))}"
