"""The cached artifacts, by their SHA-256: shared by all libraries and projects of a user.

`artifacts/<2>/<sha256>` is an artifact whose content was checked. It is compared with its name on
every read, so that a flipped bit is found and never used. Files are written beside and renamed,
by one process at a time; others may read and delete them meanwhile. What cannot be kept is fetched
again the next time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from psreg.client.install import MAX_ARTIFACT
from psreg.core.errors import TrustError, UnavailableError
from psreg.system import user_folders
from psreg.system.atomic import clear_unfinished, exclusive, real_folder, write_own
from psreg.system.files import read_own, real_path

ARTIFACTS = "artifacts"
LOCK = ".lock"
"""The file that is locked while something is written; nobody waits for it to read."""

_PATIENCE = 10.0
"""The seconds after which something is left out because others write."""


class Artifacts:
    """The artifacts in the cache `folder`; without `writable`, nothing is kept."""

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        self.folder = folder
        self._writable = writable
        self._tidied: set[Path] = set()

    def has(self, sha256: str) -> bool:
        """Return whether there is something, intact or not, that should be an artifact."""
        return os.path.lexists(self.place(ARTIFACTS, sha256))

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None if it is not there.

        Raises:
            TrustError: `CACHE_DAMAGED`.
        """
        place = self.place(ARTIFACTS, sha256)
        data = read_cached(place, MAX_ARTIFACT)
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            raise damaged(place)
        return data

    def keep_artifact(self, sha256: str, data: bytes) -> None:
        """Keep an artifact that was verified, if the cache can be written."""
        self.write([(self.place(ARTIFACTS, sha256), data)])

    def place(self, kind: str, digest: str) -> Path:
        """Return where something of a kind is, by its digest."""
        return self.folder.joinpath(kind, digest[:2], digest)

    def write(self, files: Iterable[tuple[Path, bytes]]) -> None:
        """Write files of the cache that are not there, under one lock.

        What cannot be written is left out.
        """
        if not self._writable or not (self.folder.is_dir() or not os.path.lexists(self.folder)):
            return
        missing = [(place, data) for place, data in files if _found(place, len(data)) != data]
        if not missing:
            return
        with suppress(UnavailableError), exclusive(real_folder(self.folder) / LOCK, _PATIENCE):
            clear_unfinished(self.folder)  # killed runs leave them
            for place, data in missing:
                self._write(place, data)

    def _write(self, place: Path, data: bytes) -> None:
        if (folder := place.parent) not in self._tidied:
            clear_unfinished(folder)  # former versions of psreg left them there
            self._tidied.add(folder)
        with suppress(UnavailableError):
            # Linux looks long for the place of a new file in a new folder: that takes four times
            # as long as to make it above and to rename it.
            write_own(place, data, self.folder, durable=False, unfinished=self.folder)


def user_artifacts(*, writable: bool = True) -> Artifacts | None:
    """Return the artifacts in this user's cache; None if its folder cannot be used."""
    with suppress(TrustError, UnavailableError):
        return Artifacts(cache_folder(), writable=writable)
    return None


def cache_folder() -> Path:
    """Return the folder of this user's cache: `PSREG_CACHE`, which may be a link, or the usual one.

    Raises:
        TrustError: `STATE_LINKED`.
    """
    chosen = os.environ.get("PSREG_CACHE")
    return real_path(Path(chosen)) if chosen else user_folders.cache_dir()


def read_cached(place: Path, limit: int) -> bytes | None:
    """Return what is in a place of the cache, None if nothing is. Raises TrustError."""
    if not os.path.lexists(place):
        return None
    try:
        return read_own(place, limit)
    except UnavailableError as error:
        if not os.path.lexists(place):  # another process deleted it meanwhile
            return None
        raise damaged(place) from error


def damaged(place: Path) -> TrustError:
    """Return the error for a file of the cache that is not what was kept."""
    return TrustError(
        "CACHE_DAMAGED",
        f"{place} is not what was kept there",
        "Run it again while the registry can be reached; `psreg cache verify` finds all of them.",
    )


def listed(folder: Path) -> list[Path]:
    """Return what is in a folder of the cache, by name; nothing of a link."""
    try:
        return [] if folder.is_symlink() else sorted(folder.iterdir())
    except OSError:
        return []


def _found(place: Path, size: int) -> bytes | None:
    """Return what is in the place of a file of some size, if that is of the same size."""
    with suppress(TrustError):
        return read_cached(place, size)
    return None
