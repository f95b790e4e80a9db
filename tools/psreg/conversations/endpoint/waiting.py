"""Ask an endpoint again that is busy: a bounded number of times, for a bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from psreg.conversations.model import EndpointError
from psreg.http.deadlines import Pace, TooSlowError
from psreg.http.source import Limits

LONGEST_WAIT = 20.0
"""Seconds that an endpoint may ask us to wait before the next attempt; more is a refusal."""

T = TypeVar("T")


class BusyError(EndpointError):
    """There may be an answer next time, in `wait` seconds at the earliest."""

    def __init__(
        self, code: str, message: str, hint: str, status: int = 0, wait: float = 0.0
    ) -> None:
        super().__init__(code, message, hint, status)
        self.wait = wait


def settled(attempt: Callable[[Pace], T], limits: Limits, host: str) -> T:
    """Return what `attempt` returns, made again while the endpoint is busy.

    Raises:
        EndpointError: what the last attempt raised; ENDPOINT_SLOW, there is no time for another.
    """
    pace = Pace(limits)
    for failures in range(limits.retries):
        try:
            return attempt(pace)
        except BusyError as error:
            if error.wait > LONGEST_WAIT:
                hint = f"it asks to be left alone for {error.wait:.0f} seconds"
                raise EndpointError(error.code, error.message, hint, error.status) from error
            wait = max(error.wait, limits.backoff * 2**failures)
        try:
            pace.start()
            left = pace.patience(wait)
        except TooSlowError:
            left = 0.0
        if left < wait:
            message = f"{host} is busy for longer than the time that is left"
            raise EndpointError("ENDPOINT_SLOW", message, "try again later")
        time.sleep(wait)
    return attempt(pace)


def seconds_asked(header: str, now: float) -> float:
    """Return the seconds that a `Retry-After` means (RFC 9110, 10.2.3); 0 for what is none."""
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0
