"""The ways in which an HTTP request fails.

An `HttpError` never leaves the package that sent the request: it becomes an error with a code.
"""

from __future__ import annotations


class HttpError(Exception):
    """There is no usable answer. The message says why, without text from the server.

    `wait` is the number of seconds after which a retry may help, None if it would not.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class SlowError(HttpError):
    """It took longer than the limits allow."""


class TooMuchError(HttpError):
    """The answer is longer than allowed."""


class CertificateError(HttpError):
    """This machine does not trust the certificate of the server or the proxy."""


class UnreachableError(HttpError):
    """There is no connection to the server."""


class BrokenError(HttpError):
    """The connection broke, or the answer is incomplete.

    `stale` means that the connection was left open by an earlier request: the server may have
    closed it before this one arrived.
    """

    def __init__(self, reason: str, *, stale: bool = False) -> None:
        super().__init__(reason, wait=0.0)
        self.stale = stale


class BusyError(HttpError):
    """The server answered with `status`; a retry after `wait` seconds may succeed."""

    def __init__(self, reason: str, status: int, wait: float) -> None:
        super().__init__(reason, wait)
        self.status = status
