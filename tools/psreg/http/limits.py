"""What asking over HTTP may cost, and how an answer fails to come.

An `HttpError` never leaves the room that asked: each turns it into an error with its own code.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one run may cost. Times are seconds, `rate` is bytes per second, the rest counts.

    `rate` is demanded of the whole answer so far, from `grace` seconds after its first byte on;
    `retries` is one budget for all requests of a run; `longest_wait` is the most that a server may
    ask us to wait before the next attempt.
    """

    connect: float = 10.0
    silence: float = 15.0
    request: float = 60.0
    run: float = 300.0
    grace: float = 5.0
    rate: int = 1024
    retries: int = 3
    backoff: float = 0.25
    longest_wait: float = 20.0
    redirects: int = 3


class HttpError(Exception):
    """There is no answer. The text says why, in words that are not the server's.

    `wait` is the seconds after which asking again may help, None where it would not.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class SlowError(HttpError):
    """It took longer than the limits allow."""


class TooMuchError(HttpError):
    """The answer is longer than what was asked for may be."""


class CertificateError(HttpError):
    """The server, or the proxy, has no certificate that this machine trusts."""


class UnreachableError(HttpError):
    """There is no connection to the server."""


class BrokenError(HttpError):
    """The connection broke, or what came over it is not a whole answer.

    `stale` tells that the connection had been kept from an earlier request: the server may have
    closed it before this one arrived.
    """

    def __init__(self, reason: str, *, stale: bool = False) -> None:
        super().__init__(reason, wait=0.0)
        self.stale = stale


class BusyError(HttpError):
    """The server answered with `status`, which may be another one after `wait` seconds."""

    def __init__(self, reason: str, status: int, wait: float) -> None:
        super().__init__(reason, wait)
        self.status = status
