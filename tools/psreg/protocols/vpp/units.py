"""The turns of a conversation in VPP, each with everything that is needed to check it.

A user's turn may have a command; an assistant's turn has a reply and the command that it answers. A
fold over the turns makes each of them a unit: its state is immutable, and each turn returns the
next one. Messages of the system are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from psreg.core.diagnostics import Finding, Issue, Span
from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.protocol import Options
from psreg.protocols.vpp.command import FORM, Command, first_line, leading, read_command
from psreg.protocols.vpp.reply import Reply, read_reply
from psreg.protocols.vpp.vocabulary import CYCLE_LENGTH, ERROR, FIELDS, OPERATOR_ERROR, USER_TAGS

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
            yield replace(issue, message=short(issue.message), hint=short(issue.hint)).finding


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


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a conversation after some turns.

    `command` is what the assistant has to answer next, None if there is no command; `last` is the
    command before the last reply; `counts` is how often the assistant has used each tag; `cycle` is
    the position of the next reply in its cycle. `recovering` means that the last reply, or the user
    before it, reported an error.
    """

    declared: str
    opened: bool = False
    command: Command | None = None
    last: Command | None = None
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    cycle: int = 1
    recovering: bool = False

    @classmethod
    def beginning(cls, options: Options) -> State:
        """Return the state before the first turn."""
        return cls(declared=options.declared or options.version)

    def user_turn(self, index: int, text: str) -> tuple[VppTurn, State]:
        """Return the user's turn `text` as a unit, and the next state."""
        line = read_command(text)
        issues = line.issues
        if line.command is None and not issues and not self.opened:
            issues = (_no_command(text),)
        turn = VppTurn(
            index=index,
            text=text,
            declared=self.declared,
            issues=issues,
            command=line.command,
            recovering=self.recovering,
        )
        return turn, replace(self, opened=True, command=line.command)

    def assistant_turn(self, index: int, text: str) -> tuple[VppTurn, State]:
        """Return the assistant's turn `text` as a unit, and the next state."""
        reply = read_reply(text)
        tag = reply.tag or (reply.footer.tag if reply.footer else "")
        counts = {**self.counts, tag: self.counts.get(tag, 0) + 1}
        turn = VppTurn(
            index=index,
            text=text,
            declared=self.declared,
            issues=reply.issues,
            command=self.command,
            reply=reply,
            count=counts[tag],
        )
        after = replace(
            self,
            command=None,
            last=self.command,
            counts=MappingProxyType(counts),
            cycle=self._cycle_after(reply),
            recovering=self._recovers_after(tag),
        )
        return turn, after

    def _cycle_after(self, reply: Reply) -> int:
        said = reply.footer.cycle if reply.footer else None
        return (said or self.cycle) % CYCLE_LENGTH + 1

    def _recovers_after(self, tag: str) -> bool:
        reported = self.command is not None and self.command.tag == OPERATOR_ERROR
        return tag == ERROR or reported


def units(conversation: Conversation, options: Options) -> Iterator[VppTurn]:
    """Yield the turns of the user and of the assistant, in order."""
    state = State.beginning(options)
    for turn in conversation.turns:
        if turn.role == "user":
            unit, state = state.user_turn(turn.index, turn.content)
            yield unit
        elif turn.role == "assistant":
            unit, state = state.assistant_turn(turn.index, turn.content)
            yield unit


def _no_command(text: str) -> Issue:
    start = leading(text)
    line = first_line(text, start if start < len(text) else 0)
    return Issue(
        code="VPP001",
        message="the conversation does not begin with a command line",
        span=Span(line.start, line.end),
        hint=FORM,
    )
