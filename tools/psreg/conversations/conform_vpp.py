"""Put a chat endpoint through VPP: the canonical pipeline, then an error and the way back.

One conversation, turn by turn; what was answered before stays in it, right or wrong, as it would
between people. The assistant is told of the protocol in a message of the system.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle

from psreg.conversations.model import ChatReply, ChatRequest, Message
from psreg.conversations.probe import Probe, Prompt, Run
from psreg.core.diagnostics import ERROR, Diagnostic, Mode
from psreg.lint.locate import judge
from psreg.protocols.protocol import Options
from psreg.protocols.vpp import VPP, VPP_RULES
from psreg.protocols.vpp.command import read_command
from psreg.protocols.vpp.state import State
from psreg.protocols.vpp.system_prompt import system_prompt
from psreg.protocols.vpp.turn import VppTurn
from psreg.protocols.vpp.vocabulary import CANONICAL

OWN_PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        id="gather",
        message="We will explain in three sentences why leaves are green. Restate the task.",
    ),
    Prompt(id="question", message="Which single point would a reader find hardest to understand?"),
    Prompt(id="output", message="Write the three sentences."),
    Prompt(id="critique", message="Name one weakness of the three sentences."),
    Prompt(id="finalize", message="Give the final three sentences."),
)
"""A message for each step of the pipeline."""

ERROR_PATH: tuple[Prompt, ...] = (
    Prompt(id="invalid", message="!<x>\nJudge the three sentences once more."),
    Prompt(
        id="operator",
        message="!<e_o>\nThere is no such tag; that was my mistake. Say what we have so far.",
    ),
    Prompt(id="return", message="!<g>\nSay in one sentence what could be done next."),
)
"""A command that breaks the protocol, the admission of it, and the return to gathering."""

_NOTICED, _UNNOTICED = "VPP016", "VPP018"
"""What the rules say of an answer to an invalid command, by whether it reports it. A transcript
does not tell if the assistant could know; here the command is invalid on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Talk:
    """The conversation so far, as the rules see it and as the endpoint is sent it."""

    state: State
    messages: tuple[Message, ...]

    def say(self, text: str, run: Run) -> tuple[_Talk, ChatReply, VppTurn]:
        """Return the talk after the user said `text`, what was answered, and that as a unit."""
        asked = (*self.messages, Message(role="user", content=text))
        reply = run.ask(ChatRequest(messages=asked, model=run.model))
        answered = Message(role="assistant", content=reply.text)
        _, state = self.state.user_turn(len(self.messages), text)
        turn, state = state.assistant_turn(len(asked), reply.text)
        return _Talk(state=state, messages=(*asked, answered)), reply, turn


def probes(run: Run) -> Iterator[Probe]:
    """Yield a probe for each turn of the conversation, in order.

    The caller's prompts take the place of psreg's own: each gets the next command of the pipeline,
    or begins with a command of its own. The error path follows in any case.

    Raises:
        EndpointError: there is no answer to judge.
    """
    system = Message(role="system", content=system_prompt(VPP.version))
    talk = _Talk(state=State.beginning(Options(version=VPP.version)), messages=(system,))
    tags = cycle(step.tag for step in CANONICAL.steps)
    for prompt in (*(run.prompts or OWN_PROMPTS), *ERROR_PATH):
        command, tag = read_command(prompt.message).command, next(tags)
        text = prompt.message if command else f"!<{tag}>\n{prompt.message}"
        talk, reply, turn = talk.say(text, run)
        yield Probe(
            id=prompt.id,
            prompt=text,
            answer=reply.text,
            diagnostics=tuple(_judged(turn, prompt.id)),
            notes=("the endpoint cut this answer off",) if reply.finish == "length" else (),
        )


def _judged(turn: VppTurn, name: str) -> Iterator[Diagnostic]:
    asked_for = turn.command is not None and not turn.command.sound
    for diagnostic in judge(VPP_RULES, turn, turn, name, Mode.STRICT):
        if diagnostic.code == _UNNOTICED:
            yield replace(diagnostic, severity=ERROR)
        elif not (asked_for and diagnostic.code == _NOTICED):
            yield diagnostic
