"""What psreg asks of an assistant, and what comes back: two ports of one method each.

`Ask` is a chat, as OpenAI-compatible endpoints understand it; `Post` is JSON in and JSON out, as
PB2S's `/chat` does it (READINGS PB2S-A2). Whoever implements them bounds time and size, and raises
`EndpointError` where there is no answer that can be used. What is JSON is an answer, however
wrong: protocols judge it.
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
    """A chat so far, to be continued. None leaves a setting to the endpoint; so does model ""."""

    messages: tuple[Message, ...]
    model: str = ""
    temperature: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What the assistant says.

    `finish` is why it stopped (`stop`, `length`, …) and `model` its name, "" where the endpoint
    does not say; `raw` is the JSON that was answered, None of a stream.
    """

    text: str
    finish: str = ""
    model: str = ""
    raw: Any = None


Ask = Callable[[ChatRequest], ChatReply]
"""Continues a chat. Raises EndpointError."""

Post = Callable[[Any], Any]
"""Posts a JSON value and returns the JSON value that is answered. Raises EndpointError."""


class EndpointError(UnavailableError):
    """There is no answer that can be used. Codes begin with `ENDPOINT_`.

    `status` is the HTTP status of a refusal, 0 where there was none; 400 and 422 are how endpoints
    refuse a setting that they do not have.
    """

    def __init__(self, code: str, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(code, message, hint)
        self.status = status
