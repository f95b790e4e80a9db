"""The folder a site is written to: built beside it, then swapped in, never half a site.

A folder that is not empty and was not made by psreg is left alone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psreg.core.errors import UnavailableError, UsageError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

MARK = ".psreg-site"
"""The file that tells a folder of ours from one we must not replace."""


class SiteDir:
    """A site that is being written."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._made = {""}
        self.count = 0

    def write(self, path: str, data: bytes) -> None:
        """Write one file by its path below the root of the site."""
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            self._make(folder)
        # NOTE: a site is thousands of small files; this is half the system calls of open().
        number = os.open(f"{self._root}/{path}", _NEW, 0o644)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(number, rest) :]
        finally:
            os.close(number)
        self.count += 1

    def _make(self, folder: str) -> None:
        parent = folder.rpartition("/")[0]
        if parent not in self._made:
            self._make(parent)
        with suppress(FileExistsError):  # another process may have made it
            os.mkdir(f"{self._root}/{folder}")  # noqa: PTH102
        self._made.add(folder)

    def page(self, path: str, html: str) -> None:
        """Write one page, UTF-8."""
        self.write(path, html.encode())


@contextmanager
def site_dir(out: Path) -> Iterator[SiteDir]:
    """Give a new site to write to; swap it in at `out` if all went well, else leave no trace.

    Raises:
        UsageError: `out` is a file, or a folder with something else in it.
        UnavailableError: it cannot be written.
    """
    _refuse_strangers(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        work.chmod(0o755)
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        site = SiteDir(work)
        site.write(MARK, b"Made by psreg site build; it is replaced as a whole.\n")
        yield site
        _swap(work, out)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _refuse_strangers(out: Path) -> None:
    if not os.path.lexists(out):
        return
    if out.is_symlink() or not out.is_dir():
        raise UsageError("NOT_A_FOLDER", f"{out} is not a folder", "name a new folder with --out")
    if not (out / MARK).is_file() and any(out.iterdir()):
        raise UsageError(
            "NOT_EMPTY",
            f"{out} holds something that psreg did not build",
            "name a new or empty folder with --out",
        )


def _swap(work: Path, out: Path) -> None:
    """Put `work` where `out` is; the old site is gone only once the new one is there."""
    if not out.exists():
        work.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    out.rename(old / "site")
    try:
        work.rename(out)
    except OSError:
        (old / "site").rename(out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _unwritable(out: Path, error: OSError) -> UnavailableError:
    return UnavailableError("CANNOT_WRITE", f"cannot write {out}: {error.strerror or error}")
