"""Parses a malformed statement token by token, and recovers from its faults.

All faults of a block are reported at once: the understood part of a statement is kept, and the rest
is skipped up to its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import Change, Issue, Span
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Assignment, Command, Kind, Statement, Value
from psreg.protocols.plsp.grammar import LAST, Token, value_ends

READABLE = frozenset(
    ("PLSP003", "PLSP007", "PLSP008", "PLSP012", "PLSP013", "PLSP016", "PLSP017", "PLSP018")
)
"""Issues that leave no doubt about the content of a block."""

MAX_FAULTS = 500
"""Faults of one block that are reported; the rest of the block is not read."""

_MAX_FIXED_QUOTES = 100
"""Quotation marks in one string that a fix replaces; a text with more is not a string."""


def unclosed_string(at: int) -> Issue:
    """Return the issue of the string that begins at offset `at` and is not closed."""
    message = "the string that begins here is not closed"
    return Issue(code="PLSP022", message=message, span=Span(at, at + 1), hint='Close it with `"`.')


def _no_name(token: Token) -> str:
    if token.kind in LAST:
        return "the action has no name"
    return f"`{token.lexeme[:20]}` is not the name of an action"


class RecoveringParser:
    """Parses the statements in a list of tokens, usually one, and collects their issues.

    `named` are the malformed names that were reported in this block; it grows.
    """

    def __init__(self, text: str, tokens: list[Token], named: set[str]) -> None:
        self.issues: list[Issue] = []
        self._text = text
        self._tokens = tokens
        self._named = named
        self._at = 0
        self._lost = False
        self._value_ends = value_ends(tokens)

    def statements(self) -> Iterator[Statement]:
        """Yield the understood statements; afterwards `issues` is complete."""
        last = self._tokens[-1]
        if self._next is last and last.kind == "stop":
            self._say("PLSP007", "there is no statement before `;`", last, "Write one `;`.", fix="")
        while self._next is not last:
            if len(self.issues) > MAX_FAULTS:
                self._skip()
                break
            if statement := self._statement():
                yield statement
            self._end_of_statement()
        if last.kind == "split_end":
            self._say("PLSP024", "there is a blank between `}` and `S`", last, "Write `}S`.")
        elif last.kind == "end" and len(self._tokens) > 1:
            self._semicolon_missing(last)

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _is(self, lexeme: str) -> bool:
        return self._next.lexeme == lexeme

    def _skip(self) -> None:
        self._lost = True
        self._at = len(self._tokens) - 1

    def _say(
        self,
        code: str,
        message: str,
        at: Token | Span,
        hint: str = "",
        fix: str | None = None,
        *,
        since: str = "",
    ) -> None:
        span = at if isinstance(at, Span) else at.span
        self.issues.append(
            Issue(
                code=code,
                message=message,
                span=span,
                hint=hint,
                fix=() if fix is None else (Change(span, fix),),
                fix_title="" if fix is None else hint.removesuffix("."),
                since=since,
            )
        )

    def _semicolon_missing(self, at: Token) -> None:
        before = self._tokens[-2]
        if self._lost:
            return  # the end of the statement is not understood anyway
        place = Span(before.end, at.start)
        fix = Change(Span(before.end, before.end), ";")
        self.issues.append(
            Issue(
                code="PLSP008",
                message="the last statement does not end with `;`",
                span=place,
                hint="End it with `;`.",
                fix=(fix,),
                fix_title="End it with `;`",
            )
        )

    def _statement(self) -> Statement | None:
        if self._next.kind == "variable":
            return self._assignment()
        if self._is(">"):
            start = self._take().start
            return Command(">", "", self._list(required=True), start)
        if self._is("!"):
            return self._action()
        if not self._is("#"):
            message = f"a statement cannot begin with `{self._next.lexeme[:20]}`"
            hint = "Write an assignment `$a:…`, a log `>…` or an action `!…`."
            self._say("PLSP006", message, self._next, hint)
            self._skip()
        return None

    def _end_of_statement(self) -> None:
        """Handle the tokens before the `;`: a comment, another statement, anything else."""
        token = self._next
        if token is self._tokens[-1]:
            return
        if self._is("#"):
            message = "a block cannot have comments"
            self._say("PLSP005", message, token, "Remove the comment, or put it into a string.")
        elif token.kind == "variable" or token.lexeme in (">", "!"):
            message = f"`;` is missing before `{token.lexeme[:20]}`"
            place = Span(token.start, token.start)
            self._say("PLSP009", message, place, "End the previous statement with `;`.", fix=";")
            return
        elif not self._in_doubt_before(token):
            message = f"unexpected `{token.lexeme[:20]}`"
            # Behind text that can be read, this was once dropped without a word.
            glued = any(issue.span.end >= token.start for issue in self.issues)
            since = "0.2.0" if glued else ""
            self._say("PLSP009", message, token, "End the statement with `;`.", since=since)
        self._skip()

    def _in_doubt_before(self, token: Token) -> bool:
        """Tell whether an issue just before `token` already makes the block unreadable."""
        return any(
            issue.span.end >= token.start and issue.code not in READABLE for issue in self.issues
        )

    def _assignment(self) -> Statement | None:
        token = self._next
        name = self._name()
        if not self._is(":"):
            wrong = self._next
            found = f"`{wrong.lexeme[:20]}`" if wrong.lexeme else "nothing"
            hint = "Write `:`; `=` belongs in instructions." if self._is("=") else "Write `:`."
            self._say("PLSP010", f"expected `:` after `${name}`, found {found}", wrong, hint)
            if not self._is("="):
                self._skip()
                return Assignment(name, None, token.start)
        self._take()
        return Assignment(name, self._value(words=False), token.start)

    def _action(self) -> Statement | None:
        sign = self._take()
        token = self._next
        if token.kind != "word":
            message = _no_name(token)
            hint = "Write a letter or `_`, then letters, digits, `_` and `-`."
            self._say("PLSP023", message, token if token.kind not in LAST else sign, hint)
            self._skip()
            return None
        name = self._take()
        if self._next.kind == "word":
            self._blank_inside(name, self._take())
        return Command("!", name.lexeme, self._list(required=False), sign.start)

    def _list(self, *, required: bool) -> tuple[Value, ...]:
        """Return the values of a log or an action."""
        found = []
        if required:
            found.append(self._value(words=True))
        while self._is(","):
            self._take()
            found.append(self._value(words=True))
        return tuple(value for value in found if value)

    def _name(self) -> str:
        """Take a variable, report a malformed name, and return the name."""
        token = self._take()
        name = token.lexeme[1:]
        if not name and self._next.spaced and self._next.kind in ("word", "number"):
            rest = self._take()
            self._blank_inside(token, rest)
            return rest.lexeme
        if name in self._named or grammar.ASSIGNABLE.fullmatch(name):
            return name
        self._named.add(name)
        if grammar.DOUBTFUL.fullmatch(name):
            message = f"`${name}` is not a single letter"
            self._say("PLSP013", message, token, "Use one of the 52 letters if one is free.")
        elif grammar.LONG.fullmatch(name):
            hint = "Use one letter, or a letter and a digit."
            self._say("PLSP012", f"the name `${name[:20]}` is too long", token, hint)
        else:
            message = f"`${name[:20]}` is not a name" if name else "`$` has no name"
            self._say("PLSP011", message, token, "Use one letter: $a to $z or $A to $Z.")
        return name

    def _value(self, *, words: bool) -> Value | None:
        """Take a value; `words` tells whether a bare word is accepted (PLSP-A6)."""
        token = self._next
        match token.kind:
            case "variable":
                name = self._name()
                known = grammar.LONG.fullmatch(name)
                return Value(Kind.REFERENCE, f"${name}", token.start) if known else None
            case "text":
                return self._string()
            case "open":
                self.issues.append(unclosed_string(token.start))
                self._skip()
            case "number":
                return self._number()
            case "word" if words:
                return self._word()
            case _:
                self._no_value(token)
        return None

    def _word(self) -> Value:
        token = self._take()
        after = self._next
        # Quotes around a part of what was meant, such as `src` of `src.txt`, fix nothing.
        whole = after.spaced or after.kind in LAST or after.lexeme == ","
        message = f"`{token.lexeme[:40]}` has no quotes"
        hint = f'Write "{token.lexeme}".' if whole else "Put the text into double quotes."
        self._say("PLSP017", message, token, hint, fix=f'"{token.lexeme}"' if whole else None)
        return Value(Kind.WORD, token.lexeme, token.start)

    def _no_value(self, token: Token) -> None:
        hint = 'Write a string such as "ok", a number such as 3.14, or a variable.'
        if token.kind in LAST or token.lexeme == ",":
            self._say("PLSP014", "a value is missing", Span(token.start, token.start), hint)
            return
        self._say("PLSP014", f"`{token.lexeme[:20]}` is not a value", token, hint)
        self._take()

    def _number(self) -> Value | None:
        token = self._take()
        if self._next.kind == "number" and self._next.spaced:
            self._blank_inside(token, self._take())
            return None
        if grammar.NUMBERS.fullmatch(token.lexeme):
            return Value(Kind.NUMBER, token.lexeme, token.start)
        if grammar.NEGATIVE.fullmatch(token.lexeme):
            message = f"`{token.lexeme[:40]}` is negative"
            hint = "Write it as a string, or keep the sign in a variable of its own."
            self._say("PLSP016", message, token, hint)
            return Value(Kind.NUMBER, token.lexeme, token.start)
        message = f"`{token.lexeme[:40]}` is not a valid number"
        self._say("PLSP015", message, token, "Write digits, or digits, a point and digits.")
        return None

    def _string(self) -> Value | None:
        """Take a string, or tokens that are meant as one but contain quotation marks."""
        token = self._take()
        rest = self._value_ends[self._at]
        last = self._tokens[rest - 1]
        if rest == self._at or last.kind != "text":
            return Value(Kind.TEXT, token.lexeme, token.start)
        inner = range(token.start + 1, last.end - 1)
        quotes = [at for at in inner if self._text[at] == '"']
        # NOTE: a backslash before a quotation mark was meant as an escape; remove it as well.
        spans = (Span(at - (self._text[at - 1] == "\\"), at + 1) for at in quotes)
        changes = (
            tuple(Change(span, "'") for span in spans) if len(quotes) <= _MAX_FIXED_QUOTES else ()
        )
        self.issues.append(
            Issue(
                code="PLSP021",
                message='a string cannot contain `"`',
                span=Span(quotes[0], quotes[0] + 1),
                hint="Use ' or ” in a string.",
                fix=changes,
                fix_title="Write ' in the string" if changes else "",
            )
        )
        self._at = rest
        return None

    def _blank_inside(self, one: Token, other: Token) -> None:
        span = Span(one.start, other.end)
        message = f"there is a blank in `{self._text[one.start : other.end][:20]}`"
        self._say("PLSP024", message, span, "Remove the blank.")
