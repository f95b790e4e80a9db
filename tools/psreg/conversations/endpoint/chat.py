"""An assistant behind HTTP: chats at `/v1/chat/completions`, JSON posted to a `/chat`.

An endpoint can cost at most what the limits say: every wait, the whole of one answer with all
attempts, and its bytes are bounded. A redirect is never followed, because the key would follow it.
The key is in no message, and an answer in which it comes back is dropped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, TypeVar
from urllib.parse import SplitResult

from psreg import __version__
from psreg.conversations.endpoint.address import KEY, key_for
from psreg.conversations.endpoint.answer import Streamed, chat_of, json_of, said, wrong
from psreg.conversations.endpoint.waiting import BusyError, seconds_asked, settled
from psreg.conversations.model import ChatReply, ChatRequest, EndpointError
from psreg.http.connection import connection_to
from psreg.http.deadlines import Pace, TooSlowError, paced_response
from psreg.http.source import Limits

PATIENCE = Limits(connect=10, silence=120, request=300, run=300, rate=0, retries=2, backoff=0.5)
"""What one answer may cost: models think for minutes, and speak slowly. `run` is with retries."""

LARGEST = 8 * 1024 * 1024
"""Bytes of one answer."""

_SECRET = 16
"""Characters of a key that is one; servers at home are content with a word such as `none`."""

_CHUNK = 64 * 1024
_LONGEST_LINE = 1024 * 1024
_ERROR_PAGE = 64 * 1024
_BUSY = (429, 500, 502, 503, 504, 529)
_LOST = (ConnectionResetError, BrokenPipeError, HTTPException)

T = TypeVar("T")


class Endpoint:
    """What is at one address; `calls` counts the requests made, retries included."""

    def __init__(
        self, url: SplitResult, environ: Mapping[str, str], limits: Limits = PATIENCE
    ) -> None:
        self._url = url
        self._key = key_for(url, environ)
        self._secret = self._key if len(self._key) >= _SECRET else ""
        self._limits = limits
        self.calls = 0

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return how the assistant continues a chat, as a whole.

        Raises:
            EndpointError: there is no answer that can be used.
        """
        reply = chat_of(self.post(_document(request)))
        self._guard(reply.text)
        return reply

    def post(self, value: Any) -> Any:
        """Return the JSON that is answered to a JSON value.

        Raises:
            EndpointError: there is no answer, or none that is JSON.
        """
        return self._settled(partial(self._posted, value))

    def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        """Return how the assistant continues a chat; `heard` is given each piece as it comes.

        An endpoint that does not stream is heard in one piece. Once something was heard, nothing
        is asked again.

        Raises:
            EndpointError: there is no answer that can be used, or it ends too early.
        """
        return self._settled(partial(self._streamed, request, heard))

    def _settled(self, attempt: Callable[[Pace], T]) -> T:
        return settled(attempt, self._limits, self._host)

    def _posted(self, value: Any, pace: Pace) -> Any:
        with self._answer(value, pace) as response:
            return self._decoded(response)

    def _decoded(self, response: HTTPResponse) -> Any:
        data = b"".join(_chunks(response))
        self._guard(data.decode(errors="replace"))
        return json_of(data)

    def _streamed(
        self, request: ChatRequest, heard: Callable[[str], None], pace: Pace
    ) -> ChatReply:
        reply, tail = Streamed(), ""
        with closing(self._pieces(request, reply, pace)) as pieces:
            for piece in pieces:
                tail = tail[-len(self._secret) :] + piece if self._secret else ""
                self._guard(tail)
                heard(piece)
        return reply.reply

    def _pieces(
        self, request: ChatRequest, reply: Streamed, pace: Pace
    ) -> Generator[str, None, None]:
        try:
            with self._answer({**_document(request), "stream": True}, pace) as response:
                kind = response.getheader("Content-Type", "").partition(";")[0].strip().lower()
                if kind == "text/event-stream":
                    yield from reply.pieces(_lines(response))
                else:
                    whole = chat_of(self._decoded(response))
                    reply.finish, reply.model = whole.finish, whole.model
                    reply.parts.append(whole.text)
                    yield whole.text
        except BusyError as error:
            if reply.parts:  # what was heard cannot be taken back
                raise EndpointError("ENDPOINT_CUT", error.message) from error
            raise

    @contextmanager
    def _answer(self, value: Any, pace: Pace) -> Iterator[HTTPResponse]:
        """Give the answer to a request, which is none of an error."""
        try:
            pace.start()
            connection = connection_to(self._url, pace.patience(self._limits.connect))
            connection.response_class = paced_response(pace)
            with closing(connection):
                self.calls += 1
                connection.request("POST", self._target, json.dumps(value), self._headers())
                with connection.getresponse() as response:
                    self._check(response)
                    yield response
        except (TimeoutError, TooSlowError) as error:
            message = f"{self._host} takes too long to answer"
            raise EndpointError("ENDPOINT_SLOW", message, "give it more --timeout") from error
        except _LOST as error:
            message = f"{self._host} breaks the connection: {_reason(error)}"
            raise BusyError("ENDPOINT_CUT", message, "try again later") from error
        except OSError as error:
            tls = type(error).__name__ == "SSLCertVerificationError"
            raise EndpointError(
                "ENDPOINT_TLS" if tls else "ENDPOINT_UNREACHABLE",
                f"cannot reach {self._host}: {_reason(error)}",
                "check the address, and that something is listening there",
            ) from error

    def _check(self, response: HTTPResponse) -> None:
        """Return if the answer is one to read. Raises EndpointError."""
        status = response.status
        if 200 <= status < 300:  # noqa: PLR2004 - OK, Created
            coding = response.getheader("Content-Encoding", "identity").strip().lower()
            if coding not in ("identity", ""):
                raise wrong(f"it is compressed ({coding})")
            return
        if 300 <= status < 400:  # noqa: PLR2004 - redirects
            message = f"{self._host} redirects to another address"
            hint = "name that address; a key is never sent on"
            raise EndpointError("ENDPOINT_REDIRECT", message, hint, status)
        words = self._words(response.read(_ERROR_PAGE))
        message = f"{self._host} answers with status {status}{words}"
        if status in _BUSY:
            wait = seconds_asked(response.getheader("Retry-After", ""), time.time())
            raise BusyError("ENDPOINT_BUSY", message, "try again later", status, wait)
        raise EndpointError("ENDPOINT_REFUSED", message, _HINTS.get(status, ""), status)

    def _words(self, data: bytes) -> str:
        """Return what the page of an error says, without the key."""
        try:
            words = said(json_of(data))
        except EndpointError:
            return ""
        words = words.replace(self._secret, "…") if self._secret else words
        return f": {words}" if words else ""

    def _guard(self, text: str) -> None:
        """Return if the key is not in what the endpoint says. Raises EndpointError."""
        if self._secret and self._secret in text:
            message = "the endpoint sends the key back; its answer was dropped"
            raise EndpointError("ENDPOINT_KEY", message, "do not trust it with another key")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": f"psreg/{__version__}",
        }
        return headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {})

    @property
    def _target(self) -> str:
        query = f"?{self._url.query}" if self._url.query else ""
        return f"{self._url.path}{query}"

    @property
    def _host(self) -> str:
        return self._url.netloc


