"""A registry behind http or https: the requests, and the answers that are accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from psreg.core.errors import PsregError
from psreg.http.address import normal_location
from psreg.http.client import Answer, Client
from psreg.http.errors import BusyError, CertificateError, HttpError, SlowError, TooMuchError
from psreg.http.registry_source import NotServedError, SourceError, TooLongError, checked_path
from psreg.http.retry_budget import Limits

if TYPE_CHECKING:
    from psreg.system.credentials import Access

_REDIRECTS = (301, 302, 303, 307, 308)
_ABSENT = (403, 404, 410)  # object stores answer 403 for what does not exist
_ALWAYS = ("/1.root.json", "/timestamp.json")
"""How the paths end that every registry has: 403 does not mean there that they do not exist."""

_PAGE = "is a web page"
_LOG_IN = (
    "Set `token_env`, `header_env`, `netrc` or `credential_command` of the registry in your "
    "settings: psreg explain NETWORK_LOGIN."
)


class LoginError(SourceError):
    """The server wants to know who asks (code `NETWORK_LOGIN`)."""

    def __init__(self, where: str, why: str) -> None:
        message = f"this registry asks you to log in: {where} {why}"
        if why == _PAGE and not where.endswith(_ALWAYS):
            message += ", or its host answers so instead of status 404"
        super().__init__("NETWORK_LOGIN", message, _LOG_IN)


class HttpSource:
    """Reads files below a base URL; one instance is one run's budget of time and retries.

    `access` says which certificates count. `headers` may be secret. They are sent to the host of
    the base URL only, because redirects to other hosts are refused.
    """

    def __init__(
        self,
        base: str,
        limits: Limits,
        headers: Mapping[str, str] | None = None,
        access: Access | None = None,
    ) -> None:
        self._base = base
        self._url = urlsplit(base)
        self._redirects = limits.redirects
        self._client = Client(self._url, limits, headers, access)

    @property
    def location(self) -> str:
        """The base URL, without a trailing slash."""
        return self._base

    def close(self) -> None:
        """Close the connection; the next read opens another."""
        self._client.close()

    def read(self, path: str, limit: int) -> bytes:
        """Return the file at `path`; see `Source.read`."""
        where = f"{self._base}/{checked_path(path)}"
        target = f"{self._url.path}/{path}"
        for _ in range(self._redirects + 1):
            found = self._found(target, where, limit)
            if isinstance(found, bytes):
                return found
            target = self._moved(target, found)
        raise SourceError("NETWORK_REFUSED", f"{where} redirects too often")

    def _found(self, target: str, where: str, limit: int) -> bytes | str:
        """Return the content at `target`, or the location that it redirects to."""

        def attempt() -> bytes | str:
            with self._client.exchange("GET", target) as answer:
                return _content(answer, where, limit)

        try:
            return self._client.with_retries(attempt)
        except TooMuchError as error:
            raise TooLongError(where, limit) from error
        except SlowError as error:
            message = f"cannot read {where}: {error}"
            raise SourceError("NETWORK_SLOW", message, "Try again later.") from error
        except HttpError as error:
            raise SourceError(
                "NETWORK_TLS" if isinstance(error, CertificateError) else "NETWORK",
                f"cannot read {where}: {error}",
                "Check the address and your connection.",
            ) from error

    def _moved(self, target: str, location: str) -> str:
        """Return the target that a redirect names, if it has the same origin."""
        origin = f"{self._url.scheme}://{self._url.netloc}"
        try:
            there = urljoin(origin + target, location)
            same = normal_location(
                urlsplit(there)._replace(path="", query="", fragment="").geturl()
            )
        except (ValueError, PsregError):
            same, there = "", location
        if same != origin:
            # What follows the path of a login page may be secret.
            shown = there.partition("?")[0].partition("#")[0]
            raise SourceError(
                "NETWORK_REFUSED",
                f"{self._base} redirects to {shown}",
                f"If this registry asks you to log in: {_LOG_IN} If it has moved, add its new "
                "address; other hosts are refused.",
            )
        return urlsplit(there)._replace(scheme="", netloc="", fragment="").geturl()


def _content(answer: Answer, where: str, limit: int) -> bytes | str:
    """Return the body of an answer, or the location that it redirects to."""
    if answer.status == 200:  # noqa: PLR2004 - OK
        if answer.coding:
            raise SourceError("NETWORK_REFUSED", f"{where} is sent compressed ({answer.coding})")
        return _body(answer, where, limit)
    answer.drain()
    if answer.busy:
        raise BusyError(f"status {answer.status}", answer.status, answer.wait)
    if answer.status == 401 or (answer.status == 403 and where.endswith(_ALWAYS)):  # noqa: PLR2004
        raise LoginError(where, f"answers with status {answer.status}")
    if answer.status in _ABSENT:
        raise NotServedError(where)
    location = answer.header("Location")
    if answer.status in _REDIRECTS and location:
        return location
    raise SourceError("NETWORK", f"{where} answers with status {answer.status}")


def _body(answer: Answer, where: str, limit: int) -> bytes:
    """Return the body of an answer, unless it is a page to log in at."""
    is_page = answer.header("Content-Type").lower().startswith("text/html")
    try:
        data = answer.body(limit)
    except TooMuchError:
        if is_page:
            raise LoginError(where, _PAGE) from None
        raise
    if is_page and data.lstrip().startswith(b"<"):
        raise LoginError(where, _PAGE)
    return data
