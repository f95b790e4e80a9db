"""Reading one file: never without end, and never through a link that the user did not name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from psreg.core.errors import UnavailableError, UsageError
from psreg.system.atomic import cannot_write

MAX_FILE = 4 * 1024 * 1024
"""How many bytes of a file are read: more than any limit of a rule, so that rules see excess."""


_HAS_NO_FOLLOW = hasattr(os, "O_NOFOLLOW")

_READ = os.O_RDONLY
# O_NONBLOCK: opening a named pipe must not wait for its writer. Not every system has all of them.
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READ |= getattr(os, _flag, 0)


def read_file(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of the regular file at `path`, never through a link.

    Raises:
        UnavailableError: it is missing, not a regular file, or cannot be read.
    """
    try:
        if not _HAS_NO_FOLLOW and path.is_symlink():
            raise _unreadable(path, "it is a symbolic link")
        number = os.open(path, _READ)
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be opened") from error
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable(path, "it is not a regular file")
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


def read_named(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of a file that the user named; links are followed.

    Raises:
        UnavailableError: it is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be read") from error


def append_line(path: Path, line: str) -> None:
    """Add one line to a log that the user named, and close it again; links are followed.

    Raises:
        UnavailableError: CANNOT_WRITE.
    """
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{line}\n")
    except OSError as error:
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
    """Return whether the user or root owns `path`; others could place a registry above us."""
    if not hasattr(os, "geteuid"):  # pragma: no cover - Windows
        return True
    return path.stat().st_uid in (0, os.geteuid())


def _unreadable(path: Path, why: str) -> UnavailableError:
    return UnavailableError("CANNOT_READ", f"cannot read {path}: {why}")
