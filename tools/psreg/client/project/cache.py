"""The cache: artifacts, and what registries signed about the releases that projects lock.

Beside the artifacts (`client.artifacts`), `releases/<2>/<digest>` is a verified release, by the
digest of registry, name and version. It, too, is checked on every read.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, starmap
from pathlib import Path

from psreg.client.artifacts import (
    ARTIFACTS,
    LOCK,
    Artifacts,
    cache_folder,
    damaged,
    listed,
    read_cached,
)
from psreg.client.project.verified import VerifiedRelease
from psreg.core.errors import TrustError, UnavailableError
from psreg.system.atomic import (
    TEMPORARY,
    cannot_write,
    clear_unfinished,
    delete,
    exclusive,
    is_left,
)

RELEASES = "releases"
_LARGEST_ROW = 8 * 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Cache(Artifacts):
    """The cache in a folder."""

    def release(self, registry: str, name: str, version: str) -> VerifiedRelease | None:
        """Return a release as it was verified, None if it is not there. Raises as `artifact`."""
        place = self.place(RELEASES, _key(registry, name, version))
        data = read_cached(place, _LARGEST_ROW)
        if data is None:
            return None
        found = _verified(data, place)
        if (found.registry, found.release.name, found.release.version) != (registry, name, version):
            raise damaged(place)
        return found

    def keep(self, releases: Iterable[tuple[VerifiedRelease, bytes | None]]) -> None:
        """Keep releases and their artifacts, which were verified, if the cache can be written.

        Where there are no bytes of an artifact, it is there.
        """
        self.write(chain.from_iterable(starmap(self._files_of, releases)))

    def _files_of(
        self, verified: VerifiedRelease, data: bytes | None
    ) -> Iterator[tuple[Path, bytes]]:
        row = verified.row
        if data is not None:
            yield self.place(ARTIFACTS, row.sha256), data
        key = _key(verified.registry, verified.release.name, row.version)
        yield self.place(RELEASES, key), verified.to_bytes()

    def files(self) -> Iterator[Path]:
        """Yield the files of the cache, by name."""
        for kind in (ARTIFACTS, RELEASES):
            for folder in listed(self.folder / kind):
                yield from (path for path in listed(folder) if _DIGEST.fullmatch(path.name))

    def damaged(self) -> Iterator[Path]:
        """Yield the files that are not what was kept."""
        for path in self.files():
            try:
                if path.parent.parent.name == ARTIFACTS:
                    self.artifact(path.name)
                else:
                    found = _verified(read_cached(path, _LARGEST_ROW) or b"", path)
                    if path.name != _key(found.registry, found.release.name, found.row.version):
                        yield path
            except (TrustError, UnavailableError):
                yield path

    def clean(self) -> None:
        """Delete everything in the cache.

        Raises:
            UnavailableError: something cannot be deleted.
        """
        for kind in (ARTIFACTS, RELEASES):
            place = self.folder / kind
            try:
                if os.path.lexists(place):
                    aside = self.folder / f"{TEMPORARY}{kind}-{os.getpid()}"
                    delete(place.rename(aside))
            except OSError as error:
                raise cannot_write(place, error) from error

    def tidy(self) -> None:
        """Delete what killed runs left unfinished, if that is possible."""
        if not self.folder.is_dir():
            return
        with suppress(UnavailableError), exclusive(self.folder / LOCK):
            for kind in (ARTIFACTS, RELEASES):
                for folder in listed(self.folder / kind):
                    clear_unfinished(folder)
            for path in listed(self.folder):
                if is_left(path):
                    with suppress(OSError):
                        delete(path)


def user_cache() -> Cache:
    """Return this user's cache: `PSREG_CACHE`, else the usual folder."""
    return Cache(cache_folder())


def _key(registry: str, name: str, version: str) -> str:
    return hashlib.sha256(f"{registry} {name} {version}".encode()).hexdigest()


def _verified(data: bytes, place: Path) -> VerifiedRelease:
    try:
        return VerifiedRelease.from_bytes(data)
    except (ValueError, KeyError, RecursionError) as error:
        raise damaged(place) from error
