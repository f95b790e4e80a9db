"""Lets a model answer in PB2S: draft, reflect, revise, learn; at most twice, at most eight calls.

The gateway writes headings, proof and trace record. Every flag, bullet, takeaway and question is
the model's own; where it does not produce one that can be used there is no answer. What leaves has
been judged by all rules of the protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from psreg.conversations.gateway_phases import (
    AGAIN_PHASE,
    CLARIFY_PHASE,
    DRAFT_PHASE,
    FRAME,
    LEARNED_PHASE,
    REFLECT_PHASE,
    REVISE_PHASE,
    Phase,
    Said,
    said_in,
)
from psreg.conversations.model import Ask, ChatReply, ChatRequest, EndpointError, Message
from psreg.core.diagnostics import ERROR
from psreg.core.errors import UnavailableError
from psreg.protocols.pb2s.clarify_rules import MAX_CYCLES
from psreg.protocols.pb2s.rules import PB2S_RULES
from psreg.protocols.pb2s.run import exchange_of, replies_of
from psreg.protocols.pb2s.sections import CLARIFY
from psreg.protocols.pb2s.trace import prompt_hash

MOST_CALLS = 8
"""Requests to the upstream for one message, refused ones included."""

NO_SEED = "not supported by upstream"

_REFUSED = (400, 422)
"""How an endpoint refuses a setting that it does not have."""


class GatewayError(UnavailableError):
    """There is no answer that may leave. Codes begin with `UPSTREAM_`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the model is asked. `seed` is None where none is sent."""

    model: str = ""
    temperature: float = 0.2
    seed: int | None = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A reply as `/chat` sends it, the record that is kept of it, and how many calls it took."""

    reply: dict[str, Any]
    trace: dict[str, Any]
    calls: int


@dataclass(slots=True, kw_only=True)
class Gateway:
    """A model behind `ask` that answers in PB2S.

    `now` tells the time, with its zone, and `token` a random part of a reference: 8 to 36
    hexadecimal digits or a UUID. That the model refuses a seed is remembered.
    """

    ask: Ask
    now: Callable[[], datetime]
    token: Callable[[], str]
    settings: Settings = field(default_factory=Settings)
    seed_refused: bool = False

    def answer(self, message: str) -> Answered:
        """Return the reply to `message`.

        Raises:
            GatewayError: the model produced nothing that can be used.
            EndpointError: it did not answer.
        """
        talk = _Talk(self, message)
        sections, cycles = _loop(talk)
        decision = CLARIFY if CLARIFY in sections else "APPROVE"
        moment = self.now()
        proof = {
            "decision": decision,
            "cycles": cycles,
            "audit_ref": f"run-{moment:%Y%m%d-%H%M%S}-{self.token()}",
            "sampler": {"temperature": self.settings.temperature, "seed": self._seed_told},
        }
        text = "\n\n".join(f"{name}\n{said}" for name, said in sections.items()) + "\n"
        trace = {
            "timestamp": moment.isoformat(timespec="seconds"),
            "model_id": talk.model or self.settings.model or "unknown",
            "prompt_hash": prompt_hash(message),
            "pb2s_proof": proof,
        }
        reply = {"text": text, "pb2s_proof": proof}
        _check(message, reply, trace)
        return Answered(reply=reply, trace=trace, calls=talk.calls)

    @property
    def _seed_told(self) -> int | str | None:
        return NO_SEED if self.seed_refused else self.settings.seed


def _loop(talk: _Talk) -> tuple[dict[str, str], int]:
    """Return the sections to show, and how many cycles ran."""
    draft = talk.say(DRAFT_PHASE)
    reflect = talk.say(REFLECT_PHASE)
    revise = talk.say(REVISE_PHASE)
    shown = {"DRAFT": draft.text, "REFLECT": reflect.text, "REVISE": revise.text}
    if not reflect.contradicts:
        return {**shown, "LEARNED": talk.say(LEARNED_PHASE).text}, 1
    again = talk.say(AGAIN_PHASE)
    if not again.flags:  # nothing is left: the first cycle is the one that changed something
        return {**shown, "LEARNED": talk.say(LEARNED_PHASE).text}, MAX_CYCLES
    shown = {"DRAFT": revise.text, "REFLECT": again.text, "REVISE": talk.say(REVISE_PHASE).text}
    shown["LEARNED"] = talk.say(LEARNED_PHASE).text
    if again.contradicts:
        shown[CLARIFY] = talk.say(CLARIFY_PHASE).text
    return shown, MAX_CYCLES


class _Talk:
    """The conversation with the model about one message; it knows when enough was asked."""

    def __init__(self, gateway: Gateway, message: str) -> None:
        self._gateway = gateway
        self._messages = [
            Message(role="system", content=FRAME),
            Message(role="user", content=f"The message to answer:\n\n{message}"),
        ]
        self.calls = 0
        self.model = ""

    def say(self, phase: Phase) -> Said:
        """Return what the model says in `phase`, asked once more where it cannot be used.

        Raises:
            GatewayError: it cannot be used the second time either, or nothing more may be asked.
        """
        said = self._said(phase, phase.task)
        if said.fault:
            task = f"That cannot be used: {said.fault}. Write this step again. {phase.task}"
            said = self._said(phase, task)
        if said.fault:
            raise GatewayError(
                "UPSTREAM_UNUSABLE",
                f"the model's {phase.name} cannot be used: {said.fault}",
                "nothing is made up in its place; try another model or another message",
            )
        return said

    def _said(self, phase: Phase, task: str) -> Said:
        self._messages.append(Message(role="user", content=f"Next step: {phase.name}. {task}"))
        words = self._asked().text
        self._messages.append(Message(role="assistant", content=words))
        return said_in(phase, words)

    def _asked(self) -> ChatReply:
        """Return the model's reply, asked for without a seed where it refuses one."""
        gateway = self._gateway
        seed = None if gateway.seed_refused else gateway.settings.seed
        try:
            return self._call(seed)
        except EndpointError as error:
            if error.status not in _REFUSED or seed is None:
                raise
        reply = self._call(None)
        gateway.seed_refused = True
        return reply

    def _call(self, seed: int | None) -> ChatReply:
        if self.calls == MOST_CALLS:
            raise GatewayError(
                "UPSTREAM_CALLS",
                f"the model was asked {MOST_CALLS} times and has not finished",
                "more is never asked for one message",
            )
        self.calls += 1
        settings = self._gateway.settings
        reply = self._gateway.ask(
            ChatRequest(
                messages=tuple(self._messages),
                model=settings.model,
                temperature=settings.temperature,
                seed=seed,
            )
        )
        self.model = reply.model or self.model
        return reply


def _check(message: str, reply: dict[str, Any], trace: dict[str, Any]) -> None:
    """Return if a reply conforms. Raises GatewayError."""
    exchange = {**exchange_of(message, reply), "trace": trace}
    for judged in replies_of([(0, exchange)]):
        for rule in PB2S_RULES:
            for finding in rule.check(judged):
                if (finding.severity or rule.severity) is ERROR:
                    raise GatewayError(
                        "UPSTREAM_UNUSABLE",
                        f"the answer would break {rule.code}: {finding.message}",
                        f"see psreg explain {rule.code}",
                    )
