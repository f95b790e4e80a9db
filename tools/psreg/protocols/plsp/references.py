"""What the variables of a block are worth: a state has no order, but needs values in the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from psreg.core.diagnostics import Span
from psreg.formats.issue import Issue
from psreg.protocols.plsp.block import Assignment, Kind, Statement, Value


def resolve(statements: Iterable[Statement]) -> tuple[Mapping[str, Value | None], list[Issue]]:
    """Return the literal of every variable, None where there is none, and what is in the way.

    A reference may stand before what it refers to (READINGS PLSP-A9).
    """
    last: dict[str, Assignment] = {}
    issues: list[Issue] = []
    references: list[Value] = []
    for statement in statements:
        references += [value for value in statement.values if value.kind is Kind.REFERENCE]
        if isinstance(statement, Assignment):
            if statement.name in last:
                issues.append(_twice(statement))
            last[statement.name] = statement
    if not references:
        return {name: assignment.value for name, assignment in last.items()}, issues
    issues += (_undefined(each) for each in references if each.name not in last)
    circles: list[list[str]] = []
    state = dict(_worth(last, circles))
    issues += (_circle(circle, last) for circle in circles)
    return {name: state[name] for name in last}, issues


def _worth(
    last: Mapping[str, Assignment], circles: list[list[str]]
) -> Iterator[tuple[str, Value | None]]:
    """Yield each variable with its literal. Every variable is walked through once."""
    known: dict[str, Value | None] = {}
    for first in last:
        way: dict[str, None] = {}
        name = first
        value: Value | None = None
        while name not in known and name not in way:
            way[name] = None
            value = last[name].value
            if value is None or value.kind is not Kind.REFERENCE:
                break
            name, value = value.name, None
            if name not in last:
                break
        else:
            if name in way:
                names = list(way)
                circles.append(names[names.index(name) :])
            value = known.get(name)
        known.update(dict.fromkeys(way, value))
    yield from known.items()


def _twice(assignment: Assignment) -> Issue:
    message = f"`${assignment.name}` is assigned a second time; the last value counts"
    hint = "keep the value that is meant"
    return Issue(code="PLSP018", message=message, span=assignment.span, hint=hint)


def _undefined(value: Value) -> Issue:
    message = f"`{value.lexeme}` is not part of this block"
    hint = f"a block is complete in itself: assign `{value.lexeme}`, or write its value"
    return Issue(code="PLSP019", message=message, span=value.span, hint=hint)


def _circle(names: list[str], last: Mapping[str, Assignment]) -> Issue:
    first = min(names, key=lambda name: last[name].start)
    turn = names.index(first)
    way = " → ".join(f"${name}" for name in (*names[turn:], *names[:turn], first))
    message = f"`${first}` has no value in the end: {way}"
    return Issue(
        code="PLSP020",
        message=message,
        span=_place(last[first]),
        hint="give one of them a literal value",
    )


def _place(assignment: Assignment) -> Span:
    values = assignment.values
    return Span(assignment.start, values[0].span.end)
