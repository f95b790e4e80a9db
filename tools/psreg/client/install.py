"""Resolve, fetch and verify what was requested; the library writes it.

All names are resolved, fetched and verified before the caller writes any of them, so that one bad
artifact leaves nothing behind. There is one reason to trust an artifact: its length and SHA-256
match a record that the registry's metadata signs. Then its content is checked (`content_check`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from psreg.client.resolve import Choice, Request, choose, unknown_name
from psreg.core.dataclass import dataclass, replace
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.registry.records import PackageRecord, ReleaseRecord, read_record

MAX_ARTIFACT = 1024 * 1024
"""Size in bytes of the largest artifact that is fetched, whatever its record says."""


class Registry(Protocol):
    """A registry whose signed metadata has been verified."""

    def record(self, name: str) -> bytes | None:
        """Return the verified bytes of the target `pkg/<name>.json`, or None."""

    def check_release(self, record: PackageRecord, row: ReleaseRecord) -> None:
        """Check that the log has a release, and that the owners of a claimed name signed it.

        Raises:
            TrustError: `TRUST_LOG`; `TRUST_STATEMENT`; `TRUST_OWNER_CHANGED`.
        """

    def names(self) -> Sequence[str]:
        """Return all names of the signed catalogue."""

    def artifact(self, path: str, size: int) -> bytes:
        """Return the **unverified** file at `path`.

        Raises:
            TrustError: `TRUST_DIGEST`: it is longer than `size`.
            UnavailableError: it cannot be read.
        """


class ArtifactCache(Protocol):
    """Artifacts that were fetched before, by their SHA-256 (`client.artifacts`)."""

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None if it is not there. Raises TrustError `CACHE_DAMAGED`."""

    def keep_artifact(self, sha256: str, data: bytes) -> None:
        """Keep an artifact that was verified, if that is possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRelease:
    """A release. `data` is verified, and empty if an intact copy is `already_installed`."""

    choice: Choice
    data: bytes = b""
    already_installed: bool = False


def fetch_all(
    requests: Iterable[Request],
    registry: Registry,
    installed: Callable[[Choice], bool] = lambda _: False,
    locked: Callable[[Choice], bool] = lambda _: False,
    *,
    cache: ArtifactCache | None = None,
) -> tuple[FetchedRelease, ...]:
    """Return every requested release, fetched and verified, in order of the requests.

    `installed` returns whether an intact copy of a choice is installed; it is then not fetched.
    `locked` returns whether the user had exactly these bytes before; what blocks a new
    installation is then a warning. What the `cache` has is not fetched, but verified and judged
    like anything else.

    Raises:
        TrustError: a record or an artifact is not what was signed, or its content is blocked; the
            message includes all other failures.
        UnavailableError: a name, a version or an artifact is not available.
    """
    releases: list[FetchedRelease] = []
    errors: list[PsregError] = []
    for request in requests:
        try:
            choice = resolve(request, registry)
            if installed(choice):
                releases.append(FetchedRelease(choice=choice, already_installed=True))
            else:
                releases.append(_fetched(choice, registry, cache, locked=locked(choice)))
        except PsregError as error:
            errors.append(error)
    if errors:
        raise _combined(errors)
    return tuple(releases)


def _fetched(
    choice: Choice, registry: Registry, cache: ArtifactCache | None, *, locked: bool
) -> FetchedRelease:
    """Return the release, with warnings about its content. Raises as `fetch`, `check_content`."""
    # NOTE: a source that reads ahead has asked for the artifact already. Meanwhile, this is loaded.
    from psreg.client.content_check import check_content  # noqa: PLC0415

    data = fetch(choice, registry, cache)
    warnings = check_content(choice, data, locked=locked)
    if cache is not None:
        cache.keep_artifact(choice.row.sha256, data)
    choice = replace(choice, warnings=(*choice.warnings, *warnings))
    return FetchedRelease(choice=choice, data=data)


def required_record(name: str, registry: Registry) -> PackageRecord:
    """Return the record of a name.

    Raises:
        UnavailableError: `UNKNOWN_NAME`, with a suggestion; the registry cannot be read.
        TrustError: see `Registry.record`.
    """
    data = registry.record(name)
    if data is None:
        raise unknown_name(name, registry.names())
    return read_record(data, name)


def resolve(request: Request, registry: Registry) -> Choice:
    """Return the release of `registry` that `request` selects; only metadata is fetched.

    Raises:
        TrustError: see `choose` and `Registry.check_release`.
        UnavailableError: see `choose`; the hint of `UNKNOWN_NAME` is a suggestion.
    """
    record = required_record(request.name, registry)
    choice = choose(record, request)
    registry.check_release(record, choice.row)
    return choice


def fetch(choice: Choice, registry: Registry, cache: ArtifactCache | None = None) -> bytes:
    """Return the verified bytes of the artifact of `choice`, from the `cache` if it has them.

    Raises:
        TrustError: `TRUST_DIGEST`: length or SHA-256 differ from the record; `CACHE_DAMAGED`: the
            registry, which could help, cannot be reached.
        UnavailableError: it cannot be read, or is larger than a prompt may be (`TOO_LARGE`).
    """
    row, release = choice.row, choice.release
    if not 0 <= row.size <= MAX_ARTIFACT:
        raise UnavailableError(
            "TOO_LARGE",
            f"{release.name} {release.version} claims {row.size:,} bytes; "
            f"the limit is {MAX_ARTIFACT // 1024**2} MiB",
        )
    data = _cached_or_read(choice, registry, cache)
    if len(data) != row.size or not matches_digest(data, row.sha256):
        raise TrustError(
            "TRUST_DIGEST",
            f"{release.filename} of {release.name} {release.version} is not the file that was "
            f"signed: {len(data):,} bytes with SHA-256 {hashlib.sha256(data).hexdigest()}, "
            f"expected {row.size:,} bytes with SHA-256 {row.sha256}",
            "Tell the maintainers of the registry; nothing was installed.",
        )
    return data


def _cached_or_read(choice: Choice, registry: Registry, cache: ArtifactCache | None) -> bytes:
    damage: TrustError | None = None
    try:
        if cache is not None and (kept := cache.artifact(choice.row.sha256)) is not None:
            return kept
    except TrustError as error:
        damage = error
    try:
        return registry.artifact(str(choice.release.artifact), choice.row.size)
    except UnavailableError as error:
        if damage is None:
            raise
        raise damage from error


def matches_digest(data: bytes, sha256: str) -> bool:
    """Return whether the SHA-256 of `data`, in lower-case hexadecimal, is `sha256`."""
    return hashlib.sha256(data).hexdigest() == sha256


def _combined(errors: list[PsregError]) -> PsregError:
    """Return one error with all messages; a `TrustError` takes precedence."""
    if len(errors) == 1:
        return errors[0]
    refusals = [error for error in errors if isinstance(error, TrustError)]
    message = "; ".join(error.message for error in errors)
    hint = "; ".join(dict.fromkeys(error.hint for error in errors if error.hint))
    details = tuple(detail for error in errors for detail in error.details)
    if refusals:
        return TrustError(refusals[0].code, message, hint, details)
    return UnavailableError(errors[0].code, message, hint)
