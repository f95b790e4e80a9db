"""The REST API of a forge: JSON over https, with a token, bounded in time, size and retries.

A redirect is never followed, because the token would follow it. Only reading is tried again here;
whoever writes looks first whether an unanswered attempt has written already (`settled`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlencode, urlsplit

from psreg import __version__
from psreg.core.errors import UnavailableError, UsageError
from psreg.http.connection import connection_to
from psreg.http.deadlines import Pace, TooSlowError, paced_response
from psreg.http.source import Limits, is_loopback

PER_PAGE = 100

_LARGEST = 8 * 1024 * 1024
"""Bytes of an answer: a hundred comments of 65,536 characters and their surroundings."""

_LONGEST_WAIT = 20.0
"""Seconds that a forge may ask us to wait before the next attempt; more is a refusal."""

_BUSY = (429, 500, 502, 503, 504)

T = TypeVar("T")


class ForgeError(UnavailableError):
    """The forge did not do what it was asked. Codes begin with `FORGE_`."""


class ForgeRefusedError(ForgeError):
    """The forge answered with `status`, a refusal that asking again would not change."""

    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__("FORGE_REFUSED", message, hint)
        self.status = status


class ForgeBusyError(ForgeError):
    """There was no answer, or one that may be different next time, after `wait` seconds."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__("FORGE_UNREACHABLE", message, "try again later")
        self.wait = wait


class Api:
    """One forge's API below a base address; one instance is one run's budget of time."""

    def __init__(self, base: str, headers: Mapping[str, str], limits: Limits) -> None:
        self._url = _address(base)
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"psreg/{__version__}",
            **headers,
        }
        self._limits = limits
        self._pace = Pace(limits)

    def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON at `path` below the base, asked for again while the forge is busy.

        Raises:
            ForgeError: it cannot be had.
        """
        target = f"{path}?{urlencode(query)}" if query else path
        return self.settled(partial(self.send, "GET", target))

    def listed(self, path: str, pages: int, **query: str | int) -> Iterator[Any]:
        """Yield the items of a list, of at most so many pages.

        Raises:
            ForgeError: a page cannot be had; FORGE_TOO_MUCH, there are more pages.
        """
        for page in range(1, pages + 1):
            items = self.get(path, **query, per_page=PER_PAGE, page=page)
            if not isinstance(items, list):
                raise ForgeError("FORGE_ANSWER", f"{self._host} sends no list for {path}")
            yield from items
            if len(items) < PER_PAGE:
                return
        raise ForgeError("FORGE_TOO_MUCH", f"{path} has more than {pages * PER_PAGE} items")

    def settled(self, attempt: Callable[[], T]) -> T:
        """Return what `attempt` returns, made again while the forge is busy.

        Raises:
            ForgeError: what the last attempt raised.
        """
        for failures in range(self._limits.retries):
            try:
                return attempt()
            except ForgeBusyError as error:
                if error.wait > _LONGEST_WAIT:
                    raise
                time.sleep(max(error.wait, self._limits.backoff * 2**failures))
        return attempt()

    def send(self, method: str, target: str, document: Mapping[str, Any] | None = None) -> Any:
        """Make one request and return the JSON of the answer, None if that has no content.

        Raises:
            ForgeBusyError: whether the forge did it is unknown; it may do it next time.
            ForgeError: it refused, or its answer cannot be understood.
        """
        body = None if document is None else json.dumps(document).encode()
        headers = {**self._headers, **({"Content-Type": "application/json"} if body else {})}
        try:
            self._pace.start()
            connection = connection_to(self._url, self._pace.patience(self._limits.connect))
            connection.response_class = paced_response(self._pace)
            with closing(connection):
                connection.request(method, f"{self._url.path}{target}", body, headers)
                with connection.getresponse() as response:
                    return self._answer(response, f"{method} {target.partition('?')[0]}")
        except TooSlowError as error:
            raise ForgeBusyError(f"{self._host} is too slow to answer") from error
        except (OSError, HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ForgeBusyError(f"cannot reach {self._host}: {why}") from error

    def _answer(self, response: HTTPResponse, what: str) -> Any:
        status, data = response.status, response.read(_LARGEST)
        wait = response.getheader("Retry-After", "")
        if status in _BUSY or (status == 403 and wait):  # noqa: PLR2004 - GitHub's second limit
            seconds = float(wait) if wait.isascii() and wait.isdigit() else 0.0
            raise ForgeBusyError(f"{self._host} answers {what} with status {status}", seconds)
        if not 200 <= status < 300:  # noqa: PLR2004 - OK, Created
            raise ForgeRefusedError(
                status, f"{self._host} answers {what} with status {status}", _HINTS.get(status, "")
            )
        if status == HTTPStatus.NO_CONTENT:
            return None
        try:
            return json.loads(data)  # what is cut off at the limit is no JSON
        except (ValueError, RecursionError) as error:
            raise ForgeError("FORGE_ANSWER", f"{self._host} sends no JSON for {what}") from error

    @property
    def _host(self) -> str:
        return self._url.netloc


_HINTS = {
    301: "the address of the API is another one; a token is never sent on",
    302: "the address of the API is another one; a token is never sent on",
    307: "the address of the API is another one; a token is never sent on",
    308: "the address of the API is another one; a token is never sent on",
    401: "the token is missing or no longer good",
    403: "the token may not do this; see the permissions in the keepers' guide",
    404: "there is no such thing, or the token may not see it",
}


def _address(base: str) -> SplitResult:
    try:
        url = urlsplit(base.rstrip("/"))
        host, _ = url.hostname or "", url.port
    except ValueError as error:
        raise _bad(base) from error
    plain = url.scheme == "http" and is_loopback(host)
    if not (host and (url.scheme == "https" or plain)) or url.username or url.query or url.fragment:
        raise _bad(base)
    return url


def _bad(base: str) -> UsageError:
    return UsageError("USAGE", f"{base!r} is not the address of a forge's API", "it begins https:")
