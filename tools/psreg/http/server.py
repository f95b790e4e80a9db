"""What the local HTTP servers of psreg share: listening, and logging nothing."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from psreg.core.errors import UnavailableError

LOOPBACK = "127.0.0.1"


class Listener(ThreadingHTTPServer):
    """Listens at `host` and `port`; port 0 takes any free one.

    Raises:
        UnavailableError: PORT_BUSY.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, host: str, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        try:
            super().__init__((host, port), handler)
        except (OSError, OverflowError) as error:
            raise UnavailableError(
                "PORT_BUSY",
                f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}",
                "Choose another port with --port.",
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that disconnected."""


class Quiet:
    """Makes a request handler keep its connection open and log nothing."""

    protocol_version = "HTTP/1.1"
    server_version = "psreg"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # send headers and body together
    timeout: float | None = 60  # seconds in which a client must send its request
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain; charset=utf-8"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the handler's name
        """Log nothing: the interesting line is the address."""
