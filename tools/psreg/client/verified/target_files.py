"""The targets of a registry that this machine stores, in the folder of the registry's state.

What is read here is not trusted: who reads compares it with what signed metadata lists.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from psreg.core.errors import TrustError, UnavailableError
from psreg.http.registry_source import Source, TooLongError
from psreg.registry.trust.roles import LOG, OWNERS, SEGMENT_FOLDER, Target
from psreg.system.atomic import delete, exclusive_once, real_folder, set_aside, write_own
from psreg.system.files import read_own

REGISTRY = "registry/"
"""Where a source has what paths of targets are relative to."""


PARTS = ("pkg", "catalog", LOG, OWNERS, SEGMENT_FOLDER)
"""The folders of stored targets, and of what they name."""


class TargetFiles:
    """The stored targets of what `source` serves, in `folder`; `notify` tells what was repaired."""

    def __init__(self, source: Source, folder: Path, notify: Callable[[str], None]) -> None:
        self._source = source
        self._folder = folder
        self._metadata = folder / "metadata"
        self._say = notify

    def keep(self, path: str, data: bytes) -> None:
        """Store the bytes of a target that `target` returned and did not keep.

        Raises:
            UnavailableError: the state folder cannot be written.
        """
        with self._locked():
            if _holds(self._folder / path, data):
                self.touch(path)
            else:
                write_own(self._folder / path, data, self._folder, durable=False)

    def drop(self, path: str) -> None:
        """Remove the stored copy of a target; for a `Judge`, which runs locked."""
        delete(self._folder / path)

    def stored_on(self, path: str) -> str:
        """Return the day on which a target was stored, such as `2026-11-21`; "" if it is not."""
        at = self.stored_at(path)
        return at.date().isoformat() if at else ""

    def stored_at(self, path: str) -> datetime | None:
        """Return when a target was stored or touched; None if it is not stored."""
        try:
            return datetime.fromtimestamp((self._folder / path).lstat().st_mtime, UTC)
        except (OSError, ValueError, OverflowError):
            return None

    def touch(self, path: str) -> None:
        """Remember that a stored target is still the one listed."""
        with suppress(OSError):
            os.utime(self._folder / path)

    def stored(self, path: str, limit: int) -> bytes | None:
        """Return what is stored beside the targets; None if nothing is. For a `Judge`, as `put`."""
        return self._stored(self._folder / path, limit)

    def put(self, path: str, data: bytes) -> None:
        """Store something beside the targets; for a `Judge`, which runs locked."""
        write_own(self._folder / path, data, self._folder)

    def content(self, path: str, target: Target, judge: Callable[[bytes], object]) -> bytes:
        """Return the verified bytes of a file that a target names by its digest; they are stored.

        `judge` gets new bytes before they are stored.

        Raises:
            TrustError: TRUST_DIGEST.
            UnavailableError: it cannot be read, or the state folder cannot be written.
        """
        file = self._place(path)
        stored = self._stored(file, target.length)
        if stored is not None and Target.of(stored) == target:
            return stored
        try:
            data = self._source.read(REGISTRY + path, target.length)
        except TooLongError as error:
            raise wrong_bytes(path) from error
        if Target.of(data) != target:
            raise wrong_bytes(path)
        judge(data)
        with self._locked():  # or another process takes it for unfinished
            write_own(file, data, self._folder)
        return data

    def forget(self, folder: str, *, but: Container[str]) -> None:
        """Remove the stored files in `folder`, but for the paths in `but`."""
        for file in real_folder(self._folder / folder, self._folder).iterdir():
            if f"{folder}/{file.name}" not in but:
                with suppress(OSError):  # it costs space and nothing else
                    delete(file)

    def _place(self, path: str) -> Path:
        """Return where a target is stored, in a real folder."""
        file = self._folder / path
        real_folder(file.parent, self._folder)
        return file

    def _stored(self, file: Path, limit: int) -> bytes | None:
        """Return a stored copy; what cannot be one is set aside."""
        try:
            return read_own(file, limit)
        except UnavailableError:
            if set_aside(file):
                self._say_rebuilt()
            return None

    def _say_rebuilt(self) -> None:
        self._say(f"the client state in {self._folder} was damaged and has been rebuilt")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the state folder; a `Judge` holds it already, and may store something.

        Raises:
            UnavailableError: `LOCKED`; it cannot be used.
        """
        try:
            with exclusive_once(self._folder / "lock"):
                yield
        except OSError as error:
            raise UnavailableError(
                "STATE_UNUSABLE", f"cannot use {self._folder}: {error.strerror or error}"
            ) from error


def wrong_bytes(path: str) -> TrustError:
    """Return the error for a file whose length or digest is not the one that was signed."""
    return TrustError("TRUST_DIGEST", f"{path} is not the file that signed metadata lists")


def _holds(file: Path, data: bytes) -> bool:
    try:
        return read_own(file, len(data)) == data
    except UnavailableError:
        return False
