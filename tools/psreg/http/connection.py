"""A connection to one server: the HTTP/1.1 of Python, below a deadline, perhaps through a proxy.

`http.client` bounds each wait separately; here the socket is read through a stream that knows the
deadlines of the request and of the run. It is above TLS and below the status line, so that neither
headers nor the answer of a proxy can take longer than a body.

`HTTPS_PROXY` and `NO_PROXY` are honoured for https (through CONNECT, so that the proxy sees only
the host), but never for this machine.
"""

from __future__ import annotations

import base64
import io
import os
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult, quote, unquote, urlsplit

from psreg.http.address import is_loopback
from psreg.http.deadline import Deadline
from psreg.http.errors import BrokenError, CertificateError, HttpError, SlowError, UnreachableError

if TYPE_CHECKING:
    from psreg.system.credentials import Access

_PORTS = {"http": 80, "https": 443}
_OF_A_TARGET = "%/?#[]:@!$&'*+,;=~()"
"""The signs of a request target that are sent as they are (RFC 3986, 2)."""

_UNUSABLE = "the address, or that of the proxy, cannot be used"


class Connection(HTTPConnection):
    """Sends one request after another to the host of `url`; what it receives obeys a deadline."""

    def __init__(self, url: SplitResult, deadline: Deadline, access: Access | None = None) -> None:
        self.default_port = _PORTS[url.scheme]
        with translated():
            super().__init__(url.hostname or "", url.port or self.default_port)
        self._secure = url.scheme == "https"
        self._deadline, self._access = deadline, access
        self.response_class = _guarded_by(deadline)  # type: ignore[assignment]

    def is_kept(self) -> bool:
        """Tell whether an earlier request left the connection open; if not, it is closed."""
        if self.sock is None:
            return False
        import select  # noqa: PLC0415 - for one request it is not needed

        with suppress(ValueError):  # too many files are open to ask
            if select.select([self.sock], [], [], 0)[0]:
                self.close()  # nothing was asked: the server has closed it
        return self.sock is not None

    def exchange(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HTTPResponse:
        """Send a request; return the answer after its headers.

        Raises:
            HttpError: there is no connection, or no answer.
        """
        try:
            with translated():
                if self.sock is None:
                    self.connect()
                self.sock.settimeout(self._deadline.silence())
                with suppress(BrokenPipeError):  # it may have answered before it has read all
                    self.request(method, quote(target, safe=_OF_A_TARGET), body, headers)
                response = self.getresponse()
        except HttpError:
            self.close()
            raise
        lengths = response.headers.get_all("Content-Length", [])
        if len({*lengths}) > 1 or (lengths and response.length is None and not response.chunked):
            self.close()
            raise BrokenError("the answer is not HTTP")
        return response

    def connect(self) -> None:
        """Open the connection, through the proxy that the environment names."""
        proxy = _proxy(self.host) if self._secure else None
        host = proxy.hostname or "" if proxy else self.host
        # NOTE: for a text, Python would load the tables of international names.
        name, port = cast("str", host.encode("ascii")), self.port
        if proxy:
            port = proxy.port or _PORTS[proxy.scheme]
        self.sock = socket.create_connection((name, port), self._deadline.connecting())
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if proxy and proxy.scheme == "https":
            # What identifies this machine is for the registry, and not for a proxy.
            context = _context(self._access, client=False)
            self.sock = context.wrap_socket(self.sock, server_hostname=host)
        if proxy:
            self._ask(proxy)
        if self._secure:
            self.sock = self._secured(self.sock)

    def _ask(self, proxy: SplitResult) -> None:
        """Have the proxy connect to the host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        where = f"{host}:{self.port}"
        user = unquote(proxy.netloc.rpartition("@")[0])
        named = {"Proxy-Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
        asking = HTTPConnection(where)
        asking.sock = cast("socket.socket", _Lent(self.sock))
        asking.response_class = self.response_class
        asking.request("CONNECT", where, headers=named if user else {})
        with asking.getresponse() as answer:
            if answer.status != 200:  # noqa: PLR2004 - OK
                raise UnreachableError(f"the proxy answers with status {answer.status}")

    def _secured(self, connection: socket.socket) -> socket.socket:
        if not isinstance(connection, ssl.SSLSocket):
            return self._tls.wrap_socket(connection, server_hostname=self.host)
        # Python has no TLS inside TLS.
        from urllib3.util.ssltransport import SSLTransport  # noqa: PLC0415 - loads slowly

        return cast("socket.socket", SSLTransport(connection, self._tls, self.host))

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return _context(self._access, client=True)


def _context(access: Access | None, *, client: bool) -> ssl.SSLContext:
    """Return how TLS is done; with a certificate of this machine if it is a `client` that has one.

    Raises:
        CertificateError: a file that `access` names cannot be used.
    """
    file = access.ca_bundle if access else ""
    try:
        context = ssl.create_default_context(cafile=file or None)
        context.set_alpn_protocols(["http/1.1"])
        if client and access is not None and (file := access.client_certificate):
            # Without a password here, OpenSSL would ask for one at the terminal.
            context.load_cert_chain(file, access.client_key or None, password=lambda: "")
    except (OSError, ValueError) as error:
        told = ""
        if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
            told = f": {error.strerror}"
        raise CertificateError(f"{file} cannot be used{told}") from error
    return context


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


def _guarded_by(deadline: Deadline) -> Callable[..., HTTPResponse]:
    """Return a `response_class` for connections whose reads obey `deadline`."""

    def response(connection: socket.socket, *args: Any, **settings: Any) -> HTTPResponse:
        guarded = _GuardedSocket(connection, deadline)
        return HTTPResponse(cast("socket.socket", guarded), *args, **settings)

    return response


class _Lent:
    """A socket for the request to a proxy, which does not close it."""

    def __init__(self, connection: socket.socket) -> None:
        self.sendall, self.makefile = connection.sendall, connection.makefile
        self.settimeout = connection.settimeout

    def close(self) -> None:
        """Leave the socket open."""


def piece_of(response: HTTPResponse, size: int) -> bytes:
    """Return the next bytes of a body as they arrive, at most `size`; none at its end.

    Raises:
        HttpError: it breaks off, or is too slow.
    """
    with translated():
        piece = response.read1(size)
        if not piece and response.length:
            raise IncompleteRead(piece, response.length)
        if not piece or (response.length == 0 and not response.chunked):
            response.close()
        return piece


@contextmanager
def translated() -> Iterator[None]:
    """Translate the errors of a connection, without any text from the server."""
    try:
        yield
    except TimeoutError as error:
        raise SlowError("it takes too long to answer") from error
    except ssl.SSLCertVerificationError as error:
        raise CertificateError(error.strerror or error.verify_message) from error
    except (ConnectionResetError, BrokenPipeError) as error:
        told = error.strerror or "it closed the connection without an answer"
        raise BrokenError(told) from error
    except IncompleteRead as error:
        raise BrokenError("the answer is incomplete") from error
    except HTTPException as error:
        raise BrokenError("the answer is not HTTP") from error
    except OSError as error:
        raise UnreachableError(error.strerror or _UNUSABLE) from error
    except ValueError as error:
        raise UnreachableError(_UNUSABLE) from error


def _proxy(host: str) -> SplitResult | None:
    """Return the proxy that the environment names for https to `host`, with its port, or None.

    Raises:
        ValueError: it names an invalid one.
    """
    proxy = os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY") or ""
    exempt = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for item in exempt.replace(",", " ").split():
        domain = item.lstrip(".").lower()
        if item == "*" or host == domain or host.endswith(f".{domain}"):
            return None
    if not proxy or is_loopback(host):
        return None
    url = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if url.scheme not in _PORTS or not url.hostname:
        raise ValueError(proxy)
    return url
