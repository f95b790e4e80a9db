"""Atomic writing of files, and lock files.

A file is written under a temporary name, flushed to the disk and renamed, so that neither a reader
nor a crash nor a full disk leaves half of it, and a link in its place is replaced, not followed.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from _thread import get_ident  # `threading` takes long to import
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from psreg.core.errors import UnavailableError

TEMPORARY = ".psreg-"
"""The prefix of unfinished files; those that a crash left may be deleted."""

_DIGITS, _HEX = 16, frozenset("0123456789abcdef")

AN_HOUR = 3600.0
"""An age in seconds that no file reaches while it is written."""

DAMAGED = ".damaged"
"""The suffix of what was set aside because it could not be used."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_PLAIN = getattr(os, "O_BINARY", 0)
"""Flags that not every system has."""

_POLL = 0.05
_LONG_ON_WINDOWS = 260
"""Characters of a path that Windows refuses unless it was told to accept longer ones."""


def write_file(
    path: Path,
    data: bytes,
    mode: int = 0o644,
    *,
    durable: bool = True,
    unfinished: Path | None = None,
) -> None:
    """Make `path` a regular file with the content `data` and the permission bits `mode`.

    Without `durable`, it outlives the program but perhaps not a power failure. `unfinished` is the
    folder of the same disk in which it is written before it is renamed, None for its own. A device
    or a pipe, such as /dev/null or /dev/stdout, is written to and never replaced.

    Raises:
        UnavailableError: `CANNOT_WRITE`; the old file is unchanged.
    """
    try:
        if _is_device(path):
            # O_NONBLOCK: a pipe without a reader is an error, not something to wait for.
            number = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
            with open(number, "wb") as device:  # noqa: PTH123 - takes a descriptor
                device.write(data)
            return
        folder = unfinished or os.path.dirname(path)  # noqa: PTH120
        name = TEMPORARY + os.urandom(_DIGITS // 2).hex()
        temporary = os.path.join(folder, name)  # noqa: PTH118
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN | _NO_LINK, 0o600)
        try:
            _fill(number, data, durable=durable)
            os.chmod(temporary, mode)  # noqa: PTH101
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            raise
    except OSError as error:
        raise cannot_write(path, error) from error


def _fill(number: int, data: bytes, *, durable: bool) -> None:
    """Write `data` to an open file, and close that."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(number, rest) :]
        if durable:
            os.fsync(number)
    finally:
        os.close(number)


def _is_device(path: Path) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_own(
    path: Path,
    data: bytes,
    inside: Path,
    *,
    durable: bool = True,
    unfinished: Path | None = None,
) -> None:
    """Write a file of psreg's own state in the folder `inside`, as `write_file` does.

    What else is in its place, or in that of a folder between them, was damaged: it is set aside.

    Raises:
        UnavailableError: `CANNOT_WRITE`.
    """
    real_folder(path.parent, inside)
    try:
        if _is_something_else(path):
            set_aside(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    write_file(path, data, durable=durable, unfinished=unfinished)


def real_folder(path: Path, inside: Path | None = None) -> Path:
    """Make `path` a real folder and return it: a link or file in its place is removed first.

    So is one in the place of a folder between `inside` and `path`.

    Raises:
        UnavailableError: `CANNOT_WRITE`.
    """
    try:
        there = [_is_real(folder) for folder in _down_to(path, inside)]
        if not all(there):
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    return path


def _down_to(path: Path, inside: Path | None) -> Iterator[str]:
    """Yield the folders from `inside` down to `path`, or that alone if it is not inside."""
    whole, above = str(path), str(inside)
    if inside is not None and whole.startswith(above + os.sep):
        yield above
        at = len(above)
        while (at := whole.find(os.sep, at + 1)) > 0:
            yield whole[:at]
    yield whole


def _is_real(folder: str) -> bool:
    """Return whether there is a real folder; what else is in its place is removed."""
    try:
        mode = os.lstat(folder).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISDIR(mode):
        return True
    os.unlink(folder)  # noqa: PTH108
    return False


def _is_something_else(path: Path) -> bool:
    """Return whether there is something that is not a regular file. Raises OSError."""
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def set_aside(path: Path) -> bool:
    """Rename what is at `path`, so that it can be written again; return whether there was anything.

    It is then `<name>.damaged`, in place of what had that name before.

    Raises:
        OSError: it cannot be renamed.
    """
    if not os.path.lexists(path):
        return False
    aside = path.with_name(f"{path.name}{DAMAGED}")
    if os.path.lexists(aside):
        delete(aside)
    path.rename(aside)
    return True


def delete(path: Path) -> None:
    """Delete a file, a link, or a folder with all that is in it. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def is_temporary(name: str) -> bool:
    """Return whether a file has a name that `write_file` gives what it has not finished.

    What psreg keeps beside it, such as `.psreg-exports.json`, only begins like that.
    """
    digits = name.removeprefix(TEMPORARY)
    return name == TEMPORARY + digits and len(digits) == _DIGITS and not {*digits} - _HEX


