"""Cuts a statement that is not flawless into tokens, up to its end and in one go."""

from __future__ import annotations

from dataclasses import dataclass

from psreg.core.diagnostics import Span
from psreg.protocols.plsp import grammar


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `kind` is the name of its pattern, `stop` for `;`, `eof` at the end of the text.

    `spaced` says whether a blank stands before it.
    """

    kind: str
    lexeme: str
    start: int
    spaced: bool = False

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.lexeme)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.end)


LAST = frozenset(("stop", "end", "torn", "eof"))
"""Tokens that end a statement."""


def tokens_of(text: str, at: int) -> list[Token]:
    """Return the tokens from offset `at` on up to the end of the statement, that included."""
    found = []
    spaced = False
    for match in grammar.TOKENS.finditer(text, at):
        kind = match.lastgroup or ""
        if kind == "blank":
            spaced = True
            continue
        kind = "stop" if match[0] == ";" else kind
        found.append(Token(kind, match[0], match.start(), spaced))
        spaced = False
        if kind in LAST:
            return found
    found.append(Token("eof", "", len(text)))
    return found


def bounds(tokens: list[Token]) -> list[int]:
    """Return for each token the place of the first one from it on that ends a value."""
    found = [len(tokens) - 1] * len(tokens)
    for at in range(len(tokens) - 2, -1, -1):
        begins = tokens[at].kind == "variable" and tokens[at + 1].lexeme == ":"
        found[at] = at if begins or tokens[at].lexeme == "," else found[at + 1]
    return found
