"""One turn of a conversation in VPP, with everything that is needed to check it.

A user's turn may have a command; an assistant's turn has a reply and the command that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from psreg.core.diagnostics import Finding, Issue, Span
from psreg.protocols.vpp.command import Command
from psreg.protocols.vpp.reply import Reply
from psreg.protocols.vpp.vocabulary import FIELDS, USER_TAGS

MAX_FINDINGS = 20
"""Findings of one rule that are reported of one turn."""

_MAX_LENGTH = 300
"""Characters of a message or hint; a field of a footer may be longer."""


def short(text: str) -> str:
    """Return `text`, cut to the length of a message."""
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class VppTurn:
    """One turn, of the user or of the assistant.

    `command` is the user's own, or the one that a reply answers; None if there is no tag to repeat
    (VPP-A15). `reply` is None in a user's turn. `recovering` marks a command after an error.
    `count` is how often the assistant has used the tag of this reply so far. `declared` is the
    version that the footer must name.
    """

    index: int
    text: str
    declared: str
    issues: tuple[Issue, ...] = ()
    command: Command | None = None
    reply: Reply | None = None
    recovering: bool = False
    count: int = 0
    pointer: str = "/content"

    def span(self, pointer: str, /) -> Span:  # noqa: ARG002 - a message has no members
        """Return the whole message."""
        return Span(0, len(self.text))

    key_span = span

    def found(self, code: str) -> Iterator[Finding]:
        """Yield the issues of the grammar that rule `code` reports."""
        for issue in islice((issue for issue in self.issues if issue.code == code), MAX_FINDINGS):
            yield Finding(
                message=short(issue.message),
                at=issue.span,
                hint=short(issue.hint),
                fix=issue.fix,
                fix_title=issue.fix_title,
            )


def parsed(turn: VppTurn) -> dict[str, Any] | None:
    """Return the tag, modifiers and footer of a turn; None if none of them could be read.

    The tag is None if it is unknown. The footer maps its six fields, by their names in lower case,
    to the values as written; it is None if it is missing or malformed.
    """
    if turn.reply is not None:
        footer = turn.reply.footer
        fields = footer.values if footer is not None and footer.whole else {}
        if not turn.reply.tag and not fields:
            return None
        return {
            "tag": turn.reply.tag or None,
            "modifiers": [],
            "footer": {name.lower(): fields[name] for name in FIELDS} if fields else None,
        }
    command = turn.command
    if command is None or not command.whole or command.tag not in USER_TAGS:
        return None
    modifiers = [modifier.text for modifier in command.modifiers]
    return {"tag": command.tag, "modifiers": modifiers, "footer": None}