def is_left(path: Path) -> bool:
    """Return whether a killed run may have left what is at a path: such a file, or a folder."""
    return is_temporary(path.name) or (path.name.startswith(TEMPORARY) and path.is_dir())


def clear_unfinished(
    folder: Path, age: float = 0.0, is_unfinished: Callable[[str], bool] = is_temporary
) -> None:
    """Delete the files that a killed run left unfinished in `folder`; failures are ignored.

    `is_unfinished` says by its name whether a file is one. The caller holds the lock under which
    they are written, or names an `age` in seconds that no file reaches while it is written.
    """
    latest = time.time() - age
    with suppress(OSError):
        with os.scandir(folder) as entries:
            found = [each for each in entries if is_unfinished(each.name)]
        for entry in found:
            old = not age or entry.stat(follow_symlinks=False).st_mtime < latest
            if old and not entry.is_dir(follow_symlinks=False):
                os.unlink(entry)  # noqa: PTH108


def cannot_write(path: Path, error: OSError) -> UnavailableError:
    """Return the error for a path that cannot be written."""
    long = sys.platform == "win32" and len(str(path)) >= _LONG_ON_WINDOWS
    hint = ""
    if long or error.errno == errno.ENAMETOOLONG:
        hint = "The path is long: set PSREG_HOME to a folder with a shorter one."
    told = f"cannot write {path}: {error.strerror or error}"
    return UnavailableError("CANNOT_WRITE", told, hint)


@contextmanager
def exclusive(lock: Path, wait: float = 60.0) -> Iterator[None]:
    """Hold the lock file `lock`; another process waits up to `wait` seconds for it.

    What is not a regular file is set aside.

    Raises:
        UnavailableError: `LOCKED`, or `CANNOT_WRITE`.
    """
    try:
        if _is_something_else(lock):
            set_aside(lock)
        number = os.open(lock, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
    except OSError as error:
        raise cannot_write(lock, error) from error
    try:
        _acquire(number, lock, time.monotonic() + wait)
        yield
    finally:
        os.close(number)  # this releases the lock


_HELD: set[tuple[int, str]] = set()


@contextmanager
def exclusive_once(lock: Path) -> Iterator[None]:
    """Hold a lock file as `exclusive` does, unless this thread holds it already."""
    key = get_ident(), str(lock)
    if key in _HELD:
        yield
        return
    with exclusive(lock):
        _HELD.add(key)
        try:
            yield
        finally:
            _HELD.discard(key)


@contextmanager
def exclusive_folder(folder: Path, wait: float = 60.0) -> Iterator[None]:
    """Hold a lock on `folder` itself, as `exclusive` does, where no lock file may be left behind.

    Raises:
        UnavailableError: `LOCKED`, or `CANNOT_WRITE`.
    """
    if os.name == "nt":  # pragma: no cover - a folder cannot be opened there
        yield
        return
    try:
        number = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        _acquire(number, folder, time.monotonic() + wait)
        yield
    finally:
        os.close(number)  # this releases the lock


def _acquire(number: int, lock: Path, until: float) -> None:
    while not _locked(number):
        if time.monotonic() > until:
            raise UnavailableError(
                "LOCKED", f"another psreg holds the lock {lock}", "Wait until it has finished."
            )
        time.sleep(_POLL)


def _locked(number: int) -> bool:
    """Lock an open file until it is closed; return whether no other process has locked it."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return _locked_on_windows(number)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locked_on_windows(number: int) -> bool:
    try:
        windows: Any = import_module("msvcrt")
    except ImportError:
        return True  # a system without locks, such as WebAssembly, runs one process
    try:
        windows.locking(number, windows.LK_NBLCK, 1)  # the first byte, which need not be there
    except OSError:
        return False
    return True
