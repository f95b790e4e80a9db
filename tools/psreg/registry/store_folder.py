"""A registry in a folder: whole files or none, in an order that survives a power failure."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from psreg.core.errors import PsregError, UnavailableError
from psreg.registry.records import read_record
from psreg.registry.trust.roles import TARGET_FOLDERS
from psreg.system.atomic import TEMPORARY, cannot_write, write_file
from psreg.system.files import read_own

_PACKAGES = TARGET_FOLDERS[0]

_MAX_FILE = 256 * 1024 * 1024
"""Bytes; the largest file of a registry lists every version of every name."""


class RegistryFolder:
    """The files of a registry below the folder `root`; implements `registry.baseline.Store`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._touched: set[Path] = set()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None if there is none.

        Raises:
            UnavailableError: CANNOT_READ, also for a link or a pipe, which a checkout may contain.
        """
        place = self.root / path
        return read_own(place, _MAX_FILE) if os.path.lexists(place) else None

    def names(self, folder: str) -> list[str]:
        """Return the names in `folder`, sorted, without unfinished files.

        Raises:
            UnavailableError: CANNOT_READ.
        """
        return [name for name in self._listing(folder) if not name.startswith(TEMPORARY)]

    def write(self, path: str, data: bytes) -> None:
        """Put `data` at `path` in one step.

        Raises:
            UnavailableError: CANNOT_WRITE; the old file is unchanged.
        """
        place = self.root / path
        self._make(place.parent)
        write_file(place, data)
        self._touched.add(place.parent)

    def remove(self, path: str) -> None:
        """Remove the file at `path`.

        Raises:
            UnavailableError: CANNOT_WRITE.
        """
        place = self.root / path
        try:
            place.unlink()
        except OSError as error:
            raise cannot_write(place, error) from error
        self._touched.add(place.parent)

    def sweep(self, folder: str) -> None:
        """Remove what an interrupted write left in `folder`.

        Raises:
            UnavailableError: CANNOT_READ or CANNOT_WRITE.
        """
        for name in self._listing(folder):
            if name.startswith(TEMPORARY):
                self.remove(f"{folder}/{name}")

    def sync(self) -> None:
        """Flush the names of all files written so far to the disk.

        Raises:
            UnavailableError: CANNOT_WRITE.
        """
        for folder in sorted(self._touched):
            sync_folder(folder)
        self._touched.clear()

    def _listing(self, folder: str) -> list[str]:
        place = self.root / folder
        try:
            return sorted(os.listdir(place))  # noqa: PTH208 - there are thousands
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _cannot_read(place, error) from error

    def _make(self, folder: Path) -> None:
        if folder.is_dir():
            return
        self._make(folder.parent)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
        self._touched.add(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in `folder` to the disk; does nothing on Windows.

    Raises:
        UnavailableError: CANNOT_WRITE.
    """
    if os.name == "nt":  # pragma: no cover - Windows has no such thing
        return
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        raise cannot_write(folder, error) from error


def _cannot_read(place: Path, error: OSError) -> UnavailableError:
    return UnavailableError("CANNOT_READ", f"cannot read {place}: {error.strerror or error}")


def released_versions(registry: Path, name: str) -> frozenset[str]:
    """Return the versions of `name` that the records in the folder `registry` list, unverified.

    Only good enough to decide to leave a folder alone; a damaged record lists none.
    """
    folder = RegistryFolder(registry)
    found: set[str] = set()
    for file in folder.names(_PACKAGES):
        if file.endswith(f".{name}.json"):
            with suppress(PsregError):
                data = folder.read(f"{_PACKAGES}/{file}") or b""
                found |= {row.version for row in read_record(data, name).rows}
    return frozenset(found)
