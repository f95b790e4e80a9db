"""Makes a model answer in PB2S: draft, reflect, revise, learn; at most twice, at most eight calls.

The gateway writes the headings, the proof and the trace record. Every flag, bullet, takeaway and
question is the model's own: apart from the heading of a phase and surrounding whitespace, nothing
is added to or removed from its text. If a text cannot be used, there is no answer. All rules of the
protocol check a reply before it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from psreg.conversations.model import (
    REFUSED,
    Ask,
    ChatReply,
    ChatRequest,
    EndpointError,
    Message,
)
from psreg.core.diagnostics import ERROR, Span
from psreg.core.errors import UnavailableError
from psreg.protocols.pb2s import PB2S_RULES
from psreg.protocols.pb2s.clarify_rules import MAX_CYCLES, QUESTIONS
from psreg.protocols.pb2s.flags import CONTRADICTION, flags_of
from psreg.protocols.pb2s.section_rules import MAX_BULLETS
from psreg.protocols.pb2s.sections import CLARIFY, answer_of, bullets_of, questions_of
from psreg.protocols.pb2s.trace import prompt_hash
from psreg.protocols.pb2s.units import exchange_of, replies_of


@dataclass(frozen=True, slots=True)
class PhaseText:
    """The model's text of one phase, or what is wrong with it."""

    text: str
    fault: str = ""

    @property
    def whole(self) -> Span:
        """The span of the whole text."""
        return Span(0, len(self.text))

    @property
    def contradicts(self) -> bool:
        """Whether it names a contradiction."""
        return any(flag.term == CONTRADICTION for flag in flags_of(self.text, self.whole))

    @property
    def flags(self) -> bool:
        """Whether it names any of the flaws that a reflection must name."""
        return any(True for _ in flags_of(self.text, self.whole))


class Phase(NamedTuple):
    """One step: the task for the model, and a check of its text."""

    name: str
    task: str
    fault_of: Callable[[PhaseText], str]


def _read_phase(phase: Phase, words: str) -> PhaseText:
    """Return the usable text in the `words` that a model answered in `phase`."""
    answer = answer_of(words)
    text = words.strip()
    if answer.sections:
        (first, *others) = answer.sections
        if others or first.name != phase.name or answer.preamble.start < answer.preamble.end:
            return PhaseText("", "it has headings of other steps")
        text = answer.body(first)
    result = PhaseText(text)
    return PhaseText(text, "it is empty" if not text else phase.fault_of(result))


def _any_text(_result: PhaseText) -> str:
    return ""


def _reflection(result: PhaseText) -> str:
    count = len(bullets_of(result.text, result.whole))
    if not 1 <= count <= MAX_BULLETS:
        return f"it has {count} bullets, and should have one to {MAX_BULLETS}"
    return "" if result.flags else "it names none of the three things to look for"


def _second_reflection(result: PhaseText) -> str:
    count = len(bullets_of(result.text, result.whole))
    return f"it has {count} bullets; {MAX_BULLETS} are the most" if count > MAX_BULLETS else ""


def _clarification(result: PhaseText) -> str:
    count = len(questions_of(result.text, result.whole))
    return "" if count == QUESTIONS else f"it asks {count} questions, and should ask exactly two"


SYSTEM_PROMPT = (
    "You answer in separate steps, and are told which step comes next. Reply with the content of "
    "that step alone: no heading, no remark before or after it, and in the language of the message."
)
"""The system message."""

_REFLECTION_TASK = (
    "Write a list of one to three bullets, each on a line that begins with '- '. Begin each bullet "
    "with the one of these terms that fits, in English: 'contradiction', 'unjustified assumption', "
    "'missing evidence'. Look for what is really there."
)

