"""An assistant reached over HTTP: chats at `/v1/chat/completions`, JSON posted to a `/chat`.

The limits bound what an endpoint can cost: every wait, the time of one answer with all attempts,
and its bytes. A redirect is never followed, because the key would be sent along. The key is never
part of a message, and an answer that contains it is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, TypeVar
from urllib.parse import SplitResult

from psreg.conversations.endpoint.address import CHAT_PATH, KEY, key_for
from psreg.conversations.endpoint.answer import Streamed, chat_of, json_of, models_of, said, wrong
from psreg.conversations.model import REFUSED, ChatReply, ChatRequest, EndpointError
from psreg.formats.json.json_document import strings_in
from psreg.http.client import Answer, Client
from psreg.http.errors import (
    BusyError,
    CertificateError,
    HttpError,
    SlowError,
    TooMuchError,
    UnreachableError,
)
from psreg.http.retry_budget import Limits

PATIENCE = Limits(connect=10, silence=120, request=300, run=300, rate=0, retries=2, backoff=0.5)
"""Limits of one answer: models take minutes, and stream slowly. `run` includes retries."""

LARGEST = 8 * 1024 * 1024
"""Maximum bytes of one answer."""

_SECRET = 16
"""Minimum length of a real key; local servers accept a word such as `none`."""

T = TypeVar("T")


class Endpoint:
    """The endpoint at one address; `calls` counts the requests made, retries included.

    `headers` are sent with every request; their values may be keys and are kept as secret.
    """

    def __init__(
        self,
        url: SplitResult,
        environ: Mapping[str, str],
        limits: Limits = PATIENCE,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._url = url
        self._key = key_for(url, environ)
        self._more = headers or {}
        given = (self._key, *self._more.values())
        self._secrets = tuple(value for value in given if len(value) >= _SECRET)
        self._limits = limits
        self._counts_tokens = True
        self.calls = 0

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the assistant's reply to a chat, as a whole.

        Raises:
            EndpointError: there is no usable answer.
        """
        return chat_of(self.post(_document(request)))

    def models(self) -> tuple[str, ...]:
        """Return the models that the endpoint lists.

        Raises:
            EndpointError: there is no list.
        """
        return models_of(self._settled(self._listed))

    def post(self, value: Any) -> Any:
        """Post a JSON value and return the JSON of the answer.

        Raises:
            EndpointError: there is no answer, or it is not JSON.
        """
        return self._settled(partial(self._posted, value))

    def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        """Return the assistant's reply to a chat; `heard` is called with each piece as it arrives.

        An endpoint that does not stream sends one piece. After the first piece there are no
        retries.

        Raises:
            EndpointError: there is no usable answer, or it ends too early.
        """
        try:
            return self._settled(partial(self._streamed, request, heard))
        except EndpointError as error:
            if not self._counts_tokens or error.status not in REFUSED:
                raise
        self._counts_tokens = False  # some endpoints refuse to be asked for it
        return self._settled(partial(self._streamed, request, heard))

    def _settled(self, attempt: Callable[[Client], T]) -> T:
        """Return what `attempt` returns; all attempts share the time limit of one answer."""
        with closing(Client(self._url, self._limits, self._headers())) as client:
            try:
                return client.with_retries(partial(attempt, client))
            except HttpError as error:
                raise self._failure(error) from error
            finally:
                self.calls += client.calls

    def _failure(self, error: HttpError) -> EndpointError:
        meant = next(meant for kind, meant in _FAILURES if isinstance(error, kind))
        told = f"{meant.message} from {self._url.netloc}: {error}"
        hint = meant.hint
        if (error.wait or 0.0) > self._limits.longest_wait:
            hint = f"Try again in {error.wait:.0f} seconds, as the endpoint asks."
        status = error.status if isinstance(error, BusyError) else 0
        failure = EndpointError(meant.code, told, hint, status)
        failure.wait = error.wait or 0.0
        return failure

    def _posted(self, value: Any, client: Client) -> Any:
        with self._answer(value, client) as answer:
            return self._decoded(answer)

    def _listed(self, client: Client) -> Any:
        target = self._target.replace(CHAT_PATH, "/models", 1)
        with client.exchange("GET", target) as answer:
            self._check(answer)
            return self._decoded(answer)

    def _decoded(self, answer: Answer) -> Any:
        data = answer.body(LARGEST)
        self._guard(data.decode(errors="replace"))
        value = json_of(data)
        self._guard_value(value)
        return value

    def _streamed(
        self, request: ChatRequest, heard: Callable[[str], None], client: Client
    ) -> ChatReply:
        reply, tail = Streamed(check=self._guard_value), ""
        longest = max(map(len, self._secrets), default=0)
        with closing(self._pieces(request, reply, client)) as pieces:
            for piece in pieces:
                tail = tail[-longest:] + piece if longest else ""
                self._guard(tail)
                heard(piece)
        self._guard(reply.reply.reasoning)
        return reply.reply

    def _pieces(
        self, request: ChatRequest, reply: Streamed, client: Client
    ) -> Generator[str, None, None]:
        counting = {"stream_options": {"include_usage": True}} if self._counts_tokens else {}
        asked = {**_document(request), "stream": True, **counting}
        try:
            with self._answer(asked, client) as answer:
                kind = answer.header("Content-Type").partition(";")[0].strip().lower()
                if kind == "text/event-stream":
                    yield from reply.pieces(answer.lines(LARGEST))
                else:
                    whole = chat_of(self._decoded(answer))
                    reply.take(whole)
                    yield whole.text
        except HttpError as error:
            if reply.parts:  # pieces that were passed on cannot be taken back
                raise self._failure(error) from error
            raise

    @contextmanager
    def _answer(self, value: Any, client: Client) -> Iterator[Answer]:
        """Send a request and give its answer, if the answer is not an error."""
        with client.exchange("POST", self._target, json.dumps(value).encode()) as answer:
            self._check(answer)
            yield answer

    def _check(self, answer: Answer) -> None:
        """Return if the answer can be read. Raises BusyError, EndpointError."""
        status = answer.status
        if 200 <= status < 300:  # noqa: PLR2004 - OK, Created
            if answer.coding:
                raise wrong(f"it is compressed ({answer.coding})")
            return
        if 300 <= status < 400:  # noqa: PLR2004 - redirects
            message = f"{self._url.netloc} redirects to another address"
            hint = "Write the new address; psreg never sends a key to the target of a redirect."
            raise EndpointError("ENDPOINT_REDIRECT", message, hint, status)
        told = f"status {status}{self._words(answer.page())}"
        if answer.busy:
            raise BusyError(told, status, answer.wait)
        message = f"{self._url.netloc} answers with {told}"
        raise EndpointError("ENDPOINT_REFUSED", message, _HINTS.get(status, ""), status)

    def _words(self, data: bytes) -> str:
        """Return the message of an error page, without the key."""
        try:
            words = said(json_of(data))
        except EndpointError:
            return ""
        for secret in self._secrets:
            words = words.replace(secret, "…")
        return f": {words}" if words else ""

    def _guard(self, text: str) -> None:
        """Return if `text` does not contain a key. Raises EndpointError."""
        if any(secret in text for secret in self._secrets):
            message = "the endpoint sent the key back; its answer was dropped"
            raise EndpointError("ENDPOINT_KEY", message, "Do not give it another key.")

    def _guard_value(self, value: Any) -> None:
        """Return if no string in a JSON value contains a key. Raises EndpointError."""
        for text in strings_in(value) if self._secrets else ():
            self._guard(text)

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream"}
        bearer = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return headers | bearer | dict(self._more)

    @property
    def _target(self) -> str:
        query = f"?{self._url.query}" if self._url.query else ""
        return f"{self._url.path}{query}"


