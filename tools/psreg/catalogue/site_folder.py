"""The output folder of a site: built in a temporary folder, then swapped in as a whole.

A folder that is not empty and was not written by psreg is never replaced.
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

MARKER = ".psreg-site"
"""The file that marks a folder written by psreg, which may be replaced."""


class SiteDir:
    """A site while it is written."""

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
        with suppress(FileExistsError):  # another process may have created it
            os.mkdir(f"{self._root}/{folder}")  # noqa: PTH102
        self._made.add(folder)

    def page(self, path: str, html: str) -> None:
        """Write one page, UTF-8."""
        self.write(path, html.encode())


@contextmanager
def site_dir(out: Path) -> Iterator[SiteDir]:
    """Yield a new site to write to; swap it in at `out` on success, else remove it.

    Raises:
        UsageError: `out` is a file, or a folder with other content.
        UnavailableError: `out` cannot be written.
    """
    _check_replaceable(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        work.chmod(0o755)
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        site = SiteDir(work)
        site.write(MARKER, b"Written by psreg site build, which replaces the whole folder.\n")
        yield site
        _swap(work, out)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _check_replaceable(out: Path) -> None:
    if not os.path.lexists(out):
        return
    if out.is_symlink() or not out.is_dir():
        raise UsageError("NOT_A_FOLDER", f"{out} is not a folder", "name a new folder with --out")
    if not (out / MARKER).is_file() and any(out.iterdir()):
        raise UsageError(
            "NOT_EMPTY",
            f"{out} holds something that psreg did not build",
            "name a new or empty folder with --out",
        )


def _swap(work: Path, out: Path) -> None:
    """Move `work` to `out`; remove the old site only after that."""
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
