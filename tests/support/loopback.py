"""A real HTTP server on loopback that serves a mapping of files, and misbehaves on demand.

`tricks` maps a path to a function that is given the request handler and answers in its own way.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer

Trick = Callable[[BaseHTTPRequestHandler], None]


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # many clients may come at once


class Loopback:
    """A running server: `url`, and the paths asked for so far."""

    def __init__(self, files: Mapping[str, bytes], tricks: Mapping[str, Trick]) -> None:
        self.asked: list[str] = []
        self.connections = 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                owner.connections += 1
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                super().setup()

            def do_GET(self) -> None:
                path = self.path.lstrip("/")
                owner.asked.append(path)
                trick = tricks.get(path)
                # The client hangs up on a misbehaving server; that is the point.
                with suppress(OSError):
                    if trick is not None:
                        trick(self)
                    elif path in files:
                        answer(self, 200, files[path])
                    else:
                        answer(self, 404, b"not here")

            do_HEAD = do_GET  # noqa: N815 - as `http.server` names it

            def handle(self) -> None:
                with suppress(OSError):
                    super().handle()

            def log_message(self, *_: object) -> None:
                pass

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def answer(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Send a whole answer; keywords are headers, `_` written for `-`."""
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Let the client read "connection reset by peer"."""
    handler.wfile.flush()
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    os.close(handler.connection.detach())


@contextmanager
def serving(
    files: Mapping[str, bytes], tricks: Mapping[str, Trick] | None = None
) -> Iterator[Loopback]:
    """Serve `files` while the block runs."""
    loopback = Loopback(files, {} if tricks is None else tricks)
    with listening(loopback.server):
        yield loopback


@contextmanager
def listening(server: BaseServer) -> Iterator[None]:
    """Let a server answer in a thread while the block runs."""
    # A short poll, so that leaving the block does not wait half a second.
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Guarded(dict[str, Trick]):
    """Tricks that answer only requests with the `wanted` login, and remember all logins.

    The others are refused, by default with status 401.
    """

    def __init__(self, files: Mapping[str, bytes], wanted: str, refuse: Trick | None = None):
        self.files, self.wanted = files, wanted
        self.refuse = refuse or (lambda handler: answer(handler, 401, b""))
        self.seen: list[str] = []

    def get(self, path: str, _default: object = None) -> Trick:
        def trick(handler: BaseHTTPRequestHandler) -> None:
            self.seen.append(handler.headers.get("Authorization", ""))
            if self.seen[-1] != self.wanted:
                self.refuse(handler)
            elif path in self.files:
                answer(handler, 200, self.files[path])
            else:
                answer(handler, 404, b"")

        return trick
