"""How an answer fails to come over HTTP.

An `HttpError` never leaves the room that asked: each turns it into an error with its own code.
"""

from __future__ import annotations


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
