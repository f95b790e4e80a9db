"""Asks the host of a site for single files, to see with which status and headers it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from psreg.http.address import secure_parts
from psreg.http.client import Client
from psreg.http.errors import HttpError
from psreg.http.retry_budget import Limits

_PATIENT = Limits(retries=1, run=30.0)


def probed(site: str, paths: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each path below the address `site` with the status of its answer and `Cache-Control`.

    Ends at the first path to which there is no answer. Raises ValueError for a bad address.
    """
    url = secure_parts(site.rstrip("/"))
    with closing(Client(url, _PATIENT)) as client:
        for path in paths:

            def attempt(target: str = f"{url.path}/{path}") -> tuple[int, str]:
                with client.exchange("GET", target) as answer:
                    return answer.status, answer.header("Cache-Control")

            try:
                status, caching = client.with_retries(attempt)
            except HttpError:
                return
            yield path, status, caching
