"""Makes the folder of a project contain exactly what its lock file says.

Everything is verified before anything is written. Either the registry says now what was signed, or
the cache says what it was when this machine verified it (`kept`): then no network is needed, and
what this machine has seen revoked since is still refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from psreg.client.install import fetch
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.registries import Published
from psreg.client.project.verified import VerifiedRelease
from psreg.core.errors import PsregError, TrustError, UnavailableError


class Kept(Protocol):
    """The part of the cache that is used here (`client.project.cache`)."""

    def has(self, sha256: str) -> bool:
        """Return whether there is something, intact or not, that should be an artifact."""

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None if it is not there. Raises TrustError `CACHE_DAMAGED`."""

    def release(self, registry: str, name: str, version: str) -> VerifiedRelease | None:
        """Return a release as it was verified. Raises as `artifact`."""

    def keep(self, releases: Iterable[tuple[VerifiedRelease, bytes | None]]) -> None:
        """Keep releases, and the artifacts of those whose bytes are given."""


_TOGETHER = 64
"""How many releases are kept in one go, at most: what a killed run has to fetch again."""

Withdrawn = Callable[[LockedPrompt], PsregError | None]
"""Returns why this machine knows that a release must not be used, None if it may be."""


class Sync:
    """Gets what a lock needs from registries and from the cache.

    `fresh` is whether the registries are asked about each release, or only about those that the
    cache does not have. `offline` is whether they are not asked at all.
    """

    def __init__(
        self,
        published: Published,
        cache: Kept,
        withdrawn: Withdrawn,
        *,
        fresh: bool,
        offline: bool = False,
    ) -> None:
        self._published = published
        self._cache = cache
        self._withdrawn = withdrawn
        self._fresh = fresh
        self._offline = offline

    def releases(
        self, lock: Lock, names: Collection[str] | None = None
    ) -> tuple[VerifiedRelease, ...]:
        """Return the locked releases, or those of some `names`, verified, by name.

        Raises:
            TrustError: a release is refused, or was revoked; the lock says something else than was
                signed; the cache is damaged and the registry cannot be reached.
            UnavailableError: a release is neither in the cache nor to be had.
        """
        self._published.bind(lock)
        locked = [lock.prompts[name] for name in sorted(lock.prompts if names is None else names)]
        found = [(prompt, *self._kept(prompt)) for prompt in locked]
        missing = [prompt for prompt, kept, _ in found if kept is None]
        if not self._offline:
            with _instead_of(next((damage for *_, damage in found if damage), None)):
                self._published.expect(missing, self._cache.has)
        return tuple(kept or self._online(prompt, damage) for prompt, kept, damage in found)

    def files(
        self,
        releases: Sequence[VerifiedRelease],
        write: Collection[str],
        had: Collection[str] = (),
    ) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """Return the verified bytes of the files to `write`, and warnings about their content.

        What is written or fetched is judged, even if it comes from the cache: another project may
        have kept it, under other rules and waivers. What blocks a release is only a warning where
        the project `had` its SHA-256 before. Afterwards the cache has all releases.

        Raises:
            TrustError, UnavailableError: as `releases`; an artifact is not what was signed, or its
                content is blocked.
        """
        data: dict[str, bytes] = {}
        warnings: list[str] = []
        waiting: list[tuple[VerifiedRelease, bytes | None]] = []
        try:
            for verified in releases:
                content, fetched = self._artifact(verified)
                written = verified.release.filename in write
                if written or fetched:
                    from psreg.client.content_check import check_content  # noqa: PLC0415 - large

                    locked = verified.row.sha256 in had
                    warnings += check_content(verified.choice, content, locked=locked)
                if written:
                    data[verified.release.filename] = content
                waiting.append((verified, content if fetched else None))
                if len(waiting) == _TOGETHER:
                    self._cache.keep(waiting)
                    waiting = []
        finally:
            self._cache.keep(waiting)  # what is good is not fetched again after a failure
        return data, tuple(warnings)

    def _kept(self, prompt: LockedPrompt) -> tuple[VerifiedRelease | None, TrustError | None]:
        """Return a release from the cache, unless the registry is asked, and what is damaged."""
        if (error := self._withdrawn(prompt)) is not None:
            raise error
        if self._fresh and not self._offline:
            return None, None
        try:
            kept = self._cache.release(prompt.registry, prompt.name, prompt.version)
        except TrustError as error:
            return None, error
        if kept is not None:
            kept.check(prompt)
        return kept, None

    def _online(self, prompt: LockedPrompt, damage: TrustError | None) -> VerifiedRelease:
        with _instead_of(damage):
            self._check_online(prompt.name, prompt.version)
            return self._published.locked(prompt)

    def _artifact(self, verified: VerifiedRelease) -> tuple[bytes, bool]:
        """Return the bytes, and whether they were fetched."""
        damage: TrustError | None = None
        try:
            if (data := self._cache.artifact(verified.row.sha256)) is not None:
                return data, False
        except TrustError as error:
            damage = error
        release = verified.release
        with _instead_of(damage):
            self._check_online(release.name, release.version)
            data = fetch(verified.choice, self._published.registry(release.name))
        return data, True

    def _check_online(self, name: str, version: str) -> None:
        if self._offline:
            raise UnavailableError(
                "NOT_KEPT",
                f"{name} {version} is not in the cache",
                "Run it again without `--offline`.",
            )


@contextmanager
def _instead_of(damage: TrustError | None) -> Iterator[None]:
    """Raise that the cache is damaged if the registry, which could help, cannot be reached."""
    try:
        yield
    except UnavailableError as error:
        if damage is None:
            raise
        raise damage from error
