"""How long an HTTP answer may take: every wait for a byte is bounded, and slow answers are aborted.

urllib3 and `http.client` bound each wait separately; here the socket is read through a stream that
knows the deadlines of the request and of the run. It is above TLS and below the status line, so
that neither headers nor the answer of a proxy can take longer than a body.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable
from http.client import HTTPResponse
from typing import Any, cast

from psreg.http.errors import SlowError
from psreg.http.retry_budget import Limits


class Deadline:
    """The clock of one run: how long the next byte may take, and whether the answer is too slow."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._run_ends = time.monotonic() + limits.run
        self._request_ends = self._run_ends
        self._first: float | None = None
        self._received = 0

    def start(self) -> None:
        """Start a request."""
        self._request_ends = min(time.monotonic() + self._limits.request, self._run_ends)
        self._first = None
        self._received = 0

    def patience(self, most: float) -> float:
        """Return the seconds the next wait may take, at most `most`.

        Raises:
            SlowError: the time of the request or of the run is over.
        """
        left = self._request_ends - time.monotonic()
        if left <= 0:
            raise SlowError("it takes too long to answer")
        return min(left, most)

    def silence(self) -> float:
        """Return the seconds the next byte may take. Raises as `patience`."""
        return self.patience(self._limits.silence)

    def count(self, received: int) -> None:
        """Count received bytes.

        Raises:
            SlowError: the answer is slower than the minimum rate.
        """
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        self._received += received
        late = now - self._first - self._limits.grace
        if received and late > 0 and self._received < late * self._limits.rate:
            raise SlowError(f"it sends fewer than {self._limits.rate} bytes per second")

    def sleep(self, seconds: float) -> None:
        """Wait before the next request.

        Raises:
            SlowError: the run ends before that; it does not wait.
        """
        if time.monotonic() + seconds >= self._run_ends:
            raise SlowError("it is busy for longer than the remaining time")
        time.sleep(seconds)


class _GuardedStream(io.RawIOBase):
    """The receiving half of a socket; every wait is bounded by the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._socket = connection
        # SocketIO keeps the socket open while a response still reads from it.
        self._stream = connection.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._socket.settimeout(self._deadline.silence())
        received = self._stream.readinto(buffer) or 0
        self._deadline.count(received)
        return received

    def close(self) -> None:
        self._stream.close()
        super().close()


class _GuardedSocket:
    """What `http.client` needs of a socket to read a response."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_GuardedStream(self._connection, self._deadline))


def guarded_by(deadline: Deadline) -> Callable[..., HTTPResponse]:
    """Return a `response_class` for connections whose reads obey `deadline`."""

    def response(connection: socket.socket, *args: Any, **settings: Any) -> HTTPResponse:
        guarded = _GuardedSocket(connection, deadline)
        return HTTPResponse(cast("socket.socket", guarded), *args, **settings)

    return response
