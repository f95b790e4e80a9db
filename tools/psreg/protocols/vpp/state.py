"""The state of a conversation in VPP: a fold over its turns that makes each of them a unit.

A state is immutable; each turn returns the next one. Messages of the system are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from psreg.core.diagnostics import Issue, Span
from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.protocol import Options
from psreg.protocols.vpp.command import FORM, Command, first_line, leading, read_command
from psreg.protocols.vpp.reply import Reply, read_reply
from psreg.protocols.vpp.turn import VppTurn
from psreg.protocols.vpp.vocabulary import CYCLE_LENGTH, ERROR, OPERATOR_ERROR


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
