"""Fetching what was asked for: resolve, fetch, verify; writing is the library's business.

Every name is resolved, fetched and verified before the caller writes any of them, so that one bad
artifact leaves nothing behind. An artifact is trusted for one reason only: its length and SHA-256
are those of a record that the registry's signed metadata vouches for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from psreg.client.resolve import Choice, Request, choose, unknown_name
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.registry.record_reading import read_record

MAX_ARTIFACT = 16 * 1024 * 1024
"""Bytes of the largest artifact a client fetches, whatever its record says."""


class Registry(Protocol):
    """A registry whose signed metadata has been verified."""

    def record(self, name: str) -> bytes | None:
        """Return the verified bytes of the target `pkg/<name>.json`; None if there is none."""

    def names(self) -> Sequence[str]:
        """Return all names of the signed catalogue."""

    def artifact(self, path: str, size: int) -> bytes:
        """Return the **unverified** file at `path`.

        Raises:
            TrustError: `TRUST_DIGEST`: it is longer than `size`.
            UnavailableError: it cannot be had.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One release. `data` is verified, and empty where `at_hand`: an intact copy is installed."""

    choice: Choice
    data: bytes = b""
    at_hand: bool = False


def deliver(
    requests: Iterable[Request],
    registry: Registry,
    installed: Callable[[Choice], bool] = lambda _: False,
) -> tuple[Delivery, ...]:
    """Return every requested release, fetched and verified, in order of the requests.

    `installed` tells whether an intact copy of a choice is at hand, which is then not fetched.

    Raises:
        TrustError: a record or an artifact is not what was signed; whatever else failed, too,
            is in the same message.
        UnavailableError: a name, a version or an artifact cannot be had.
    """
    deliveries: list[Delivery] = []
    errors: list[PsregError] = []
    for request in requests:
        try:
            choice = resolve(request, registry)
            if installed(choice):
                deliveries.append(Delivery(choice=choice, at_hand=True))
            else:
                deliveries.append(Delivery(choice=choice, data=fetch(choice, registry)))
        except PsregError as error:
            errors.append(error)
    if errors:
        raise _together(errors)
    return tuple(deliveries)


def resolve(request: Request, registry: Registry) -> Choice:
    """Return the release `request` means in `registry`; nothing but metadata is fetched.

    Raises:
        TrustError, UnavailableError: see `choose`; `UNKNOWN_NAME` has a suggestion as its hint.
    """
    data = registry.record(request.name)
    if data is None:
        raise unknown_name(request.name, registry.names())
    return choose(read_record(data, request.name), request)


def fetch(choice: Choice, registry: Registry) -> bytes:
    """Return the verified bytes of the artifact of `choice`.

    Raises:
        TrustError: `TRUST_DIGEST`: length or SHA-256 differ from the record.
        UnavailableError: it cannot be had, or is larger than a prompt can be (`TOO_LARGE`).
    """
    row, release = choice.row, choice.release
    if not 0 <= row.size <= MAX_ARTIFACT:
        raise UnavailableError(
            "TOO_LARGE", f"{release.name} {release.version} has {row.size} bytes, no prompt has"
        )
    data = registry.artifact(str(release.artifact), row.size)
    if len(data) != row.size or not matches_digest(data, row.sha256):
        raise TrustError(
            "TRUST_DIGEST",
            f"{release.filename} of {release.name} {release.version} is not the file that was "
            f"signed: {len(data)} bytes with SHA-256 {hashlib.sha256(data).hexdigest()}, "
            f"not {row.size} bytes with {row.sha256}",
            "nothing was installed; tell the keepers of the registry",
        )
    return data


def matches_digest(data: bytes, sha256: str) -> bool:
    """Tell whether the SHA-256 of `data`, in lower-case hexadecimal, is `sha256`."""
    return hashlib.sha256(data).hexdigest() == sha256


def _together(errors: list[PsregError]) -> PsregError:
    """Return one error that says all; a matter of trust decides the exit code."""
    if len(errors) == 1:
        return errors[0]
    refusals = [error for error in errors if isinstance(error, TrustError)]
    message = "; ".join(error.message for error in errors)
    hint = "; ".join(dict.fromkeys(error.hint for error in errors if error.hint))
    if refusals:
        return TrustError(refusals[0].code, message, hint)
    return UnavailableError(errors[0].code, message, hint)
