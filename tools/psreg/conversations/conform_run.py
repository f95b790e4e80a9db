"""The input of a conformance run, and its result for each prompt.

Each protocol has one function from a `Run` to its `Probe`s, a row of the table in `conform.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from psreg.conversations.model import Ask, ChatReply, ChatRequest, Message, Post
from psreg.core.diagnostics import Diagnostic
from psreg.protocols.pb2s.proof_rules import CUT_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A message for the endpoint. `id` identifies it in the report."""

    id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The endpoint as two ports, and the options of the command line.

    `settings` are the model, temperature and seed to request. `prompts` are the caller's, () for
    the protocol's own. `trace` reads the endpoint's current trace log, None if there is none.
    `documented` means that the endpoint's temperature is documented, whatever it is (PB2S-A13).
    """

    ask: Ask
    post: Post
    settings: ChatRequest = ChatRequest(messages=())  # noqa: RUF009 - frozen
    prompts: tuple[Prompt, ...] = ()
    trace: Callable[[], bytes] | None = None
    documented: bool = False

    def reply(self, messages: tuple[Message, ...]) -> ChatReply:
        """Return the reply to a chat with the settings. Raises EndpointError."""
        return self.ask(replace(self.settings, messages=messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One prompt, its answer and the findings about it.

    The `path` of the diagnostics is the `id`; their `excerpt` is the evidence. `notes` list what
    could not be verified. `finish` is why the model stopped, `proof` the proof of a PB2S reply.
    `records` are the exchange as lines of a transcript.
    """

    id: str
    prompt: str
    answer: str
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    finish: str = ""
    proof: Any = None
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def cut(self) -> bool:
        """Whether a limit or a filter cut the answer off, so that it cannot pass."""
        return self.finish in CUT_OFF


def finish_member(reply: ChatReply) -> dict[str, str]:
    """Return the member of a record that says what cut the answer off, if anything did."""
    return {"finish_reason": reply.finish} if reply.cut else {}