DRAFT_PHASE = Phase(
    "DRAFT", "Write a first answer to the message, as short as it can be.", _any_text
)
REFLECT_PHASE = Phase("REFLECT", f"Examine the draft. {_REFLECTION_TASK}", _reflection)
SECOND_REFLECT_PHASE = Phase(
    "REFLECT",
    f"Examine the revised answer as if it were a new draft. {_REFLECTION_TASK} "
    "If nothing is left of the three, say so in one sentence instead.",
    _second_reflection,
)
REVISE_PHASE = Phase(
    "REVISE",
    "Write the revised answer in full. Say which bullets it resolves, by number: 'Resolved bullet "
    "1: …'; if one cannot be resolved, say so.",
    _any_text,
)
LEARNED_PHASE = Phase(
    "LEARNED",
    "List what was learned and holds beyond this answer: one to three bullets, each on a line that "
    "begins with '- '.",
    _any_text,
)
CLARIFY_PHASE = Phase(
    CLARIFY,
    "A contradiction remains. Ask the user exactly two questions whose answers would settle it, "
    "each on a line of its own and ending in a question mark. Write nothing else.",
    _clarification,
)


MAX_CALLS = 8
"""Maximum number of requests to the upstream for one message, including refused ones."""

NO_SEED = "not supported by upstream"
DOCUMENTED = "the operator documents the temperature"


class Roles(StrEnum):
    """The roles that a model accepts; in all modes but `ANY`, user and assistant alternate."""

    ANY = "any"
    ALTERNATING = "alternating"
    NO_SYSTEM = "no-system"


def arranged(messages: Sequence[Message], roles: Roles) -> tuple[Message, ...]:
    """Return the messages in an order of roles that the model accepts.

    Adjacent messages of one role become one; without a system message, its text begins the first
    message of the user.
    """
    found: list[Message] = []
    for message in messages:
        role = "user" if roles is Roles.NO_SYSTEM and message.role == "system" else message.role
        if roles is not Roles.ANY and found and found[-1].role == role:
            joined = f"{found[-1].content}\n\n{message.content}"
            found[-1] = Message(role=role, content=joined)
        else:
            found.append(Message(role=role, content=message.content))
    return tuple(found)


class GatewayError(UnavailableError):
    """There is no answer that conforms. Codes begin with `UPSTREAM_`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of requests to the model. `seed` None sends no seed.

    `documented` means that a temperature above 0.2 is documented; the proof then says so.
    """

    model: str = ""
    temperature: float = 0.2
    seed: int | None = 7
    documented: bool = False
    roles: Roles = Roles.ANY


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayAnswer:
    """A reply as `/chat` sends it, its trace record, and the number of calls it took."""

    reply: dict[str, Any]
    trace: dict[str, Any]
    calls: int


@dataclass(slots=True, kw_only=True)
class Gateway:
    """A model behind `ask` that answers in PB2S.

    `now` returns the time with its zone, and `token` a random part of a reference: 8 to 36
    hexadecimal digits or a UUID. `seed_refused` remembers that the model does not support a seed.
    """

    ask: Ask
    now: Callable[[], datetime]
    token: Callable[[], str]
    settings: Settings = field(default_factory=Settings)
    seed_refused: bool = False

    def answer(self, message: str) -> GatewayAnswer:
        """Return the reply to `message`.

        Raises:
            GatewayError: the model gave no usable answer.
            EndpointError: the model did not answer.
        """
        dialogue = _Dialogue(self, message)
        sections, cycles = _loop(dialogue)
        decision = CLARIFY if CLARIFY in sections else "APPROVE"
        moment = self.now()
        proof = {
            "decision": decision,
            "cycles": cycles,
            "audit_ref": f"run-{moment:%Y%m%d-%H%M%S}-{self.token()}",
            "sampler": self._sampler,
        }
        text = "\n\n".join(f"{name}\n{result}" for name, result in sections.items()) + "\n"
        trace = {
            "timestamp": moment.isoformat(timespec="seconds"),
            "model_id": dialogue.model or self.settings.model or "unknown",
            "prompt_hash": prompt_hash(message),
            "pb2s_proof": proof,
        }
        reply = {"text": text, "pb2s_proof": proof}
        _check(message, reply, trace)
        return GatewayAnswer(reply=reply, trace=trace, calls=dialogue.calls)

    @property
    def _sampler(self) -> dict[str, Any]:
        """The sampling as the proof reports it."""
        settings = self.settings
        seed = NO_SEED if self.seed_refused else settings.seed
        waiver = {"waiver": DOCUMENTED} if settings.documented else {}
        return {"temperature": settings.temperature, "seed": seed, **waiver}


