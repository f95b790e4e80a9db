"""Parses the dialect of instructions that psreg knows, `psreg-1`, into directives.

The specification leaves the language of instructions open (PLSP-A15); psreg can check this one.
Its grammar is on the page about PLSP. A directive has no effect until the interpreter runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from psreg.core.diagnostics import Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Kind, Value

MAX_DEPTH = 32
"""Nested branches in brackets."""

PREFIX = re.compile(r"\s*INSTR:")

_TOKEN = re.compile(
    rf"""
    {grammar.BLANKS}
    (?:(?P<text>{grammar.TEXT})
    |(?P<number>{grammar.NUMBER}(?![0-9A-Za-z_.]))
    |(?P<variable>\$[A-Za-z0-9]++)
    |(?P<directive>@[A-Za-z]++:)
    |(?P<word>{grammar.ACTION})
    |(?P<mark>[<>!]=|[^"])
    |(?P<fault>["])
    |(?P<eof>\Z))
    """,
    re.VERBOSE | re.DOTALL,
)
_RELATIONS = frozenset(("=", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Expression:
    """A value, or two values with `+` or `-` between them."""

    first: Value
    operator: str = ""
    second: Value | None = None

    @property
    def values(self) -> tuple[Value, ...]:
        """The one or two values."""
        return (self.first,) if self.second is None else (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left relation right`; without a relation, it tests whether a variable exists."""

    left: Expression
    relation: str = ""
    right: Expression | None = None

    @property
    def values(self) -> tuple[Value, ...]:
        """The values on both sides."""
        return (*self.left.values, *(self.right.values if self.right else ()))


Condition: TypeAlias = tuple[tuple[Comparison, ...], ...]
"""True if all comparisons of one of its groups are true."""


@dataclass(frozen=True, slots=True)
class Assign:
    """`@set:`, or `@upd:`, which requires that the variable exists."""

    name: str
    expression: Expression
    update: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Fetch:
    """`@fetch:source,$name`."""

    source: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Signal:
    """`@sig:!action,value…`."""

    action: str
    values: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """`@if:condition?then:otherwise`."""

    condition: Condition
    then: tuple[Directive, ...]
    otherwise: tuple[Directive, ...]
    span: Span


Directive: TypeAlias = Assign | Fetch | Signal | Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """The directives of an instruction, or the `fault` at `span` why it cannot be parsed."""

    directives: tuple[Directive, ...] = ()
    fault: str = ""
    span: Span = field(default_factory=lambda: Span(0, 0))


def read_instruction(text: str) -> Instruction:
    """Return the directives of the instruction `text`; its prefix is optional."""
    prefix = PREFIX.match(text)
    reader = _Reader(text, prefix.end() if prefix else 0)
    try:
        return Instruction(directives=tuple(reader.body("")))
    except _Fault as fault:
        return Instruction(fault=fault.message, span=fault.span)


class _Fault(Exception):  # noqa: N818 - it never leaves this module
    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


class _Reader:
    """Reads by recursive descent, one token ahead."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._depth = 0
        self._kind, self._lexeme, self._span = "", "", Span(at, at)
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._span.end)
        # NOTE: every character is a token, and so is the end of the text.
        self._kind = (match and match.lastgroup) or ""
        self._span = Span(*match.span(self._kind)) if match else self._span
        self._lexeme = self._text[self._span.start : self._span.end]

    def _take(self) -> str:
        lexeme = self._lexeme
        self._advance()
        return lexeme

    def _take_mark(self, *lexemes: str) -> str:
        return self._take() if self._kind == "mark" and self._lexeme in lexemes else ""

    def _fault(self, wanted: str) -> _Fault:
        found = f"`{self._lexeme[:20]}`" if self._lexeme else "the end of the instruction"
        return _Fault(f"expected {wanted}, found {found}", self._span)

    def _expect(self, lexeme: str) -> None:
        if not self._take_mark(lexeme):
            raise self._fault(f"`{lexeme}`")

    def body(self, end: str) -> Iterator[Directive]:
        """Yield the directives up to `end`, "" for the end of the text."""
        while self._lexeme != end:
            yield self._directive(simple=False)
            if not self._take_mark(";") and self._lexeme != end:
                raise self._fault("`;`")

    def _directive(self, *, simple: bool) -> Directive:
        start = self._span
        match self._lexeme if self._kind == "directive" else "":
            case "@set:" | "@upd:" as name:
                self._take()
                target = self._variable()
                self._expect("=")
                return Assign(target, self._expression(), name == "@upd:", start)
            case "@fetch:":
                self._take()
                source = self._source()
                self._expect(",")
                return Fetch(source, self._variable(), start)
            case "@sig:":
                self._take()
                return self._signal(start)
            case "@if:" if not simple:
                self._take()
                return self._choice(start)
        kinds = "`@set:`, `@upd:`, `@fetch:`"
        raise self._fault(
            f"{kinds}, `@sig:` or a bracket" if simple else f"`@if:`, {kinds} or `@sig:`"
        )

    def _signal(self, start: Span) -> Signal:
        self._expect("!")
        if self._kind != "word":
            raise self._fault("the name of an action")
        action = self._take()
        values = []
        while self._take_mark(","):
            values.append(self._value())
        return Signal(action, tuple(values), start)

    def _choice(self, start: Span) -> Choice:
        groups = [self._group()]
        while self._take_mark("|"):
            groups.append(self._group())
        self._expect("?")
        then = self._branch()
        return Choice(tuple(groups), then, self._branch() if self._take_mark(":") else (), start)

    def _branch(self) -> tuple[Directive, ...]:
        opening = self._span
        if not self._take_mark("("):
            return (self._directive(simple=True),)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _Fault(f"brackets are nested more than {MAX_DEPTH} levels deep", opening)
        found = tuple(self.body(")"))
        self._expect(")")
        self._depth -= 1
        return found

    def _group(self) -> tuple[Comparison, ...]:
        found = [self._comparison()]
        while self._take_mark("&"):
            found.append(self._comparison())
        return tuple(found)

    def _comparison(self) -> Comparison:
        left = self._expression()
        if self._kind == "mark" and self._lexeme in _RELATIONS:
            return Comparison(left, self._take(), self._expression())
        if left.second is not None or left.first.kind is not Kind.REFERENCE:
            raise self._fault("a relation such as `=` or `<`")
        return Comparison(left)

    def _expression(self) -> Expression:
        first = self._value()
        operator = self._take_mark("+", "-")
        return Expression(first, operator, self._value()) if operator else Expression(first)

    def _value(self) -> Value:
        start = self._span.start
        if self._kind not in ("text", "number", "variable"):
            raise self._fault("a value")
        return grammar.value_of(self._take(), start)

    def _variable(self) -> str:
        if self._kind != "variable":
            raise self._fault("a variable")
        return self._take()[1:]

    def _source(self) -> str:
        if self._kind not in ("text", "word"):
            raise self._fault("a source")
        return self._take().strip('"')


def variables_read(directives: tuple[Directive, ...]) -> Iterator[str]:
    """Yield the names of the variables that directives read, once for each time."""
    for directive in directives:
        match directive:
            case Assign(name=name, expression=expression, update=update):
                yield from (value.name for value in _references(expression.values))
                if update:
                    yield name
            case Signal(values=values):
                yield from (value.name for value in _references(values))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                for comparison in (each for group in condition for each in group):
                    yield from (value.name for value in _references(comparison.values))
                yield from variables_read(then)
                yield from variables_read(otherwise)


def _references(values: tuple[Value, ...]) -> Iterator[Value]:
    return (value for value in values if value.kind is Kind.REFERENCE)
