"""Reads an answer: the block in it, its statements, and the values of its variables.

`read_block` never raises and takes time linear in the text. It reads the same in strict and read
mode; the severity of an issue is the one of its rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from psreg.core.diagnostics import Change, Issue, Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Assignment, Block, Command, Kind, Statement, Value
from psreg.protocols.plsp.grammar import Token, tokens_of
from psreg.protocols.plsp.recovery import (
    MAX_FAULTS,
    READABLE,
    RecoveringParser,
    unclosed_string,
)

_FENCE = re.compile(r"\s*(```+|~~~+)[^\n`]*\n\s*")


def read_block(text: str) -> Block:
    """Return the block in the answer `text`, as far as it is understood."""
    opening = grammar.OPEN.search(text)
    if opening is None:
        split = grammar.SPLIT_OPEN.search(text)
        return Block(text=text, span=Span(0, 0), issues=(_no_block(text, split),))
    found: list[Statement] = []
    issues: list[Issue] = []
    end = _statements(text, opening.end(), found, issues)
    start = opening.start()
    if end is None:
        end = len(text)
        if not any(issue.code == "PLSP022" for issue in issues):
            issues.append(_unclosed(start, end))
        outside = _text_before(text, start)
    else:
        outside = _text_around(text, start, end)
    state, reference_issues = resolve(found)
    issues = sorted((*outside, *issues, *reference_issues), key=lambda issue: issue.span)
    return Block(
        text=text,
        span=Span(start, end),
        statements=tuple(found),
        state=state,
        issues=tuple(issues),
        readable=all(issue.code in READABLE for issue in issues),
    )


def _statements(text: str, at: int, found: list[Statement], issues: list[Issue]) -> int | None:
    """Add the statements from offset `at` on; return the end of the block, None if it has none."""
    named: set[str] = set()
    while True:
        while match := grammar.STATEMENT.match(text, at):
            found.append(_valid_statement(text, match))
            at = match.end()
        if close := grammar.CLOSE.match(text, at):
            return close.end() + len("}S")
        tokens = tokens_of(text, at)
        parser = RecoveringParser(text, tokens, named)
        found += parser.statements()
        if tokens[-1].kind == "eof":
            # Only the block is cut off, not the statement; an open string may contain its end.
            issues += _open_string(parser.issues, tokens)
            return None
        issues += parser.issues
        if len(issues) > MAX_FAULTS:
            issues[MAX_FAULTS:] = [_too_many(Span(issues[MAX_FAULTS].span.start, len(text)))]
            return len(text)
        at = tokens[-1].end
        if tokens[-1].kind in ("end", "split_end"):
            return at


def _too_many(rest: Span) -> Issue:
    message = f"the block has more than {MAX_FAULTS} faults; the rest is not read"
    hint = "Fix the reported faults, then check again."
    return Issue(code="PLSP025", message=message, span=rest, hint=hint)


def _open_string(issues: list[Issue], tokens: list[Token]) -> Iterator[Issue]:
    """Yield the issue of the open string that contains the end of the block, if there is one."""
    found = (issue for issue in issues if issue.code == "PLSP022")
    opened = (unclosed_string(token.start) for token in tokens if token.kind == "open")
    yield from islice((*found, *opened), 1)


def _valid_statement(text: str, match: re.Match[str]) -> Statement:
    name, value = match["id"], match["value"]
    if name is not None:
        start = match.start("id")
        return Assignment(name[1:], grammar.value_of(value, match.start("value")), start)
    if match["log"]:
        values = grammar.values_in(text, *match.span("logged"))
        return Command(">", "", values, match.start("log"))
    values = grammar.values_in(text, *match.span("given"))
    return Command("!", match["action"], values, match.start("sign"))


def _no_block(text: str, split: re.Match[str] | None) -> Issue:
    if split:
        message = "there is a blank between `S` and `{`"
        return Issue(code="PLSP024", message=message, span=Span(*split.span()), hint="Write `S{`.")
    end = len(text.rstrip())
    start = min(end, len(text) - len(text.lstrip()))
    message = "the answer has no state block"
    hint = "Answer with one block, such as `S{$a:1;}S`."
    return Issue(code="PLSP001", message=message, span=Span(start, end), hint=hint)


def _unclosed(start: int, end: int) -> Issue:
    message = "the block is not closed with `}S`"
    hint = "Allow longer answers if this one was cut off."
    return Issue(code="PLSP002", message=message, span=Span(start, end), hint=hint)


def _text_before(text: str, start: int) -> Iterator[Issue]:
    """Yield the issue of text before the block."""
    if head := text[:start].strip():
        at = text.index(head[0])
        yield _outside("there is text before the block", Span(at, at + len(head)))


def _text_around(text: str, start: int, end: int) -> Iterator[Issue]:
    """Yield the issues of text around the block `text[start:end]`."""
    if second := grammar.ANOTHER.search(text, end):
        span = Span(second.start(), len(text.rstrip()))
        hint = "Send one block; the next cycle starts from one state."
        yield Issue(code="PLSP004", message="a second block begins here", span=span, hint=hint)
        return
    tail = text[end:].strip()
    fence = _FENCE.fullmatch(text, 0, start)
    if fence and tail == fence[1]:
        at = fence.start(1)
        changes = (Change(Span(0, start), ""), Change(Span(end, len(text)), ""))
        yield Issue(
            code="PLSP003",
            message="the block is in a code fence",
            span=Span(at, at + len(fence[1])),
            hint="Send the block alone.",
            fix=changes,
            fix_title="Remove the code fence",
        )
        return
    yield from _text_before(text, start)
    if tail:
        at = text.index(tail[0], end)
        yield _outside("there is text after the block", Span(at, at + len(tail)))


def _outside(message: str, span: Span) -> Issue:
    hint = "Send the block alone; put text for people into a log statement."
    return Issue(code="PLSP003", message=message, span=span, hint=hint)


def resolve(statements: Iterable[Statement]) -> tuple[Mapping[str, Value | None], list[Issue]]:
    """Return the literal of every variable, None if it has none, and the issues of references.

    A variable may be referred to before it is assigned (PLSP-A9).
    """
    last: dict[str, Assignment] = {}
    issues: list[Issue] = []
    references: list[Value] = []
    reference = Kind.REFERENCE
    for statement in statements:
        references += [value for value in statement.values if value.kind is reference]
        if isinstance(statement, Assignment):
            if statement.name in last:
                issues.append(_duplicate(statement))
            last[statement.name] = statement
    if not references:
        return {name: assignment.value for name, assignment in last.items()}, issues
    issues += (_undefined(each) for each in references if each.name not in last)
    cycles: list[list[str]] = []
    state = dict(_literals(last, cycles))
    issues += (_circular(cycle, last) for cycle in cycles)
    return {name: state[name] for name in last}, issues


def _literals(
    last: Mapping[str, Assignment], cycles: list[list[str]]
) -> Iterator[tuple[str, Value | None]]:
    """Yield each variable with its literal, and add circular references to `cycles`.

    Every variable is visited once.
    """
    known: dict[str, Value | None] = {}
    for first in last:
        path: dict[str, None] = {}
        name = first
        value: Value | None = None
        while name not in known and name not in path:
            path[name] = None
            value = last[name].value
            if value is None or value.kind is not Kind.REFERENCE:
                break
            name, value = value.name, None
            if name not in last:
                break
        else:
            if name in path:
                names = list(path)
                cycles.append(names[names.index(name) :])
            value = known.get(name)
        known.update(dict.fromkeys(path, value))
    yield from known.items()


def _duplicate(assignment: Assignment) -> Issue:
    message = f"`${assignment.name}` is assigned twice; the last value counts"
    hint = "Remove one of the assignments."
    return Issue(code="PLSP018", message=message, span=assignment.span, hint=hint)


def _undefined(value: Value) -> Issue:
    message = f"`{value.lexeme}` is not assigned in this block"
    hint = f"Assign `{value.lexeme}` in the block, or write its value."
    return Issue(code="PLSP019", message=message, span=value.span, hint=hint)


def _circular(names: list[str], last: Mapping[str, Assignment]) -> Issue:
    first = min(names, key=lambda name: last[name].start)
    turn = names.index(first)
    path = " → ".join(f"${name}" for name in (*names[turn:], *names[:turn], first))
    return Issue(
        code="PLSP020",
        message=f"`${first}` refers to itself: {path}",
        span=_assignment_span(last[first]),
        hint="Give one of them a literal value.",
    )


def _assignment_span(assignment: Assignment) -> Span:
    values = assignment.values
    return Span(assignment.start, values[0].span.end)
