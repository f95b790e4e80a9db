"""How long an HTTP answer may take: every wait for a byte is bounded, and a drip is given up.

`http.client` waits anew for every byte; here its socket is read through a stream that knows the
deadlines of the request and of the run.
"""

from __future__ import annotations

import io
import socket
import time
from http.client import HTTPResponse
from typing import Any, cast

from psreg.http.source import Limits, SourceError


class TooSlowError(SourceError):
    """The server took longer than the limits allow (code `NETWORK_SLOW`)."""


class Pace:
    """The clock of one run: how long the next byte may take, and whether the answer drips."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._run_ends = time.monotonic() + limits.run
        self._request_ends = self._run_ends
        self._first: float | None = None
        self._received = 0

    def start(self) -> None:
        """Begin a request."""
        self._request_ends = min(time.monotonic() + self._limits.request, self._run_ends)
        self._first = None
        self._received = 0

    def patience(self, most: float) -> float:
        """Return the seconds the next wait may take, at most `most`.

        Raises:
            TooSlowError: the time of the request or of the run is over.
        """
        left = self._request_ends - time.monotonic()
        if left <= 0:
            raise TooSlowError("NETWORK_SLOW", "the registry took too long to answer")
        return min(left, most)

    def silence(self) -> float:
        """Return the seconds the next byte may take."""
        return self.patience(self._limits.silence)

    def count(self, received: int) -> None:
        """Note that bytes came.

        Raises:
            TooSlowError: the answer comes slower than the minimum rate.
        """
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        self._received += received
        late = now - self._first - self._limits.grace
        if received and late > 0 and self._received < late * self._limits.rate:
            raise TooSlowError(
                "NETWORK_SLOW", f"the registry sends fewer than {self._limits.rate} bytes a second"
            )


class _PacedStream(io.RawIOBase):
    """The receiving half of a socket; every wait is bounded by the pace."""

    def __init__(self, connection: socket.socket, pace: Pace) -> None:
        self._socket = connection
        # SocketIO keeps the socket open while a response still reads from it.
        self._stream = connection.makefile("rb", buffering=0)
        self._pace = pace

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._socket.settimeout(self._pace.silence())
        received = self._stream.readinto(buffer) or 0
        self._pace.count(received)
        return received

    def close(self) -> None:
        self._stream.close()
        super().close()


def paced_response(pace: Pace) -> type[HTTPResponse]:
    """Return the response class whose reads obey `pace`."""

    class PacedSocket:
        def __init__(self, connection: socket.socket) -> None:
            self._connection = connection

        def makefile(self, _mode: str) -> io.BufferedReader:
            return io.BufferedReader(_PacedStream(self._connection, pace))

    class PacedResponse(HTTPResponse):
        def __init__(self, sock: socket.socket, *args: Any, **settings: Any) -> None:
            super().__init__(cast("socket.socket", PacedSocket(sock)), *args, **settings)

    return PacedResponse
