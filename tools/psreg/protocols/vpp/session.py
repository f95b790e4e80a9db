r"""A running conversation in VPP: what is expected next, what was wrong, how to recover.

A session is immutable; each turn returns the next one. It checks turns with the rules for
transcripts, and the turns that it writes pass them.

```python
session = Session.beginning(Options(version="1.4"))
session = session.user_turn(f"{session.command_line()}\nWhat is drift?")
session = session.assistant_turn(session.reply("Drift is …"))
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from psreg.core.diagnostics import Finding, Mode, Severity
from psreg.protocols.protocol import Options
from psreg.protocols.vpp import VPP_RULES
from psreg.protocols.vpp.command import Command, expected_echo, write_command
from psreg.protocols.vpp.footer import is_footer, write_footer
from psreg.protocols.vpp.footer_rules import FOOTER_RULES
from psreg.protocols.vpp.units import State, VppTurn
from psreg.protocols.vpp.vocabulary import (
    CANONICAL,
    CYCLE_LENGTH,
    ERROR,
    OPERATOR_ERROR,
    RECOVERY_TAGS,
    Pipeline,
)

DEFAULT_LOCUS = "assistant"
NO_SOURCES = "none"

_FOOTER_CODES = frozenset(rule.code for rule in FOOTER_RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A finding about the last turn. `severity` is the one of the session's mode."""

    code: str
    severity: Severity
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How to continue after a violation: the command line to send, and why."""

    command_line: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The state of a running conversation; `last` is its last turn, `turns` counts them.

    `remarks` are the findings about the last turn, in the order of their codes.
    """

    options: Options
    state: State
    pipeline: Pipeline = CANONICAL
    turns: int = 0
    last: VppTurn | None = None
    remarks: tuple[Remark, ...] = ()

    @classmethod
    def beginning(cls, options: Options, pipeline: Pipeline = CANONICAL) -> Session:
        """Return the session before its first turn."""
        return cls(options=options, state=State.beginning(options), pipeline=pipeline)

    def user_turn(self, text: str) -> Session:
        """Return the session after the turn `text` of the user."""
        turn, state = self.state.user_turn(self.turns, text)
        return self._after(turn, state)

    def assistant_turn(self, text: str) -> Session:
        """Return the session after the turn `text` of the assistant."""
        turn, state = self.state.assistant_turn(self.turns, text)
        return self._after(turn, state)

    @property
    def broken(self) -> bool:
        """Whether a remark about the last turn is an error."""
        return any(remark.severity is Severity.ERROR for remark in self.remarks)

    @property
    def expected_tag(self) -> str:
        """The tag that the assistant has to answer with; "" if no command is waiting.

        An invalid command is answered with the error tag (VPP-08).
        """
        command = self.state.command
        if command is None:
            return ""
        return expected_echo(command) if command.sound else ERROR

    @property
    def next_tag(self) -> str:
        """The tag of the next command: the branch, or else the next tag of the pipeline."""
        last = self.state.last
        if last is None:
            return self.pipeline.steps[0].tag
        if last.branch and last.tag != ERROR:  # an error command branches at once
            return last.branch
        return self.pipeline.after(expected_echo(last))

    @property
    def cycle(self) -> int:
        """The position of the next answer in its cycle, from 1."""
        return self.state.cycle

    @property
    def tag_index(self) -> int:
        """The number after the tag in the footer of the next answer: uses of the expected tag."""
        return self.state.counts.get(self.expected_tag, 0) + 1

    @property
    def locus(self) -> str:
        """The locus of the next answer: the one of the command, or else of the pipeline."""
        named = self.state.command.locus if self.state.command else ""
        fits = named and not set(named) & set("|]")
        return (named.strip() if fits else "") or self.pipeline.locus(self.expected_tag)

    @property
    def recovery(self) -> Recovery | None:
        """How the user can continue after the last turn, None if nothing went wrong."""
        if self.last is None:
            return None
        by_user = self.last.reply is None
        command = self.state.command if by_user else self.state.last
        if command is not None and not command.sound:
            reason = "the command was invalid: report the mistake, then continue"
            return Recovery(command_line=write_command(OPERATOR_ERROR), reason=reason)
        if self.broken:
            line = write_command(self.next_tag) if by_user else self._correction(command)
            errors = [r.finding.message for r in self.remarks if r.severity is Severity.ERROR]
            return Recovery(command_line=line, reason="; ".join(errors))
        if self.state.recovering and not by_user:
            reason = "after an error, the conversation returns to a question"
            return Recovery(command_line=write_command("q", ["incorrect"]), reason=reason)
        return None

    def command_line(self, tag: str = "", modifiers: Sequence[str] = ()) -> str:
        """Return a command line for the user's next turn.

        Without a `tag`, it is the one of `recovery`, or of `next_tag`.

        Raises:
            ValueError: the line would break a rule; the message says which.
        """
        recovery = None if tag else self.recovery
        if recovery is not None and not modifiers:
            return recovery.command_line
        return write_command(tag or self.next_tag, modifiers)

    def footer(
        self, *, sources: str = NO_SOURCES, assumptions: int | None = None, locus: str = ""
    ) -> str:
        """Return the footer of the next answer; the default number is the one the command expects.

        Raises:
            ValueError: no command is waiting, or a value cannot be written into a footer.
        """
        if not self.expected_tag:
            raise ValueError("no command is waiting for an answer")
        expected = self.state.command.assumptions if self.state.command else None
        number = assumptions if assumptions is not None else expected or 0
        return write_footer(
            {
                "Version": f"v{self.state.declared}",
                "Tag": f"{self.expected_tag}_{self.tag_index}",
                "Sources": sources,
                "Assumptions": str(number),
                "Cycle": f"{self.cycle}/{CYCLE_LENGTH}",
                "Locus": locus or self.locus or DEFAULT_LOCUS,
            }
        )

    def reply(
        self,
        body: str,
        *,
        sources: str = NO_SOURCES,
        assumptions: int | None = None,
        locus: str = "",
    ) -> str:
        """Return the whole next answer: the tag, `body`, the footer.

        Raises:
            ValueError: as `footer`, or `body` contains a footer, or it is empty although it has to
                describe an error.
        """
        footer = self.footer(sources=sources, assumptions=assumptions, locus=locus)
        if any(map(is_footer, body.split("\n"))):
            raise ValueError("the body contains a footer; put backticks around it")
        if self.expected_tag == ERROR and not body.strip():
            raise ValueError("the body must describe the error")
        return f"<{self.expected_tag}>\n{body}\n{footer}"

    def _after(self, turn: VppTurn, state: State) -> Session:
        return replace(
            self,
            state=state,
            turns=self.turns + 1,
            last=turn,
            remarks=tuple(_remarks(turn, self.options.mode)),
        )

    def _correction(self, command: Command | None) -> str:
        """Return the command line with which the user has a wrong answer corrected.

        The specification names two ways: a footer that breaks a rule is taken up by a critique,
        and from any other error the conversation returns to `g` or `q`.
        """
        wrong = {r.code for r in self.remarks if r.severity is Severity.ERROR}
        if wrong <= _FOOTER_CODES and not self.state.recovering:
            return write_command("c", ["incorrect"])
        tag = expected_echo(command) if command else ""
        return write_command(tag if tag in RECOVERY_TAGS else RECOVERY_TAGS[-1], ["incorrect"])


def _remarks(turn: VppTurn, mode: Mode) -> Iterator[Remark]:
    for rule in VPP_RULES:
        level = rule.read if mode is Mode.READ else rule.severity
        for finding in rule.check(turn):
            yield Remark(code=rule.code, severity=level, finding=finding)
