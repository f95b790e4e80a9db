"""Reads an answer: finds the block in it, its statements, and what its variables are worth.

`read` never raises and takes time in proportion to the text. Strict and read mode read alike; what
they think of a flaw is said by the rule of the same code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from psreg.core.diagnostics import Change, Span
from psreg.formats.issue import Issue
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Assignment, Block, Command, Statement
from psreg.protocols.plsp.faults import MOST_FAULTS, Faulty, unclosed_string
from psreg.protocols.plsp.references import resolve
from psreg.protocols.plsp.tokens import Token, tokens_of

FORGIVEN = frozenset(
    ("PLSP003", "PLSP007", "PLSP008", "PLSP012", "PLSP013", "PLSP016", "PLSP017", "PLSP018")
)
"""Issues that leave no doubt about what a block says."""

_FENCE = re.compile(r"\s*(```+|~~~+)[^\n`]*\n\s*")


def read(text: str) -> Block:
    """Return what is understood of the answer `text`."""
    opening = grammar.OPEN.search(text)
    if opening is None:
        torn = grammar.TORN_OPEN.search(text)
        return Block(text=text, span=Span(0, 0), issues=(_no_block(text, torn),))
    found: list[Statement] = []
    issues: list[Issue] = []
    end = _statements(text, opening.end(), found, issues)
    start = opening.start()
    if end is None:
        end = len(text)
        if not any(issue.code == "PLSP022" for issue in issues):
            issues.append(_unclosed(start, end))
        outside = _before(text, start)
    else:
        outside = _around(text, start, end)
    state, flaws = resolve(found)
    issues = sorted((*outside, *issues, *flaws), key=lambda issue: issue.span)
    return Block(
        text=text,
        span=Span(start, end),
        statements=tuple(found),
        state=state,
        issues=tuple(issues),
        readable=all(issue.code in FORGIVEN for issue in issues),
    )


def _statements(text: str, at: int, found: list[Statement], issues: list[Issue]) -> int | None:
    """Add the statements from offset `at` on; return the end of the block, None if it has none."""
    named: set[str] = set()
    while True:
        while match := grammar.STATEMENT.match(text, at):
            found.append(_flawless(text, match))
            at = match.end()
        if close := grammar.CLOSE.match(text, at):
            return close.end() + len("}S")
        tokens = tokens_of(text, at)
        faulty = Faulty(text, tokens, named)
        found += faulty.statements()
        if tokens[-1].kind == "eof":
            # A statement that was cut off is not wrong, the block is; a string may have eaten it.
            issues += _of_string(faulty.issues, tokens)
            return None
        issues += faulty.issues
        if len(issues) > MOST_FAULTS:
            issues[MOST_FAULTS:] = [_too_many(Span(issues[MOST_FAULTS].span.start, len(text)))]
            return len(text)
        at = tokens[-1].end
        if tokens[-1].kind in ("end", "torn"):
            return at


def _too_many(rest: Span) -> Issue:
    message = f"there are more than {MOST_FAULTS} faults; from here on the block is not read"
    hint = "mend the ones before, and look again"
    return Issue(code="PLSP025", message=message, span=rest, hint=hint)


def _of_string(issues: list[Issue], tokens: list[Token]) -> Iterator[Issue]:
    """Yield the issue of the string that has eaten the end of the block, if one has."""
    found = (issue for issue in issues if issue.code == "PLSP022")
    opened = (unclosed_string(token.start) for token in tokens if token.kind == "open")
    yield from islice((*found, *opened), 1)


def _flawless(text: str, match: re.Match[str]) -> Statement:
    name, value = match["id"], match["value"]
    if name is not None:
        start = match.start("id")
        return Assignment(name[1:], grammar.value_of(value, match.start("value")), start)
    if match["log"]:
        values = tuple(grammar.values_in(text, *match.span("logged")))
        return Command(">", "", values, match.start("log"))
    values = tuple(grammar.values_in(text, *match.span("given")))
    return Command("!", match["action"], values, match.start("sign"))


def _no_block(text: str, torn: re.Match[str] | None) -> Issue:
    if torn:
        message = "there is a blank between `S` and `{`"
        return Issue(code="PLSP024", message=message, span=Span(*torn.span()), hint="write `S{`")
    end = len(text.rstrip())
    start = min(end, len(text) - len(text.lstrip()))
    message = "there is no state block in this answer"
    hint = "an answer is one block such as S{$a:1;}S"
    return Issue(code="PLSP001", message=message, span=Span(start, end), hint=hint)


def _unclosed(start: int, end: int) -> Issue:
    message = "the block is not closed by `}S`"
    hint = "an answer that was cut off has no end; allow it to be longer"
    return Issue(code="PLSP002", message=message, span=Span(start, end), hint=hint)


def _before(text: str, start: int) -> Iterator[Issue]:
    """Yield the issue of text before the block."""
    if head := text[:start].strip():
        at = text.index(head[0])
        yield _outside("there is text before the block", Span(at, at + len(head)))


def _around(text: str, start: int, end: int) -> Iterator[Issue]:
    """Yield what stands around the block that is `text[start:end]`."""
    if second := grammar.ANOTHER.search(text, end):
        span = Span(second.start(), len(text.rstrip()))
        hint = "send one block; only the last words of a cycle are remembered"
        yield Issue(code="PLSP004", message="a second block begins here", span=span, hint=hint)
        return
    tail = text[end:].strip()
    fence = _FENCE.fullmatch(text, 0, start)
    if fence and tail == fence[1]:
        at = fence.start(1)
        changes = (Change(Span(0, start), ""), Change(Span(end, len(text)), ""))
        yield Issue(
            code="PLSP003",
            message="the block stands in a code fence",
            span=Span(at, at + len(fence[1])),
            hint="send the block alone",
            fix=changes,
            fix_title="remove the code fence",
        )
        return
    yield from _before(text, start)
    if tail:
        at = text.index(tail[0], end)
        yield _outside("there is text after the block", Span(at, at + len(tail)))


def _outside(message: str, span: Span) -> Issue:
    hint = "send the block alone; what has to be said belongs into a log statement"
    return Issue(code="PLSP003", message=message, span=span, hint=hint)
