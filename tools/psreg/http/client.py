"""The HTTP client of psreg: one connection with a deadline, limits and a budget of retries.

A server, however hostile, costs at most what `Limits` says. Nothing is decompressed, no redirect is
followed, no cookie is kept. Certificates are checked against those of the system. The operating
system resolves host names: that wait alone is not bounded here.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import SplitResult

from psreg import __version__
from psreg.http.address import is_loopback
from psreg.http.deadline import Deadline
from psreg.http.errors import BrokenError, HttpError, TooMuchError, UnreachableError
from psreg.http.retry_budget import Limits

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from psreg.http.connection import Connection
    from psreg.system.credentials import Access

_CHUNK = 64 * 1024
_ERROR_PAGE = 64 * 1024
"""Bytes of an error page that are read; a longer page costs the connection."""

_BUSY = (429, 500, 502, 503, 504, 529)

T = TypeVar("T")


class Client:
    """Sends requests to one server, with one budget of time and retries and one connection.

    `access` says which certificates count. `calls` counts the requests, including retries.
    """

    def __init__(
        self,
        url: SplitResult,
        limits: Limits,
        headers: Mapping[str, str] | None = None,
        access: Access | None = None,
    ) -> None:
        self.host = url.netloc
        self.calls = 0
        self._url, self._access = url, access
        self._limits = limits
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": f"psreg/{__version__}",
            **(headers or {}),
        }
        self._deadline = Deadline(limits)
        self._retries = limits.retries
        self._unreached = limits.unreached
        self._connection: Connection | None = None

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()

    def __del__(self) -> None:
        # NOTE: who asks a forge keeps the connection for as long as there may be questions.
        self.close()

    def with_retries(self, attempt: Callable[[], T]) -> T:
        """Return what `attempt` returns; repeat it while that may help and the budget lasts.

        Raises:
            HttpError: the error of the last attempt; SlowError if there is no time for another.
        """
        while True:
            try:
                return attempt()
            except HttpError as error:
                stale = isinstance(error, BrokenError) and error.stale
                if not stale and not self._waited(error):
                    raise

    def _waited(self, error: HttpError) -> bool:
        """Wait for the next attempt; return whether there is one."""
        if error.wait is None or error.wait > self._limits.longest_wait or not self._retries:
            return False
        backoff = self._limits.backoff * 2 ** (self._limits.retries - self._retries)
        self._retries -= 1
        self._deadline.sleep(max(error.wait, backoff))
        return True

    @contextmanager
    def exchange(self, method: str, target: str, body: bytes | None = None) -> Iterator[Answer]:
        """Send one request with an optional JSON body; yield the answer for the block to read.

        Raises:
            HttpError: there is no answer, or not in time; also while the block reads.
        """
        self._deadline.start()
        self.calls += 1
        response = self._sent(method, target or "/", body)
        try:
            yield Answer(response)
        finally:
            if not response.isclosed():  # it has not been read to its end
                self.close()
            response.close()

    def _sent(self, method: str, target: str, body: bytes | None) -> HTTPResponse:
        """Send a request; return the answer after its headers."""
        if self._connection is None:
            from psreg.http.connection import Connection  # noqa: PLC0415 - it is slow to import

            self._connection = Connection(self._url, self._deadline, self._access)
        kept = self._connection.is_kept()
        headers = self._headers | ({} if body is None else {"Content-Type": "application/json"})
        try:
            return self._connection.exchange(method, target, body, headers)
        except UnreachableError as error:
            # On this machine, a server is not running.
            if self._unreached and not is_loopback(self._url.hostname or ""):
                self._unreached -= 1
                error.wait = 0.0
            raise
        except BrokenError as error:
            # A request that may change something is not repeated.
            error.stale = kept and method == "GET"
            raise


class Answer:
    """The answer to one request: status, headers, and a body that has not been read yet.

    All methods that read the body raise HttpError if it breaks off.
    """

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.length: int | None = response.length
        """The length of the body in bytes, if the server says."""

    def header(self, name: str) -> str:
        """Return the value of a header, "" if it is missing."""
        return self._response.getheader(name, "")

    @property
    def coding(self) -> str:
        """How the body is compressed, "" if it is not."""
        coding = self.header("Content-Encoding").strip().lower()
        return "" if coding == "identity" else coding

    @property
    def busy(self) -> bool:
        """Whether another attempt may get another status."""
        return self.status in _BUSY

    @property
    def wait(self) -> float:
        """The seconds that the server asks to wait before the next request, else 0."""
        return seconds_asked(self.header("Retry-After"), time.time())

    def pieces(self, limit: int) -> Iterator[bytes]:
        """Yield the body as it arrives, at most `limit` bytes. Raises TooMuchError."""
        from psreg.http.connection import piece_of  # noqa: PLC0415 - see `_sent`

        received = 0
        while max(received, self.length or 0) <= limit:
            piece = piece_of(self._response, _CHUNK)
            if not piece:
                return
            received += len(piece)
            if received <= limit:
                yield piece
        raise TooMuchError(f"it is longer than {limit:,} bytes")

    def body(self, limit: int) -> bytes:
        """Return the whole body, at most `limit` bytes. Raises TooMuchError."""
        return b"".join(self.pieces(limit))

    def lines(self, limit: int) -> Iterator[bytes]:
        """Yield the lines of the body as they arrive, at most `limit` bytes in total."""
        unfinished: list[bytes] = []
        for piece in self.pieces(limit):
            first, *others = piece.split(b"\n")
            unfinished.append(first)
            for line in others:
                yield b"".join(unfinished) + b"\n"
                unfinished = [line]
        if last := b"".join(unfinished):
            yield last

    def drain(self) -> None:
        """Read the page of an error if it is short, so that the connection can be reused."""
        if self.length is not None and self.length <= _ERROR_PAGE:
            self.page()

    def page(self) -> bytes:
        """Return the start of the page that explains an error; a long page is cut off."""
        found = b""
        for piece in self.pieces(sys.maxsize):
            found += piece
            if len(found) >= _ERROR_PAGE:
                break
        return found[:_ERROR_PAGE]


def seconds_asked(header: str, now: float) -> float:
    """Return the seconds in a `Retry-After` header (RFC 9110, 10.2.3), 0 if it is invalid."""
    if header.isascii() and header.isdigit():
        return float(header[:9])
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - see `_sent`

    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0
