"""A registry behind http or https, read with `http.client` over one kept connection.

A hostile server can cost at most what `Limits` says: every wait for a byte is bounded by the
silence limit, the request's and the run's deadline; an answer that drips is given up; no answer
is read past its cap; compressed bodies and redirects to another origin are refused.

Host name look-up is the operating system's and is the one wait that is not bounded here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urljoin, urlsplit

from psreg import __version__
from psreg.core.errors import PsregError
from psreg.http.connection import connection_to
from psreg.http.deadlines import Pace, TooSlowError, paced_response
from psreg.http.source import (
    Limits,
    NotServedError,
    SourceError,
    TooLongError,
    checked_path,
    normal_location,
)

_CHUNK = 64 * 1024
_DRAIN = 64 * 1024
"""Bytes of an error page read to keep the connection; a longer page costs the connection."""

_REDIRECTS = (301, 302, 303, 307, 308)
_ABSENT = (403, 404, 410)  # object stores answer 403 for what does not exist
_HEADERS = {
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "User-Agent": f"psreg/{__version__}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    status: int
    location: str | None
    body: bytes


class HttpSource:
    """Reads files below a base URL; one instance is one run's budget of time and retries."""

    def __init__(self, base: str, limits: Limits) -> None:
        self._base = base
        self._limits = limits
        self._retries = limits.retries
        self._pace = Pace(limits)
        self._connection: HTTPConnection | None = None
        self._used = False
        self._url = urlsplit(base)

    @property
    def location(self) -> str:
        """The base URL, without a trailing slash."""
        return self._base

    def close(self) -> None:
        """Give the connection up; the next read opens another."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._used = False

    def read(self, path: str, limit: int) -> bytes:
        """Return the file at `path`; see `Source.read`."""
        where = f"{self._base}/{checked_path(path)}"
        target = f"{self._url.path}/{path}"
        for _ in range(self._limits.redirects + 1):
            reply = self._request(target, where, limit)
            if reply.location is None:
                break
            target = self._follow(target, reply.location)
        else:
            raise SourceError("NETWORK_REFUSED", f"{where} redirects more than it may")
        if reply.status in _ABSENT:
            raise NotServedError(where)
        if reply.status != 200:  # noqa: PLR2004 - OK
            raise SourceError("NETWORK", f"{where} answers with status {reply.status}")
        return reply.body

    def _follow(self, target: str, location: str) -> str:
        origin = f"{self._url.scheme}://{self._url.netloc}"
        try:
            there = urljoin(origin + target, location)
            same = normal_location(
                urlsplit(there)._replace(path="", query="", fragment="").geturl()
            )
        except (ValueError, PsregError):
            same, there = "", location
        if same != origin:
            raise SourceError(
                "NETWORK_REFUSED",
                f"{self._base} redirects to {there}",
                "a registry may not send you elsewhere; if it has moved, add its new address",
            )
        return urlsplit(there)._replace(scheme="", netloc="", fragment="").geturl()

    def _request(self, target: str, where: str, limit: int) -> _Reply:
        """Ask until there is an answer worth having, as long as the retry budget lasts."""
        while True:
            problem = f"{where} answers with a server error"
            kept = self._used
            try:
                reply = self._exchange(target, where, limit)
                if reply.status < 500:  # noqa: PLR2004 - server errors begin here
                    return reply
            except SourceError:
                self.close()
                raise
            except TimeoutError as error:
                self.close()
                raise TooSlowError("NETWORK_SLOW", f"{self._url.netloc} does not answer") from error
            except (OSError, HTTPException, ValueError) as error:
                self.close()
                problem = f"cannot read {where}: {_reason(error)}"
                if kept:  # a kept connection may have been closed at any time: ask once anew
                    continue
                if type(error).__name__ == "SSLCertVerificationError":
                    raise SourceError("NETWORK_TLS", problem) from error
            if self._retries == 0:
                raise SourceError("NETWORK", problem, "check the address and your connection")
            failures = self._limits.retries - self._retries
            time.sleep(self._pace.patience(self._limits.backoff * 2**failures))
            self._retries -= 1

    def _exchange(self, target: str, where: str, limit: int) -> _Reply:
        self._pace.start()
        connection = self._connect()
        connection.request("GET", target, headers=_HEADERS)
        with connection.getresponse() as response:
            self._used = True
            if response.status != 200:  # noqa: PLR2004 - OK
                self._drain(response)
                location = response.getheader("Location")
                moved = location if response.status in _REDIRECTS else None
                return _Reply(status=response.status, location=moved, body=b"")
            coding = response.getheader("Content-Encoding", "identity").strip().lower()
            if coding not in ("identity", ""):
                raise SourceError("NETWORK_REFUSED", f"{where} is sent compressed ({coding})")
            return _Reply(status=200, location=None, body=_body(response, where, limit))

    def _drain(self, response: HTTPResponse) -> None:
        if response.length is None or response.length > _DRAIN:
            self.close()
        else:
            response.read()

    def _connect(self) -> HTTPConnection:
        if self._connection is None:
            patience = self._pace.patience(self._limits.connect)
            self._connection = connection_to(self._url, patience)
            self._connection.response_class = paced_response(self._pace)
        return self._connection


def _body(response: HTTPResponse, where: str, limit: int) -> bytes:
    declared = response.length
    if declared is not None and declared > limit:
        raise TooLongError(where, limit)
    parts: list[bytes] = []
    received = 0
    while part := response.read(min(_CHUNK, limit + 1 - received)):
        parts.append(part)
        received += len(part)
        if received > limit:
            raise TooLongError(where, limit)
    if declared is not None and received < declared:
        raise HTTPException(f"the answer ends after {received} of {declared} bytes")
    return b"".join(parts)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
