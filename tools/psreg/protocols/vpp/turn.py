"""One turn of a conversation in VPP with all that it has to be judged by.

A user's turn has a command or none; an assistant's turn has a reply, and the command it answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from psreg.core.diagnostics import Finding, Span
from psreg.formats.issue import Issue
from psreg.protocols.vpp.command import Command
from psreg.protocols.vpp.reply import Reply

MOST = 20
"""Findings of one rule about one turn; a line of a thousand modifiers needs no more."""

_LONGEST = 300
"""Characters of a message or hint; what an assistant writes into a field has no such limit."""


def short(text: str) -> str:
    """Return `text`, or as much of it as a message may hold."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class VppTurn:
    """What one side says.

    `command` is the user's own, or the one that a reply answers: None where no echo can be judged
    (READINGS VPP-A15). `reply` is None in a user's turn. `opens` marks the first turn of the user;
    `recovering`, a command after an error. `count` is how often the assistant has used the tag of
    this reply, this time included. `declared` is the version the footer has to name.
    """

    index: int
    text: str
    declared: str
    issues: tuple[Issue, ...] = ()
    command: Command | None = None
    reply: Reply | None = None
    opens: bool = False
    recovering: bool = False
    count: int = 0
    pointer: str = "/content"

    def span(self, pointer: str, /) -> Span:  # noqa: ARG002 - a message has no members
        """Return the whole message."""
        return Span(0, len(self.text))

    key_span = span

    def found(self, code: str) -> Iterator[Finding]:
        """Yield what the grammar found that rule `code` reports."""
        for issue in islice((issue for issue in self.issues if issue.code == code), MOST):
            yield Finding(
                message=short(issue.message),
                at=issue.span,
                hint=short(issue.hint),
                fix=issue.fix,
                fix_title=issue.fix_title,
            )
