"""Looks at a statement that is not flawless, token by token: what it says, and what is wrong.

Everything wrong in a block is reported at once, so what can be told of a faulty statement is kept
and the rest is skipped up to its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import Change, Span
from psreg.formats.issue import Issue
from psreg.protocols.plsp import grammar
from psreg.protocols.plsp.block import Assignment, Command, Kind, Statement, Value
from psreg.protocols.plsp.tokens import LAST, Token, bounds

MOST_FAULTS = 500
"""Faults of one block that are told; what follows the last of them is not read."""

_MENDED = 100
"""Quotation marks in one string that a fix replaces; with more of them it is no string."""


def unclosed_string(at: int) -> Issue:
    """Return the issue of the string that begins at offset `at` and never ends."""
    message = "the string that begins here is not closed"
    return Issue(code="PLSP022", message=message, span=Span(at, at + 1), hint='close it by `"`')


class Faulty:
    """The statements that a run of tokens holds, usually one, and its issues.

    `named` are the names that were spoken of before in this block; it grows.
    """

    def __init__(self, text: str, tokens: list[Token], named: set[str]) -> None:
        self.issues: list[Issue] = []
        self._text = text
        self._tokens = tokens
        self._named = named
        self._at = 0
        self._lost = False
        self._bounds = bounds(tokens)

    def statements(self) -> Iterator[Statement]:
        """Yield what is understood; afterwards `issues` are complete."""
        last = self._tokens[-1]
        if self._next is last and last.kind == "stop":
            self._say("PLSP007", "there is nothing before this `;`", last, "write one `;`", fix="")
        while self._next is not last:
            if len(self.issues) > MOST_FAULTS:
                self._skip()
                break
            if statement := self._statement():
                yield statement
            self._end_of_statement()
        if last.kind == "torn":
            self._say("PLSP024", "there is a blank between `}` and `S`", last, "write `}S`")
        elif last.kind == "end" and len(self._tokens) > 1:
            self._unended(last)

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
        self, code: str, message: str, at: Token | Span, hint: str = "", fix: str | None = None
    ) -> None:
        span = at if isinstance(at, Span) else at.span
        self.issues.append(
            Issue(
                code=code,
                message=message,
                span=span,
                hint=hint,
                fix=() if fix is None else (Change(span, fix),),
                fix_title="" if fix is None else hint,
            )
        )

    def _unended(self, at: Token) -> None:
        before = self._tokens[-2]
        if self._lost:
            return  # where the statement ends is not understood anyway
        place = Span(before.end, at.start)
        fix = Change(Span(before.end, before.end), ";")
        self.issues.append(
            Issue(
                code="PLSP008",
                message="the last statement does not end with `;`",
                span=place,
                hint="end it with `;`",
                fix=(fix,),
                fix_title="end it with `;`",
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
            message = f"no statement begins with `{self._next.lexeme[:20]}`"
            hint = "a statement is an assignment `$a:…`, a log `>…` or an action `!…`"
            self._say("PLSP006", message, self._next, hint)
            self._skip()
        return None

    def _end_of_statement(self) -> None:
        """Deal with what is left before the `;`: a comment, another statement, anything."""
        token = self._next
        if token is self._tokens[-1]:
            return
        if self._is("#"):
            message = "a block has no comments"
            self._say("PLSP005", message, token, "leave it out; `#` is fine within a string")
        elif token.kind == "variable" or token.lexeme in (">", "!"):
            message = f"there is no `;` before `{token.lexeme[:20]}`"
            place = Span(token.start, token.start)
            self._say("PLSP009", message, place, "end the statement before with `;`", fix=";")
            return
        elif not any(issue.span.end >= token.start for issue in self.issues):
            message = f"`{token.lexeme[:20]}` is not expected here"
            self._say("PLSP009", message, token, "a statement ends with `;`")
        self._skip()

    def _assignment(self) -> Statement | None:
        token = self._next
        name = self._name()
        if not self._is(":"):
            wrong = self._next
            found = f"`{wrong.lexeme[:20]}`" if wrong.lexeme else "nothing"
            hint = "write `:`; `=` belongs to instructions" if self._is("=") else "write `:`"
            self._say("PLSP010", f"`:` is expected after `${name}`, not {found}", wrong, hint)
            if not self._is("="):
                self._skip()
                return Assignment(name, None, token.start)
        self._take()
        return Assignment(name, self._value(words=False), token.start)

    def _action(self) -> Statement | None:
        sign = self._take()
        token = self._next
        if token.kind != "word":
            message = "an action has no name" if token.kind in LAST else "this is no action's name"
            hint = "a name is a letter or `_`, then letters, digits, `_` and `-`"
            self._say("PLSP023", message, token if token.kind not in LAST else sign, hint)
            self._skip()
            return None
        name = self._take()
        if self._next.kind == "word":
            self._torn(name, self._take())
        return Command("!", name.lexeme, self._list(required=False), sign.start)

    def _list(self, *, required: bool) -> tuple[Value, ...]:
        """Return the values of a log, or what follows the name of an action."""
        found = []
        if required:
            found.append(self._value(words=True))
        while self._is(","):
            self._take()
            found.append(self._value(words=True))
        return tuple(value for value in found if value)

    def _name(self) -> str:
        """Take a variable, and say what is wrong with its name; return the name."""
        token = self._take()
        name = token.lexeme[1:]
        if not name and self._next.spaced and self._next.kind in ("word", "number"):
            rest = self._take()
            self._torn(token, rest)
            return rest.lexeme
        if name in self._named or grammar.ASSIGNABLE.fullmatch(name):
            return name
        self._named.add(name)
        if grammar.DOUBTFUL.fullmatch(name):
            message = f"`${name}` is not one letter"
            self._say("PLSP013", message, token, "use one of the 52 letters while there are any")
        elif grammar.LONG.fullmatch(name):
            hint = "use one letter, or a letter and a digit"
            self._say("PLSP012", f"the name `${name[:20]}` is too long", token, hint)
        else:
            message = f"`${name[:20]}` is no name" if name else "`$` without a name"
            self._say("PLSP011", message, token, "a name is one letter: $a to $z, $A to $Z")
        return name

    def _value(self, *, words: bool) -> Value | None:
        """Take a value; `words` says whether a bare word is one that is read (PLSP-A6)."""
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
                self._take()
                hint = f'write "{token.lexeme}"'
                message = f"`{token.lexeme[:40]}` is a bare word"
                self._say("PLSP017", message, token, hint, fix=f'"{token.lexeme}"')
                return Value(Kind.WORD, token.lexeme, token.start)
            case _:
                self._no_value(token)
        return None

    def _no_value(self, token: Token) -> None:
        hint = 'a value is a string such as "ok", a number such as 3.14, or a variable'
        if token.kind in LAST or token.lexeme == ",":
            self._say("PLSP014", "there is no value here", Span(token.start, token.start), hint)
            return
        self._say("PLSP014", f"`{token.lexeme[:20]}` is no value", token, hint)
        self._take()

    def _number(self) -> Value | None:
        token = self._take()
        if self._next.kind == "number" and self._next.spaced:
            self._torn(token, self._take())
            return None
        if grammar.NUMBERS.fullmatch(token.lexeme):
            return Value(Kind.NUMBER, token.lexeme, token.start)
        if grammar.NEGATIVE.fullmatch(token.lexeme):
            message = f"`{token.lexeme[:40]}` is negative"
            hint = "numbers have no sign; write it as a string, or keep the sign in a variable"
            self._say("PLSP016", message, token, hint)
            return Value(Kind.NUMBER, token.lexeme, token.start)
        message = f"`{token.lexeme[:40]}` is not written as a number"
        self._say("PLSP015", message, token, "write digits, or digits, a point and digits")
        return None

    def _string(self) -> Value | None:
        """Take a string, or a run that is meant as one but has quotation marks inside."""
        token = self._take()
        rest = self._bounds[self._at]
        last = self._tokens[rest - 1]
        if rest == self._at or last.kind != "text":
            return Value(Kind.TEXT, token.lexeme, token.start)
        inner = range(token.start + 1, last.end - 1)
        quotes = [at for at in inner if self._text[at] == '"']
        # NOTE: a backslash before one was meant to escape it, and would be left over.
        spans = (Span(at - (self._text[at - 1] == "\\"), at + 1) for at in quotes)
        changes = tuple(Change(span, "'") for span in spans) if len(quotes) <= _MENDED else ()
        self.issues.append(
            Issue(
                code="PLSP021",
                message='a string cannot contain `"`',
                span=Span(quotes[0], quotes[0] + 1),
                hint="use ' or ” within a string",
                fix=changes,
                fix_title="write ' within the string" if changes else "",
            )
        )
        self._at = rest
        return None

    def _torn(self, one: Token, other: Token) -> None:
        span = Span(one.start, other.end)
        message = f"there is a blank within `{self._text[one.start : other.end][:20]}`"
        self._say("PLSP024", message, span, "blanks part tokens; write it without")
