"""Reading one file: never without end, and never through a link that the user did not name."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from psreg.core.errors import UnavailableError, UsageError
from psreg.core.regex import lazy

MAX_FILE = 4 * 1024 * 1024
"""How many bytes of a file are read: more than any limit of a rule, so that rules see excess."""


_HAS_NO_FOLLOW = hasattr(os, "O_NOFOLLOW")

# O_NONBLOCK: opening a named pipe must not wait for its other end. Not every system has all flags.
_PLAIN = sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def read_file(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of the regular file at `path`, never through a link.

    Raises:
        UnavailableError: it is missing, not a regular file, or cannot be read.
    """
    if not _HAS_NO_FOLLOW and path.is_symlink():
        raise _unreadable(path, "it is a symbolic link")
    return _content(path, _NO_LINK, limit)


def read_named(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of a regular file that the user named; links are followed.

    A pipe that the shell made (`<(command)`, /dev/stdin) counts as one: it has another end.

    Raises:
        UnavailableError: it is missing, not a regular file, or cannot be read.
    """
    return _content(path, 0, limit)


_OF_THE_SHELL = lazy(r"/dev/(stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+")


def _content(path: Path, flags: int, limit: int) -> bytes:
    try:
        number = os.open(path, os.O_RDONLY | _PLAIN | flags)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it cannot be opened"
        if getattr(error, "errno", None) == errno.ELOOP and flags:
            why = "it is a symbolic link"
        raise _unreadable(path, why) from error
    try:
        status = os.fstat(number)
        if stat.S_ISFIFO(status.st_mode) and _OF_THE_SHELL.fullmatch(str(path)):
            os.set_blocking(number, True)
            return _read(number, limit)
        if not stat.S_ISREG(status.st_mode):
            folder = stat.S_ISDIR(status.st_mode)
            raise _unreadable(path, "it is a folder" if folder else "it is not a regular file")
        return _read(number, min(status.st_size, limit))
    finally:
        os.close(number)


def _read(number: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(number, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_own(path: Path, limit: int) -> bytes:
    """Return the content of a file that psreg wrote on this machine, which may be damaged.

    Raises:
        UnavailableError: it is missing, not a regular file, longer than `limit`, or cannot be read.
    """
    data = read_file(path, limit + 1)
    if len(data) > limit:
        raise _unreadable(path, f"it has more than {limit:,} bytes")
    return data


def append(path: Path, text: str) -> None:
    """Add `text` to a log that the user named, and close it again; links are followed.

    Raises:
        UnavailableError: CANNOT_WRITE, for a pipe without a reader as well.
    """
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _PLAIN, 0o666)
        with open(number, "wb") as file:  # noqa: PTH123 - takes a descriptor
            if hasattr(os, "set_blocking"):
                os.set_blocking(number, True)  # a pipe that has a reader may be slow
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        from psreg.system.atomic import cannot_write  # noqa: PLC0415 - most programs only read

        raise cannot_write(path, error) from error


def refuse_existing(path: Path) -> None:
    """Refuse to overwrite a file that the user named; an empty one and a device are fine.

    Raises:
        UsageError: EXISTS.
    """
    try:
        size = path.stat().st_size
    except OSError:
        return  # writing it says what is wrong
    if size:
        raise UsageError("EXISTS", f"{path} already exists", "Name another file, or remove it.")


def real_path(path: Path) -> Path:
    """Return the absolute path without links; what is a loop of links stays as it is.

    Unlike `Path.resolve`, it never raises an error.
    """
    return Path(os.path.realpath(path))


def is_ours(path: Path) -> bool:
    """Return whether the user or root owns `path`; others could place a registry above us.

    So is what cannot be looked at, such as a link that leads nowhere: reading it says why.
    """
    if not hasattr(os, "geteuid"):  # pragma: no cover - Windows
        return True
    try:
        return path.stat().st_uid in (0, os.geteuid())
    except OSError:
        return True


def _unreadable(path: Path, why: str) -> UnavailableError:
    return UnavailableError("CANNOT_READ", f"cannot read {path}: {why}")


class FilesBelow(Mapping[PurePosixPath, bytes]):
    """The regular files below a folder that the user named, by relative path, read on access.

    At most `limit` bytes are read of a file. Links are not followed, and folders of Git left out.

    Raises:
        UnavailableError: a file cannot be read.
    """

    def __init__(self, folder: Path, limit: int = MAX_FILE) -> None:
        self._folder, self._limit = folder, limit
        self._paths: dict[PurePosixPath, None] = {}
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name != ".git"]
            for path in (Path(place, name) for name in names):
                if stat.S_ISREG(path.lstat().st_mode):
                    self._paths[PurePosixPath(path.relative_to(folder).as_posix())] = None

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        return read_file(self._folder / path, self._limit)

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
