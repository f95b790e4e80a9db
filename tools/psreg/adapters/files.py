"""Reading a checkout: which registry encloses a place, and its tree of files.

The tree reads a file when it is asked for, never follows a symbolic link, and caps what it reads,
so that a hostile checkout cannot make psreg read elsewhere or without end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from psreg.errors import UnavailableError
from psreg.identity import PBES

MAX_FILE = 4 * 1024 * 1024
"""Bytes read of one file; more than any limit of the rules, so that these can say "too large"."""

_POLICY = PurePosixPath("registry/policy.toml")


class FileTree(Mapping[PurePosixPath, bytes]):
    """The files below `pbes/` of a checkout and its policy, by repo-relative path.

    `refused` lists what is neither a regular file nor a folder (links, devices). `changed` holds
    what is read instead of some of the files.
    """

    def __init__(self, root: Path, changed: Mapping[str, bytes] | None = None) -> None:
        self.root = root
        self._changed = changed or {}
        self._paths: dict[PurePosixPath, None] = {}
        self.refused: list[PurePosixPath] = []
        self._scan(root / PBES, PurePosixPath(PBES))
        if (root / _POLICY).is_file():
            self._paths[_POLICY] = None

    def _scan(self, folder: Path, prefix: PurePosixPath) -> None:
        try:
            found = sorted(os.scandir(folder), key=lambda item: item.name)
        except OSError as error:
            raise UnavailableError(
                "CANNOT_READ", f"cannot list {folder}: {error.strerror}"
            ) from error
        for item in found:
            path = prefix / item.name
            if item.is_dir(follow_symlinks=False):
                self._scan(folder / item.name, path)
            elif item.is_file(follow_symlinks=False):
                self._paths[path] = None
            else:
                self.refused.append(path)

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        changed = self._changed.get(str(path))
        return read_file(self.root / path) if changed is None else changed

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def read_tree(root: Path, changed: Mapping[str, bytes] | None = None) -> FileTree:
    """Return the tree of the checkout at `root`, with `changed` in place of what files hold.

    Raises:
        UnavailableError: `pbes/` is missing or cannot be listed.
    """
    return FileTree(root, changed)


def read_file(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of the regular file at `path`, never through a link.

    Raises:
        UnavailableError: it is missing, not a regular file, or cannot be read.
    """
    try:
        # O_NONBLOCK: opening a named pipe must not wait for its writer.
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
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


def read_named(path: Path, limit: int = MAX_FILE) -> bytes:
    """Return at most `limit` bytes of a file a person named; links are theirs to follow.

    Raises:
        UnavailableError: it is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be read") from error


def find_checkout(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that holds `pbes/`, or None."""
    start = start.absolute()
    return next((at for at in (start, *start.parents) if (at / PBES).is_dir()), None)


def _unreadable(path: Path, why: str) -> UnavailableError:
    return UnavailableError("CANNOT_READ", f"cannot read {path}: {why}")
