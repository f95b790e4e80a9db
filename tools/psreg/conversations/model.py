"""Requests to an assistant and its replies: two ports of one method each.

`Ask` is a chat, as OpenAI-compatible endpoints define it; `Post` is JSON in and JSON out, as PB2S's
`/chat` defines it (PB2S-A2). Implementations limit time and size, and raise `EndpointError` if
there is no usable answer. Any JSON is an answer, however wrong: the protocols check it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.core.errors import UnavailableError
from psreg.protocols.pb2s.proof_rules import CUT_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a chat. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat to continue. A setting of None, or model "", is left to the endpoint."""

    messages: tuple[Message, ...]
    model: str = ""
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The assistant's reply.

    `text` is the answer without `reasoning`, which many models write first. `finish` is why it
    stopped (`stop`, `length`, …) and `model` its name, "" if the endpoint does not say; `usage` are
    the numbers of tokens that it reports, `prompt_tokens` and `completion_tokens`.
    """

    text: str
    reasoning: str = ""
    finish: str = ""
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)

    @property
    def cut(self) -> bool:
        """Whether a limit or a filter cut the answer off."""
        return self.finish in CUT_OFF


Ask = Callable[[ChatRequest], ChatReply]
"""Continues a chat. Raises EndpointError."""

Post = Callable[[Any], Any]
"""Posts a JSON value and returns the JSON value of the response.

Raises EndpointError; DuplicateKeyError if an object of the response has a key twice.
"""


REFUSED = (400, 422)
"""The statuses with which endpoints refuse a setting that they do not support."""


class EndpointError(UnavailableError):
    """There is no usable answer. Codes begin with `ENDPOINT_`.

    `status` is the HTTP status of a refusal, 0 if there was none; `wait` is the number of seconds
    that the endpoint asks to wait before the next request.
    """

    wait = 0.0

    def __init__(self, code: str, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(code, message, hint)
        self.status = status


class DuplicateKeyError(EndpointError):
    """An object of the answer has the same key twice, so that two readers may understand two."""

    def __init__(self, key: str) -> None:
        message = f"the answer of the endpoint is invalid: the key `{key[:40]}` occurs twice"
        super().__init__("ENDPOINT_ANSWER", message)
        self.key = key
