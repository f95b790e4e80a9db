"""The cache: artifacts by their SHA-256, and what registries signed about the releases they are.

`artifacts/<2>/<sha256>` is an artifact whose content was checked, and `releases/<2>/<digest>` a
verified release, by the digest of registry, name and version. Everything is checked on every read,
so that a flipped bit is found and never used. Files are written beside and renamed: several
processes may use the cache, and delete it, at the same time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from psreg.client.install import MAX_ARTIFACT
from psreg.client.project.verified import VerifiedRelease
from psreg.core.errors import TrustError, UnavailableError
from psreg.system import user_folders
from psreg.system.atomic import TEMPORARY, cannot_write, clear_unfinished, delete, write_own
from psreg.system.files import read_own

ARTIFACTS, RELEASES = "artifacts", "releases"
_LARGEST_ROW = 8 * 1024 * 1024
_AN_HOUR = 3600.0
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Cache:
    """The cache in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None if it is not there.

        Raises:
            TrustError: `CACHE_DAMAGED`.
        """
        data = _read(self._place(ARTIFACTS, sha256), MAX_ARTIFACT)
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            raise _damaged(self._place(ARTIFACTS, sha256))
        return data

    def release(self, registry: str, name: str, version: str) -> VerifiedRelease | None:
        """Return a release as it was verified, None if it is not there. Raises as `artifact`."""
        place = self._place(RELEASES, _key(registry, name, version))
        data = _read(place, _LARGEST_ROW)
        if data is None:
            return None
        found = _verified(data, place)
        if (found.registry, found.release.name, found.release.version) != (registry, name, version):
            raise _damaged(place)
        return found

    def keep(self, verified: VerifiedRelease, data: bytes | None) -> None:
        """Keep a release and its artifact, which were verified; None: the artifact is there.

        Raises:
            UnavailableError: the cache cannot be written.
        """
        row = verified.row
        key = _key(verified.registry, verified.release.name, row.version)
        if data is not None:
            self._write(self._place(ARTIFACTS, row.sha256), data)
        self._write(self._place(RELEASES, key), verified.to_bytes())

    def _write(self, place: Path, content: bytes) -> None:
        if _found(place, len(content)) != content:
            write_own(place, content, self.folder, durable=False)

    def files(self) -> Iterator[Path]:
        """Yield the files of the cache, by name."""
        for kind in (ARTIFACTS, RELEASES):
            for folder in _listed(self.folder / kind):
                yield from (path for path in _listed(folder) if _DIGEST.fullmatch(path.name))

    def damaged(self) -> Iterator[Path]:
        """Yield the files that are not what was kept."""
        for path in self.files():
            try:
                if path.parent.parent.name == ARTIFACTS:
                    self.artifact(path.name)
                else:
                    found = _verified(_read(path, _LARGEST_ROW) or b"", path)
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
        """Delete what killed runs left unfinished."""
        for kind in (ARTIFACTS, RELEASES):
            for folder in _listed(self.folder / kind):
                clear_unfinished(folder, age=_AN_HOUR)
        for path in _listed(self.folder):
            if path.name.startswith(TEMPORARY):
                with suppress(OSError):
                    delete(path)

    def _place(self, kind: str, digest: str) -> Path:
        return self.folder / kind / digest[:2] / digest


def user_cache() -> Cache:
    """Return this user's cache: `PSREG_CACHE`, else the usual folder."""
    chosen = os.environ.get("PSREG_CACHE")
    return Cache(Path(chosen).absolute() if chosen else user_folders.cache_dir())


def _key(registry: str, name: str, version: str) -> str:
    return hashlib.sha256(f"{registry} {name} {version}".encode()).hexdigest()


def _read(place: Path, limit: int) -> bytes | None:
    if not os.path.lexists(place):
        return None
    try:
        return read_own(place, limit)
    except UnavailableError as error:
        raise _damaged(place) from error


def _found(place: Path, size: int) -> bytes | None:
    """Return what is in the place of a file of some size, if that is of the same size."""
    with suppress(TrustError):
        return _read(place, size)
    return None


def _verified(data: bytes, place: Path) -> VerifiedRelease:
    try:
        return VerifiedRelease.from_bytes(data)
    except (ValueError, KeyError, RecursionError) as error:
        raise _damaged(place) from error


def _listed(folder: Path) -> list[Path]:
    try:
        return [] if folder.is_symlink() else sorted(folder.iterdir())
    except OSError:
        return []


def _damaged(place: Path) -> TrustError:
    return TrustError(
        "CACHE_DAMAGED",
        f"{place} is not what was kept there",
        "Run it again while the registry can be reached; `psreg cache verify` finds all of them.",
    )
