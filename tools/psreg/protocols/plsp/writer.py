"""Writes a block in its canonical form: no blanks, each statement ended, no duplicate variable.

Reading the result gives the same statements (`read_block(write(s)).statements == s`), and writing
them again gives the same text. Numbers keep their spelling (PLSP-A17).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psreg.protocols.plsp.block import Assignment, Block, Kind, Statement, Value


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
