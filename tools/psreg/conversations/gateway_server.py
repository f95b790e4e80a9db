"""The HTTP server of the gateway: takes a message at `/chat`, answers in PB2S, logs the exchange.

It accepts only JSON, so that no web page can make a browser post to it. Errors are JSON as well:
`{"schema": "psreg.error/1", "error": {"code", "message", "hint"}}`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from math import ceil
from pathlib import Path
from typing import Any

from psreg.conversations.endpoint.answer import json_of
from psreg.conversations.gateway import GatewayAnswer, GatewayError
from psreg.conversations.model import DuplicateKeyError, EndpointError
from psreg.core.errors import PsregError, UnavailableError
from psreg.http.server import Listener, LocalHandler, Refusal
from psreg.system.files import append

PATH = "/chat"
LARGEST = 1024 * 1024
"""Maximum number of bytes in the body of a request."""

_BUSY = (429, 503, 529)
"""The statuses with which a model says that it would answer later."""


class TraceLog:
    """A file with one line per exchange.

    `begin` and `add` raise UnavailableError, CANNOT_WRITE, if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Create the file if it does not exist, and check that it is writable."""
        self._append("")

    def add(self, record: dict[str, Any]) -> None:
        """Append one record, atomically as far as the file system allows."""
        self._append(json.dumps(record, ensure_ascii=False) + "\n")

    def _append(self, text: str) -> None:
        try:
            with self._lock:
                append(self._path, text)
        except UnavailableError as error:
            hint = "Name another file with --trace-log; every answer needs a record."
            raise UnavailableError(error.code, error.message, hint) from error


class GatewayServer(Listener):
    """Serves `answer` at `/chat`; port 0 selects a free port.

    Raises:
        UnavailableError: PORT_BUSY.
    """

    def __init__(
        self, host: str, port: int, answer: Callable[[str], GatewayAnswer], log: TraceLog
    ) -> None:
        self.answer = answer
        self.log = log
        super().__init__(host, port, _Handler)

    @property
    def url(self) -> str:
        """The address for messages."""
        return f"http://{self.server_address[0]!s}:{self.server_port}{PATH}"


class _RefusedError(GatewayError):
    def __init__(
        self, status: HTTPStatus, code: str, message: str, hint: str = "", wait: float = 0.0
    ) -> None:
        super().__init__(code, message, hint)
        self.status = status
        self.wait = wait


class _Handler(LocalHandler, BaseHTTPRequestHandler):
    server: GatewayServer

    def do_POST(self) -> None:
        try:
            answered = self._answered(self._message())
        except _RefusedError as refused:
            self.close_connection = True  # an unread body would be parsed as the next request
            self._refuse(refused)
        else:
            self._send(HTTPStatus.OK, answered.reply)

    def do_GET(self) -> None:
        hint = f'Post `{{"message": "…"}}` to {PATH}.'
        status, message = HTTPStatus.METHOD_NOT_ALLOWED, "only POST is supported"
        self._refuse(_RefusedError(status, "METHOD", message, hint), Allow="POST")

    def _answered(self, message: str) -> GatewayAnswer:
        try:
            answered = self.server.answer(message)
            self.server.log.add(answered.trace)
        except EndpointError as error:
            busy = error.status in _BUSY
            status = HTTPStatus.SERVICE_UNAVAILABLE if busy else HTTPStatus.BAD_GATEWAY
            raise _refused(status, error, error.wait) from error
        except GatewayError as error:
            raise _refused(HTTPStatus.BAD_GATEWAY, error) from error
        except UnavailableError as error:
            raise _refused(HTTPStatus.INTERNAL_SERVER_ERROR, error) from error
        return answered

    def _message(self) -> str:
        kind = self.headers.get_content_type()
        length = self.headers.get("Content-Length", "")
        if self.path.partition("?")[0] != PATH:
            message = f"not found; the only path is {PATH}"
            raise _RefusedError(HTTPStatus.NOT_FOUND, "NOT_FOUND", message)
        if kind != "application/json":
            message = f"the content type is `{kind}`; expected `application/json`"
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "NOT_JSON", message)
        if not (length.isascii() and length.isdigit()):
            raise _RefusedError(
                HTTPStatus.LENGTH_REQUIRED, "NO_LENGTH", "Content-Length is missing"
            )
        if len(length) > len(str(LARGEST)) or int(length) > LARGEST:
            message = f"the message is too long; the limit is {LARGEST:,} bytes"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "TOO_LONG", message)
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            message = f"the message ends after {len(data):,} of {length} bytes"
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "BAD_REQUEST", message)
        return _message_of(data)

    def refuse(self, refusal: Refusal) -> None:
        status, message = refusal
        refused = _RefusedError(
            status,
            "FOREIGN_HOST"
            if status is HTTPStatus.MISDIRECTED_REQUEST
            else "FOREIGN_ORIGIN"
            if status is HTTPStatus.FORBIDDEN
            else "BAD_REQUEST",
            message,
        )
        self._refuse(refused)

    def _refuse(self, refused: _RefusedError, **headers: str) -> None:
        error = {"code": refused.code, "message": refused.message, "hint": refused.hint}
        if refused.wait:
            headers["Retry-After"] = str(ceil(refused.wait))
        self._send(refused.status, {"schema": "psreg.error/1", "error": error}, **headers)

    def _send(self, status: HTTPStatus, document: dict[str, Any], **headers: str) -> None:
        data = (json.dumps(document, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _refused(status: HTTPStatus, error: PsregError, wait: float = 0.0) -> _RefusedError:
    return _RefusedError(status, error.code, error.message, error.hint, wait)


def _message_of(data: bytes) -> str:
    try:
        value = json_of(data)
    except DuplicateKeyError as error:
        problem = f"the key `{error.key[:40]}` occurs twice in the body"
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "NOT_JSON", problem) from error
    except EndpointError as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "NOT_JSON", "the body is not JSON") from error
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(message, str) or not message.strip():
        hint = 'Post `{"message": "…"}`.'
        problem = "`message` is missing or empty"
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "NO_MESSAGE", problem, hint)
    return message