def _loop(dialogue: _Dialogue) -> tuple[dict[str, str], int]:
    """Return the sections of the reply, and the number of cycles."""
    draft = dialogue.run(DRAFT_PHASE)
    reflect = dialogue.run(REFLECT_PHASE)
    revise = dialogue.run(REVISE_PHASE)
    shown = {"DRAFT": draft.text, "REFLECT": reflect.text, "REVISE": revise.text}
    if not reflect.contradicts:
        return {**shown, "LEARNED": dialogue.run(LEARNED_PHASE).text}, 1
    again = dialogue.run(SECOND_REFLECT_PHASE)
    if not again.flags:  # nothing is left, so show the first cycle: it changed something
        return {**shown, "LEARNED": dialogue.run(LEARNED_PHASE).text}, MAX_CYCLES
    shown = {"DRAFT": revise.text, "REFLECT": again.text, "REVISE": dialogue.run(REVISE_PHASE).text}
    shown["LEARNED"] = dialogue.run(LEARNED_PHASE).text
    if again.contradicts:
        shown[CLARIFY] = dialogue.run(CLARIFY_PHASE).text
    return shown, MAX_CYCLES


class _Dialogue:
    """The conversation with the model about one message, with its limit of calls."""

    def __init__(self, gateway: Gateway, message: str) -> None:
        self._gateway = gateway
        self._messages = [
            Message(role="system", content=SYSTEM_PROMPT),
            Message(role="user", content=f"The message to answer:\n\n{message}"),
        ]
        self.calls = 0
        self.model = ""

    def run(self, phase: Phase) -> PhaseText:
        """Return the model's text of `phase`; ask a second time if the first text is unusable.

        Raises:
            GatewayError: the second text is unusable as well, or the limit of calls is reached.
        """
        result = self._ask(phase, phase.task)
        if result.fault:
            task = f"That cannot be used: {result.fault}. Write this step again. {phase.task}"
            result = self._ask(phase, task)
        if result.fault:
            raise GatewayError(
                "UPSTREAM_UNUSABLE",
                f"the model's {phase.name} cannot be used: {result.fault}",
                "Try another model or another message.",
            )
        return result

    def _ask(self, phase: Phase, task: str) -> PhaseText:
        self._messages.append(Message(role="user", content=f"Next step: {phase.name}. {task}"))
        reply = self._reply()
        self._messages.append(Message(role="assistant", content=reply.text))
        if reply.cut:  # the rest may say the opposite
            return PhaseText("", "it was cut off")
        return _read_phase(phase, reply.text)

    def _reply(self) -> ChatReply:
        """Return the model's reply; ask without a seed if the model refuses one."""
        gateway = self._gateway
        seed = None if gateway.seed_refused else gateway.settings.seed
        try:
            return self._call(seed)
        except EndpointError as error:
            if error.status not in REFUSED or seed is None:
                raise
        reply = self._call(None)
        gateway.seed_refused = True
        return reply

    def _call(self, seed: int | None) -> ChatReply:
        if self.calls == MAX_CALLS:
            raise GatewayError(
                "UPSTREAM_CALLS",
                f"the model has not finished after {MAX_CALLS} calls, the limit for one message",
                "Try another model or another message.",
            )
        self.calls += 1
        settings = self._gateway.settings
        reply = self._gateway.ask(
            ChatRequest(
                messages=arranged(self._messages, settings.roles),
                model=settings.model,
                temperature=settings.temperature,
                seed=seed,
            )
        )
        self.model = reply.model or self.model
        return reply


def _check(message: str, reply: dict[str, Any], trace: dict[str, Any]) -> None:
    """Check that a reply conforms.

    Raises:
        GatewayError: the reply breaks a rule of the protocol.
    """
    exchange = {**exchange_of(message, reply), "trace": trace}
    for parsed in replies_of([(0, exchange)]):
        for rule in PB2S_RULES:
            for finding in rule.check(parsed):
                if (finding.severity or rule.severity) is ERROR:
                    raise GatewayError(
                        "UPSTREAM_UNUSABLE",
                        f"the answer would break {rule.code}: {finding.message}",
                        f"Run `psreg explain {rule.code}` for details.",
                    )