_HINTS = {
    401: f"the key is missing or no longer good; psreg takes it from {KEY}",
    403: f"the key may not do this; psreg takes it from {KEY}",
    404: "the address or the model is another one",
}


def _document(request: ChatRequest) -> dict[str, Any]:
    """Return the JSON body of a request; a setting that is left to the endpoint is left out."""
    settings = {
        "model": request.model or None,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    given = {key: value for key, value in settings.items() if value is not None}
    return {"messages": messages, **given}


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the body, which ends where the endpoint said it would."""
    declared, received = response.length, 0
    while part := response.read(_CHUNK):
        received += len(part)
        _check_length(max(received, declared or 0))
        yield part
    _check_end(received, declared)


def _lines(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the lines of the body, which ends where the endpoint said it would."""
    declared, received = response.length, 0
    while line := response.readline(_LONGEST_LINE):
        received += len(line)
        _check_length(received)
        yield line
    _check_end(received, declared)


def _check_length(received: int) -> None:
    if received > LARGEST:
        message = f"the endpoint sends more than {LARGEST:,} bytes"
        raise EndpointError("ENDPOINT_TOO_LONG", message)


def _check_end(received: int, declared: int | None) -> None:
    if declared is not None and received < declared:
        raise IncompleteRead(b"", declared - received)


def _reason(error: Exception) -> str:
    """Return why, in words that are not the endpoint's: these might hold the key."""
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return "the answer is not whole" if isinstance(error, IncompleteRead) else "that is no HTTP"
