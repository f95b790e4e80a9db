"""How long an HTTP answer may take: each wait for a byte is bounded, and slow ones are aborted."""

from __future__ import annotations

import time

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

    def connecting(self) -> float:
        """Return the seconds that it may take to connect. Raises as `patience`."""
        return self.patience(self._limits.connect)

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
