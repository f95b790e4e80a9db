"""The HTTP client of psreg: urllib3 with a deadline, limits and a budget of retries.

A server, however hostile, costs at most what `Limits` says. Nothing is decompressed, no redirect is
followed, no cookie is kept. Certificates are checked against those of the system. `HTTPS_PROXY` and
`NO_PROXY` are honoured for https (through CONNECT, so that the proxy sees only the host), but never
for this machine. The operating system resolves host names: that wait alone is not bounded here.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, unquote

from psreg import __version__
from psreg.http.address import is_loopback
from psreg.http.deadline import Deadline, guarded_by
from psreg.http.errors import (
    BrokenError,
    CertificateError,
    HttpError,
    SlowError,
    TooMuchError,
    UnreachableError,
)
from psreg.http.retry_budget import Limits

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager

_CHUNK = 64 * 1024
_ERROR_PAGE = 64 * 1024
"""Bytes of an error page that are read; a longer page costs the connection."""

_BUSY = (429, 500, 502, 503, 504, 529)

T = TypeVar("T")


class Client:
    """Sends requests to one server, with one budget of time and retries and one connection.

    `calls` counts the requests, including retries.
    """

    def __init__(
        self, url: SplitResult, limits: Limits, headers: Mapping[str, str] | None = None
    ) -> None:
        self.host = url.netloc
        self.calls = 0
        self._url = url
        self._limits = limits
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": f"psreg/{__version__}",
            **(headers or {}),
        }
        self._deadline = Deadline(limits)
        self._retries = limits.retries
        self._pool: HTTPConnectionPool | None = None

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._pool is not None:
            self._pool.close()
        self._pool = None

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
            response.close()

    def _sent(self, method: str, target: str, body: bytes | None) -> BaseHTTPResponse:
        """Send a request; return the answer after its headers."""
        from urllib3 import Timeout  # noqa: PLC0415 - it is slow to import

        made = -1
        connect = self._deadline.patience(self._limits.connect)
        try:
            with _translated():
                if self._pool is None:
                    self._pool = _connection_pool(self._url, self._deadline)
                made = self._pool.num_connections
                return self._pool.urlopen(
                    method,
                    target,
                    body,
                    self._headers | ({} if body is None else {"Content-Type": "application/json"}),
                    retries=False,
                    redirect=False,
                    timeout=Timeout(connect=connect, read=self._deadline.silence()),
                    preload_content=False,
                    decode_content=False,
                )
        except UnreachableError as error:
            if not is_loopback(self._url.hostname or ""):  # there, a server is not running
                error.wait = 0.0
            raise
        except BrokenError as error:
            # A request that may change something is not repeated.
            kept = self._pool is not None and self._pool.num_connections == made
            error.stale = kept and method == "GET"
            raise


class Answer:
    """The answer to one request: status, headers, and a body that has not been read yet.

    All methods that read the body raise HttpError if it breaks off.
    """

    def __init__(self, response: BaseHTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.length: int | None = response.length_remaining
        """The length of the body in bytes, if the server says."""

    def header(self, name: str) -> str:
        """Return the value of a header, "" if it is missing."""
        return self._response.headers.get(name, "")

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
        received = 0
        while max(received, self.length or 0) <= limit:
            with _translated():
                piece = self._response.read1(_CHUNK)
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
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0


@contextmanager
def _translated() -> Iterator[None]:
    """Translate the errors of urllib3."""
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - see `_sent`

    try:
        yield
    except HTTPError as error:
        raise _failure(error) from error


def _failure(error: BaseException) -> HttpError:
    """Return our error for one of urllib3, without any text from the server."""
    from ssl import SSLCertVerificationError  # noqa: PLC0415 - see `_sent`

    from urllib3.exceptions import InvalidHeader, ReadTimeoutError  # noqa: PLC0415 - see `_sent`

    causes = tuple(_causes(error))
    reasons = (cause.strerror for cause in causes if isinstance(cause, OSError))
    reason = next(filter(None, reasons), "")
    if any(isinstance(cause, TimeoutError | ReadTimeoutError) for cause in causes):
        return SlowError("it takes too long to answer")
    if any(isinstance(cause, SSLCertVerificationError) for cause in causes):
        return CertificateError(reason)
    if any(isinstance(cause, ConnectionResetError | BrokenPipeError) for cause in causes):
        return BrokenError(reason or "it closed the connection without an answer")
    if any(isinstance(cause, IncompleteRead) for cause in causes):
        return BrokenError("the answer is incomplete")
    if any(isinstance(cause, HTTPException | InvalidHeader) for cause in causes):
        return BrokenError("the answer is not HTTP")
    return UnreachableError(reason or "the address, or that of the proxy, cannot be used")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    while error is not None:
        yield error
        inner = (part for part in error.args if isinstance(part, BaseException))
        error = next(inner, error.__cause__)


def _connection_pool(url: SplitResult, deadline: Deadline) -> HTTPConnectionPool:
    """Return a pool of one connection to the host of `url`, whose answers obey `deadline`.

    Raises:
        urllib3.exceptions.HTTPError: the environment names an invalid proxy.
    """
    pool = _manager(url).connection_from_url(f"{url.scheme}://{url.netloc}")
    build: Callable[..., Any] = pool.ConnectionCls
    guarded = guarded_by(deadline)

    def connection(**settings: Any) -> Any:
        built = build(**settings)
        built.response_class = guarded
        return built

    pool.ConnectionCls = connection  # type: ignore[assignment]
    return pool


def _manager(url: SplitResult) -> PoolManager:
    """Return the pool manager for `url`, through the proxy that the environment names."""
    import ssl  # noqa: PLC0415 - as urllib3

    from urllib3 import PoolManager, ProxyManager  # noqa: PLC0415 - loads slowly
    from urllib3.util import make_headers, parse_url  # noqa: PLC0415 - as above

    if url.scheme == "http":
        return PoolManager(maxsize=1)
    context = ssl.create_default_context()
    proxy = _proxy(url.hostname or "")
    if proxy is None:
        return PoolManager(maxsize=1, ssl_context=context)
    at = parse_url(proxy)
    headers = make_headers(proxy_basic_auth=unquote(at.auth)) if at.auth else {}
    return ProxyManager(
        at._replace(auth=None).url,
        proxy_headers=headers,
        proxy_ssl_context=context,
        maxsize=1,
        ssl_context=context,
    )


def _proxy(host: str) -> str | None:
    """Return the proxy that the environment names for https to `host`, or None."""
    proxy = os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY") or ""
    exempt = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for item in exempt.replace(",", " ").split():
        domain = item.lstrip(".").lower()
        if item == "*" or host == domain or host.endswith(f".{domain}"):
            return None
    if not proxy or is_loopback(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
