"""The REST API of a forge: JSON over https, with a token, bounded in time, size and retries.

A redirect is never followed, because the token would follow it. Only reading is tried again here;
whoever writes looks first whether an unanswered attempt has written already (`settled`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlencode

from psreg.core.errors import UnavailableError, UsageError
from psreg.http.address import secure_parts
from psreg.http.client import Answer, Client
from psreg.http.errors import BusyError, HttpError, TooMuchError
from psreg.http.retry_limits import Limits

PER_PAGE = 100

_LARGEST = 8 * 1024 * 1024
"""Bytes of an answer: a hundred comments of 65,536 characters and their surroundings."""

T = TypeVar("T")


class ForgeError(UnavailableError):
    """The forge did not do what it was asked. Codes begin with `FORGE_`."""


class ForgeRefusedError(ForgeError):
    """The forge answered with `status`, a refusal that asking again would not change."""

    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__("FORGE_REFUSED", message, hint)
        self.status = status


class Api:
    """One forge's API below a base address; one instance is one run's time and retries."""

    def __init__(self, base: str, headers: Mapping[str, str], limits: Limits) -> None:
        url = _address(base)
        self._path = url.path
        self._client = Client(url, limits, {"Accept": "application/json", **headers})

    def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON at `path` below the base, asked for again while the forge is busy.

        Raises:
            ForgeError: it cannot be had.
        """
        target = f"{path}?{urlencode(query)}" if query else path
        return self.with_retries(partial(self.send, "GET", target))

    def listed(self, path: str, pages: int, **query: str | int) -> Iterator[Any]:
        """Yield the items of a list, of at most so many pages.

        Raises:
            ForgeError: a page cannot be had; FORGE_TOO_MUCH, there are more pages.
        """
        for page in range(1, pages + 1):
            items = self.get(path, **query, per_page=PER_PAGE, page=page)
            if not isinstance(items, list):
                raise ForgeError("FORGE_ANSWER", f"{self._client.host} sends no list for {path}")
            yield from items
            if len(items) < PER_PAGE:
                return
        raise ForgeError("FORGE_TOO_MUCH", f"{path} has more than {pages * PER_PAGE} items")

    def with_retries(self, attempt: Callable[[], T]) -> T:
        """Return what `attempt` returns, made again while the forge is busy.

        Raises:
            ForgeError: what the last attempt raised; FORGE_UNREACHABLE, there was no answer.
        """
        try:
            return self._client.with_retries(attempt)
        except HttpError as error:
            message = f"no answer from {self._client.host}: {error}"
            raise ForgeError("FORGE_UNREACHABLE", message, "try again later") from error

    def send(self, method: str, target: str, document: Mapping[str, Any] | None = None) -> Any:
        """Make one request and return the JSON of the answer, None if that has no content.

        Raises:
            HttpError: whether the forge did it is unknown; `settled` makes a ForgeError of it.
            ForgeError: it refused, or its answer cannot be understood.
        """
        body = None if document is None else json.dumps(document).encode()
        with self._client.exchange(method, f"{self._path}{target}", body) as answer:
            return self._read(answer, f"{method} {target.partition('?')[0]}")

    def _read(self, answer: Answer, what: str) -> Any:
        status = answer.status
        try:
            data = answer.body(_LARGEST)
        except TooMuchError as error:
            message = f"{self._client.host} sends too much for {what}"
            raise ForgeError("FORGE_ANSWER", message) from error
        said = f"{self._client.host} answers {what} with status {status}"
        # GitHub's second limit on requests has no status of its own.
        if answer.busy or (status == HTTPStatus.FORBIDDEN and answer.header("Retry-After")):
            raise BusyError(f"{what} has status {status}", status, answer.wait)
        if not 200 <= status < 300:  # noqa: PLR2004 - OK, Created
            raise ForgeRefusedError(status, said, _HINTS.get(status, ""))
        if status == HTTPStatus.NO_CONTENT:
            return None
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            message = f"{self._client.host} sends no JSON for {what}"
            raise ForgeError("FORGE_ANSWER", message) from error


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
        url = secure_parts(base.rstrip("/"))
    except ValueError as error:
        raise _bad(base, str(error)) from error
    if url.query:
        raise _bad(base, "it has a query")
    return url


def _bad(base: str, why: str) -> UsageError:
    return UsageError("USAGE", f"{base!r} is not the address of a forge's API: {why}")
