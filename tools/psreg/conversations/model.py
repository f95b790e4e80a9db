"""Requests to an assistant and its replies: two ports of one method each.

`Ask` is a chat, as OpenAI-compatible endpoints define it; `Post` is JSON in and JSON out, as PB2S's
`/chat` defines it (PB2S-A2). Implementations limit time and size, and raise `EndpointError` if
there is no usable answer. Any JSON is an answer, however wrong: the protocols check it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import UnavailableError


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The assistant's reply.

    `finish` is why it stopped (`stop`, `length`, …) and `model` its name, "" if the endpoint does
    not say; `raw` is the JSON of the response, None for a stream.
    """

    text: str
    finish: str = ""
    model: str = ""
    raw: Any = None


Ask = Callable[[ChatRequest], ChatReply]
"""Continues a chat. Raises EndpointError."""

Post = Callable[[Any], Any]
"""Posts a JSON value and returns the JSON value of the response. Raises EndpointError."""


class EndpointError(UnavailableError):
    """There is no usable answer. Codes begin with `ENDPOINT_`.

    `status` is the HTTP status of a refusal, 0 if there was none. Endpoints refuse a setting that
    they do not support with 400 or 422.
    """

    def __init__(self, code: str, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(code, message, hint)
        self.status = status
