"""The REST API of a forge: JSON over https, with a token, bounded in time, size and retries.

A redirect is never followed, because the token would be sent along. Only reading is retried here;
callers that write check first whether an unanswered attempt has already written (`with_retries`).
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
from psreg.http.retry_budget import Limits

PER_PAGE = 100

_LARGEST = 8 * 1024 * 1024
"""Maximum bytes of an answer: a hundred comments of 65,536 characters, and their other fields."""

T = TypeVar("T")


class ForgeError(UnavailableError):
    """The forge did not do what it was asked. Codes begin with `FORGE_`."""


class ForgeRefusedError(ForgeError):
    """The forge answered with `status`, a refusal that a retry would not change."""

    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__("FORGE_REFUSED", message, hint)
        self.status = status


class Api:
    """The API of a forge below a base address; the limits are for the life of the instance."""

    def __init__(self, base: str, headers: Mapping[str, str], limits: Limits) -> None:
        url = _address(base)
        self._path = url.path
        self._client = Client(url, limits, {"Accept": "application/json", **headers})

    def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON at `path` below the base; retries while the forge is busy.

        Raises:
            ForgeError: the forge refused, or did not answer.
        """
        target = f"{path}?{urlencode(query)}" if query else path
        return self.with_retries(partial(self.send, "GET", target))

    def get_if_there(self, path: str) -> Any:
        """Return the JSON at `path`, None if the forge has nothing there; see `get`."""
        try:
            return self.get(path)
        except ForgeRefusedError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    def listed(self, path: str, pages: int, **query: str | int) -> Iterator[Any]:
        """Yield the items of a list of at most `pages` pages.

        Raises:
            ForgeError: a page cannot be read; FORGE_TOO_MUCH, there are more pages.
        """
        for page in range(1, pages + 1):
            items = self.get(path, **query, per_page=PER_PAGE, page=page)
            if not isinstance(items, list):
                raise ForgeError(
                    "FORGE_ANSWER", f"{self._client.host} did not send a list for {path}"
                )
            yield from items
            if len(items) < PER_PAGE:
                return
        raise ForgeError("FORGE_TOO_MUCH", f"{path} has more than {pages * PER_PAGE} items")

    def with_retries(self, attempt: Callable[[], T]) -> T:
        """Return what `attempt` returns; repeats it while the forge is busy.

        Raises:
            ForgeError: what the last attempt raised; FORGE_UNREACHABLE, there was no answer.
        """
        try:
            return self._client.with_retries(attempt)
        except HttpError as error:
            message = f"no answer from {self._client.host}: {error}"
            raise ForgeError("FORGE_UNREACHABLE", message, "Try again later.") from error

    def send(self, method: str, target: str, document: Mapping[str, Any] | None = None) -> Any:
        """Make one request and return the JSON of the answer, None if that has no content.

        Raises:
            HttpError: it is unknown whether the forge did it; `with_retries` handles this.
            ForgeError: the forge refused, or its answer is not valid.
        """
        body = None if document is None else json.dumps(document).encode()
        with self._client.exchange(method, f"{self._path}{target}", body) as answer:
            return self._read(answer, f"{method} {target.partition('?')[0]}")

    def _read(self, answer: Answer, what: str) -> Any:
        status = answer.status
        try:
            data = answer.body(_LARGEST)
        except TooMuchError as error:
            message = f"the answer of {self._client.host} to {what} is too long"
            raise ForgeError("FORGE_ANSWER", message) from error
        said = f"{self._client.host} answers {what} with status {status}"
        # NOTE: GitHub's secondary rate limit has no status of its own.
        if answer.busy or (status == HTTPStatus.FORBIDDEN and answer.header("Retry-After")):
            raise BusyError(f"{what} has status {status}", status, answer.wait)
        if not 200 <= status < 300:  # noqa: PLR2004 - OK, Created
            raise ForgeRefusedError(status, said, _HINTS.get(status, ""))
        if status == HTTPStatus.NO_CONTENT:
            return None
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            message = f"the answer of {self._client.host} to {what} is not JSON"
            raise ForgeError("FORGE_ANSWER", message) from error


_MOVED = "Set the API's new address; psreg never sends a token to the target of a redirect."

_HINTS = {
    **dict.fromkeys((301, 302, 307, 308), _MOVED),
    401: "Set a valid token.",
    403: "Give the token the permissions in the guide “Run a registry”.",
    404: "Check that it exists, and that the token may read it.",
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