_NONE = "no answer"

_FAILURES: tuple[tuple[type[HttpError], EndpointError], ...] = (
    (SlowError, EndpointError("ENDPOINT_SLOW", _NONE, "Set a longer --timeout.")),
    (TooMuchError, EndpointError("ENDPOINT_TOO_LONG", _NONE)),
    (
        CertificateError,
        EndpointError("ENDPOINT_TLS", _NONE, "Check the address and its certificate."),
    ),
    (BusyError, EndpointError("ENDPOINT_BUSY", _NONE, "Try again later.")),
    (
        UnreachableError,
        EndpointError(
            "ENDPOINT_UNREACHABLE",
            _NONE,
            "Check the address, and that a server is listening there.",
        ),
    ),
    (HttpError, EndpointError("ENDPOINT_CUT", _NONE, "Try again later.")),
)
"""The error of psreg for each error of HTTP: code, message and hint."""

_HINTS = {
    401: f"Set {KEY} to a valid key.",
    403: f"Set {KEY} to a key that is allowed to do this.",
    404: "Check the address and the name of the model.",
}


def _document(request: ChatRequest) -> dict[str, Any]:
    """Return the JSON body of a request; settings without a value are left out."""
    settings = {
        "model": request.model or None,
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
    }
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    given = {key: value for key, value in settings.items() if value is not None}
    return {"messages": messages, **given}
