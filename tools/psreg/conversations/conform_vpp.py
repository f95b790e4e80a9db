"""The conformance run for VPP: the canonical pipeline, then an error and the recovery.

It is one conversation, turn by turn; earlier answers stay in it, correct or not. The system message
explains the protocol to the assistant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle

from psreg.conversations.conform_run import Probe, Prompt, Run, finish_member
from psreg.conversations.model import ChatReply, Message
from psreg.core.diagnostics import ERROR, Diagnostic, Mode
from psreg.lint.locate import judge
from psreg.protocols.protocol import Options
from psreg.protocols.vpp import VPP, VPP_RULES
from psreg.protocols.vpp.command import read_command
from psreg.protocols.vpp.system_prompt import system_prompt
from psreg.protocols.vpp.units import State, VppTurn
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
"""An invalid command, the user's report of it, and the return to gathering."""

_REPORTED, _UNREPORTED = "VPP016", "VPP018"
"""The findings about an answer to an invalid command: it reports the command, or does not. In a
transcript the second is not an error; here it is, because the command is invalid on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    """The conversation so far: the state for the rules, and the messages for the endpoint."""

    state: State
    messages: tuple[Message, ...]

    def send(self, text: str, run: Run) -> tuple[_Conversation, ChatReply, VppTurn]:
        """Send `text`; return the conversation after it, the reply, and the reply as a turn."""
        messages = (*self.messages, Message(role="user", content=text))
        reply = run.reply(messages)
        answered = Message(role="assistant", content=reply.text)
        _, state = self.state.user_turn(len(self.messages), text)
        turn, state = state.assistant_turn(len(messages), reply.text)
        return _Conversation(state=state, messages=(*messages, answered)), reply, turn


def probes(run: Run) -> Iterator[Probe]:
    """Yield a probe for each turn of the conversation, in order.

    The caller's prompts replace psreg's own: each gets the next command of the pipeline, unless it
    begins with a command. The error path always follows.

    Raises:
        EndpointError: the endpoint gave no usable answer.
    """
    system = Message(role="system", content=system_prompt(VPP.version))
    conversation = _Conversation(
        state=State.beginning(Options(version=VPP.version)), messages=(system,)
    )
    tags = cycle(step.tag for step in CANONICAL.steps)
    prompts = (*(run.prompts or OWN_PROMPTS), *ERROR_PATH)
    first = prompts[0]
    for prompt in prompts:
        command, tag = read_command(prompt.message).command, next(tags)
        text = prompt.message if command else f"!<{tag}>\n{prompt.message}"
        begun = () if prompt is not first else ({"role": "system", "content": system.content},)
        conversation, reply, turn = conversation.send(text, run)
        yield Probe(
            id=prompt.id,
            prompt=text,
            answer=reply.text,
            diagnostics=tuple(_findings(turn, prompt.id)),
            finish=reply.finish,
            records=(
                *begun,
                {"role": "user", "content": text},
                {"role": "assistant", "content": reply.text, **finish_member(reply)},
            ),
        )


def _findings(turn: VppTurn, name: str) -> Iterator[Diagnostic]:
    invalid_command = turn.command is not None and not turn.command.sound
    for diagnostic in judge(VPP_RULES, turn, turn, name, Mode.STRICT):
        if diagnostic.code == _UNREPORTED:
            yield replace(diagnostic, severity=ERROR)
        elif not (invalid_command and diagnostic.code == _REPORTED):
            yield diagnostic
