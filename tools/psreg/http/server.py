"""What the local HTTP servers of psreg share: listening, refusing what is suspicious, no log.

Any web page can make a browser send requests to this machine, under a name of its own that leads
here (DNS rebinding), and two readers may disagree about where an ambiguous request ends. Both are
refused before a server looks at the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Thread
from typing import Any, ClassVar, NamedTuple

from psreg.core.errors import UnavailableError
from psreg.http.address import is_loopback

LOOPBACK = "127.0.0.1"

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?", re.IGNORECASE)
_REQUEST_LINE = re.compile(r"[A-Z]+ /\S* HTTP/1\.[0-9]+")
_CONTROL = re.compile(r"[^\t -~\x80-\xff]")
"""What no header contains; a line break is in one that continues on the next line."""

_WITHOUT_BODY = ("GET", "HEAD")


class Listener(ThreadingHTTPServer):
    """Listens at `host` and `port`; port 0 takes any free one.

    Raises:
        UnavailableError: PORT_BUSY.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, host: str, port: int, handler: type[LocalHandler]) -> None:
        self.host = host
        try:
            super().__init__((host, port), handler)
        except (OSError, OverflowError) as error:
            raise UnavailableError(
                "PORT_BUSY",
                f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}",
                "Choose another port with --port.",
            ) from error

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """Serve until the block ends, in a thread of its own."""
        Thread(target=self.serve_forever, args=(0.2,), daemon=True).start()
        try:
            yield
        finally:
            self.shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that disconnected."""

    def is_named(self, host: str) -> bool:
        """Return whether `host`, without a port, is a name by which this server is known."""
        name = host.lower()
        if is_loopback(name) or name == self.host.lower():
            return True
        return self.host in ("", "0.0.0.0", "::") and _is_address(name)  # noqa: S104 - compared only


def _is_address(name: str) -> bool:
    """Return whether `name` is an IP address, for which nobody can make another machine answer."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Refusal(NamedTuple):
    """Why a request is refused before it is looked at; the status tells the kinds apart."""

    status: HTTPStatus
    message: str


class LocalHandler(BaseHTTPRequestHandler):
    """A request handler that keeps its connection open, logs nothing, and refuses strangers."""

    server: Listener
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # answers of HTTP/0.9 have no status
    server_version = "psreg"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # send headers and body together
    timeout: ClassVar[float | None] = 60  # seconds in which a client must send its request
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain; charset=utf-8"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the handler's name
        """Log nothing: the interesting line is the address."""

    def parse_request(self) -> bool:
        """Read the request line and the headers; return whether to answer the request."""
        if not super().parse_request():
            return False
        if self.request_version == "HTTP/0.9":
            self.request_version = self.default_request_version
        refusal = self._ambiguous() or self._foreign()
        if refusal is None:
            return True
        self.close_connection = True  # an unread body would be parsed as the next request
        self.refuse(refusal)
        return False

    def refuse(self, refusal: Refusal) -> None:
        """Answer a request that is refused."""
        self.send_error(refusal.status, refusal.message)

    def _ambiguous(self) -> Refusal | None:
        """Return why two readers could disagree about what this request is, or None."""
        lengths = self.headers.get_all("Content-Length", [])
        chunked = "Transfer-Encoding" in self.headers
        problem = ""
        if not _REQUEST_LINE.fullmatch(self.requestline):
            problem = "expected a method, a path and HTTP/1.1"
        elif (
            self.headers.defects
            or self.headers.get_payload()
            or any(map(_CONTROL.search, self.headers.values()))
        ):
            problem = "a header is malformed"
        elif len(lengths) > 1 or not all(text.isascii() and text.isdigit() for text in lengths):
            problem = "Content-Length is not one number"
        elif chunked and lengths:
            problem = "there are both Content-Length and Transfer-Encoding"
        elif self.command in _WITHOUT_BODY and (
            chunked or any(text.strip("0") for text in lengths)
        ):
            problem = f"{self.command} has no body"
        return Refusal(HTTPStatus.BAD_REQUEST, problem) if problem else None

    def _foreign(self) -> Refusal | None:
        """Return why this request is not meant for this server, or comes from a web page."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1:
            return Refusal(HTTPStatus.BAD_REQUEST, "expected one Host header")
        host = _HOST.fullmatch(hosts[0])
        if not (host and self.server.is_named(host[1] or host[2])):
            message = "the Host header names another server"
            return Refusal(HTTPStatus.MISDIRECTED_REQUEST, message)
        origins = self.headers.get_all("Origin", [])
        if origins and origins != [f"http://{hosts[0]}"]:
            message = "requests of other web pages are refused"
            return Refusal(HTTPStatus.FORBIDDEN, message)
        return None
