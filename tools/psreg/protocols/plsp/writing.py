"""Writes a block in its canonical form: no blank, every statement ended, nothing said twice.

Reading what was written gives the same statements (`read(write(b)).statements == b.statements`),
and writing that again the same text. Numbers keep their spelling (READINGS PLSP-A17).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psreg.protocols.plsp.block import Assignment, Block, Kind, Statement, Value


def write(statements: Iterable[Statement]) -> str:
    """Return the block of `statements`, which have values that can be written."""
    return "S{" + "".join(f"{_statement(each)};" for each in statements) + "}S"


def canonical(block: Block) -> str | None:
    """Return the canonical form of a readable block, None of one that is in doubt.

    Of a variable that is assigned twice only the last assignment stays.
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
    """Return the block that has just the variables of `state`; `?` stands for an unknown value."""
    return "S{" + "".join(f"${name}:{lexeme_of(value)};" for name, value in state.items()) + "}S"


def lexeme_of(value: Value | None) -> str:
    """Return how a value is written: a bare word as a string; `?` for None."""
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
