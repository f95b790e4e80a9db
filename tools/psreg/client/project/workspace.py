"""A project on this machine: its project file, its lock file, and the folder of its prompts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psreg.client.config import PROJECT_FILES
from psreg.client.project.folder import PromptFolder
from psreg.client.project.lockfile import LARGEST, Lock, no_lock
from psreg.client.project.lockfile import NAME as LOCK
from psreg.client.project.manifest import NAME as MANIFEST
from psreg.client.project.manifest import Manifest
from psreg.core.errors import UnavailableError, UsageError
from psreg.formats.toml_document import MAX_BYTES
from psreg.system.atomic import AN_HOUR, clear_unfinished, exclusive_folder, write_file
from psreg.system.files import is_ours, read_file, read_own

_BEGIN = f"Run `psreg add NAME` to begin one, or create {MANIFEST}."


class Workspace:
    """The project in the folder `root`, whose project file has the name `file`."""

    def __init__(self, root: Path, file: str = MANIFEST) -> None:
        self.root = root
        self.file = root / file

    @classmethod
    def find(cls, start: Path, hint: str = _BEGIN) -> Workspace:
        """Return the project in `start` or the nearest folder above it; `hint` is for without one.

        Raises:
            UnavailableError: `NO_PROJECT`.
            UsageError: `CONFIG_INVALID`: it has two project files.
        """
        start = start.absolute()
        for folder in (start, *start.parents):
            found = [name for name in PROJECT_FILES if os.path.lexists(folder / name)]
            if len(found) > 1:
                told = f"{folder} has both {' and '.join(found)}"
                raise UsageError("CONFIG_INVALID", told, "Move everything into one of them.")
            if found and not is_ours(folder / found[0]):
                raise UnavailableError(
                    "NO_PROJECT",
                    f"{folder / found[0]} belongs to another user and is not used",
                    "Make it yours: another user could choose what you install.",
                )
            if found:
                return cls(folder, found[0])
        raise UnavailableError(
            "NO_PROJECT",
            f"there is no {MANIFEST} here or in a folder above",
            hint,
        )

    @classmethod
    def locked(cls, start: Path, name: str) -> tuple[Workspace, Lock] | None:
        """Return the project around `start` and its lock, None if that does not have `name`.

        Raises:
            PsregError: `CONFIG_INVALID`; as `lock`.
        """
        try:
            found = cls.find(start)
        except UnavailableError:
            return None
        lock = found.lock()
        return (found, lock) if name in lock.prompts else None

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let no other psreg change the project in the block.

        Raises:
            UnavailableError: `LOCKED`.
        """
        with exclusive_folder(self.root):
            yield

    def manifest(self) -> Manifest:
        """Return what the project file says; nothing if there is none yet.

        Raises:
            UsageError: `CONFIG_INVALID`.
            UnavailableError: it cannot be read, or is a link.
        """
        there = os.path.lexists(self.file)
        return self.read(read_file(self.file, MAX_BYTES + 1) if there else b"")

    def read(self, data: bytes) -> Manifest:
        """Return what the project file would say with these bytes. Raises UsageError."""
        return Manifest.read(data, self.file.name)

    def lock_bytes(self) -> bytes | None:
        """Return the bytes of the lock file, None if there is none.

        Raises:
            UnavailableError: it cannot be read, is a link, or is too long.
        """
        place = self.root / LOCK
        return read_own(place, LARGEST) if os.path.lexists(place) else None

    def lock(self) -> Lock:
        """Return the lock; empty if there is no file. Raises as `lock_bytes` and `Lock.read`."""
        data = self.lock_bytes()
        return Lock() if data is None else Lock.read(data)

    def required_lock(self) -> tuple[Lock, bytes]:
        """Return the lock and its bytes. Raises as `lock`, and FindingsError `NO_LOCK`."""
        data = self.lock_bytes()
        if data is None:
            raise no_lock()
        return Lock.read(data), data

    def folder(self, manifest: Manifest) -> PromptFolder:
        """Return the folder of the prompts."""
        return PromptFolder(self.root, manifest.folder)

    def write_lock(self, lock: Lock) -> bool:
        """Write the lock file if it changes; return whether it did.

        Raises:
            UnavailableError: `CANNOT_WRITE`; the old file is unchanged.
        """
        if self.lock_bytes() == lock.to_bytes():
            return False
        clear_unfinished(self.root, age=AN_HOUR)
        write_file(self.root / LOCK, lock.to_bytes())
        return True

    def edited(
        self, add: Mapping[str, str | dict[str, str]], remove: tuple[str, ...] = ()
    ) -> bytes:
        """Return the project file with other prompts; its comments and line ends stay.

        Raises:
            UsageError, UnavailableError: as `manifest`.
        """
        import tomlkit  # noqa: PLC0415 - only two commands edit it
        from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

        try:
            text = read_file(self.file, MAX_BYTES + 1) if os.path.lexists(self.file) else b""
            document: Any = tomlkit.parse(text)
        except (TOMLKitError, UnicodeDecodeError) as error:
            raise UsageError("CONFIG_INVALID", f"{self.file.name}: {error}") from error
        table = document.setdefault("prompts", tomlkit.table())
        for name in remove:
            table.remove(name)
        for name, value in add.items():
            if isinstance(value, dict):
                inline = tomlkit.inline_table()
                inline.update(value)
                table[name] = inline
            else:
                table[name] = value
        edited = tomlkit.dumps(document).encode()
        return edited.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\r\n" in text else edited

    def write_manifest(self, data: bytes) -> None:
        """Write the project file. Raises UnavailableError; the old file is unchanged."""
        clear_unfinished(self.root, age=AN_HOUR)
        write_file(self.file, data)
