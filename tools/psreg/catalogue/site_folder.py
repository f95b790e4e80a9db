"""The output folder of a site: built aside and swapped in as a whole, or changed file by file.

A folder that is not empty and was not written by psreg is never replaced. A change is written aside
as well, and each of its files is renamed to its place; a build that was interrupted meanwhile is
followed by one of the whole site.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psreg.core.errors import UnavailableError, UsageError
from psreg.system.atomic import TEMPORARY, cannot_write, exclusive_folder, write_file
from psreg.system.files import read_file, read_own, real_path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

MARKER = ".psreg-site"
"""The file that marks a folder written by psreg, which may be replaced; see `site_manifest`."""

_LARGEST = 1024 * 1024 * 1024
"""Maximum number of bytes of a marker, which grows with the registry."""

_WAIT = 600.0
"""Seconds to wait for another build in the same place."""

_UNFINISHED = b"An unfinished site of psreg site build, which replaces the whole folder.\n"


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

    def read(self, path: str) -> bytes:
        """Return a file of the site. Raises UnavailableError if it cannot be read."""
        return read_file(self._root / path)

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


class SiteChange(SiteDir):
    """A site while some of its files are changed; no file of it changes before `finish`."""

    def __init__(self, root: Path, aside: Path) -> None:
        super().__init__(aside)
        self._site, self._aside = root, aside
        self._kept: set[str] = set()
        self._written: list[str] = []
        self._unwanted: list[str] = []

    def write(self, path: str, data: bytes) -> None:
        """Write one file by its path below the root of the site, if it differs."""
        if self._present(path, len(data)) == data:
            self._kept.add(path)
        else:
            super().write(path, data)
            self._written.append(path)

    def read(self, path: str) -> bytes:
        """Return a file of the site as it will be."""
        return super().read(path) if path in self._written else read_file(self._site / path)

    def _present(self, path: str, size: int) -> bytes | None:
        try:
            return read_file(self._site / path, size + 1)
        except UnavailableError:
            return None

    def remove(self, path: str) -> None:
        """Remove one file, if it is there and is not written, before or after."""
        if os.path.lexists(self._site / path):
            self._unwanted.append(path)

    def remove_others(self, folder: str) -> None:
        """Remove the files below `folder` that are not written, before or after."""
        for top, _, names in os.walk(self._site / folder):
            below = Path(top).relative_to(self._site).as_posix()
            self._unwanted += [f"{below}/{name}" for name in sorted(names)]

    @property
    def _removed(self) -> list[str]:
        wanted = self._kept.union(self._written)
        return [path for path in dict.fromkeys(self._unwanted) if path not in wanted]

    def growth(self) -> int:
        """Return by how many the number of files grows."""
        new = (path for path in self._written if not os.path.lexists(self._site / path))
        return sum(1 for _ in new) - len(self._removed)

    def finish(self, marker: bytes) -> int:
        """Rename the written files in their order, remove others, write the marker.

        Returns the number of files that changed.

        Raises:
            UnavailableError: CANNOT_WRITE: a folder of the site is something else.
        """
        removed = self._removed
        changed = [*self._written, *removed]
        for folder in {path.rpartition("/")[0] for path in changed}:
            self._require_folder(folder)
        if changed:
            self._mark(_UNFINISHED)
        for path in self._written:
            (self._aside / path).replace(self._site / path)
        for path in removed:
            (self._site / path).unlink()
        for folder in {path.rpartition("/")[0] for path in removed}:
            self._remove_empty(folder)
        self._mark(marker)
        return len(changed)

    def _require_folder(self, folder: str) -> None:
        """Make a folder; one that a link leads to is refused, because it may be anywhere."""
        place = self._site / folder
        place.mkdir(parents=True, exist_ok=True)
        if real_path(place) != real_path(self._site) / folder:
            raise UnavailableError(
                "CANNOT_WRITE",
                f"{place} is not a folder of the site",
                "Build the whole site with --full.",
            )

    def _remove_empty(self, folder: str) -> None:
        with suppress(OSError):  # it is not empty
            while folder:
                (self._site / folder).rmdir()
                folder = folder.rpartition("/")[0]

    def _mark(self, data: bytes) -> None:
        write_marker(self._site, data)


@contextmanager
def locked_site(out: Path) -> Iterator[None]:
    """Hold the lock for building at `out`; another build there waits until this one has ended.

    Raises:
        UsageError: `out` is a file, or a folder with other content.
        UnavailableError: LOCKED, or `out` cannot be written.
    """
    _check_replaceable(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error
    with exclusive_folder(out.parent, _WAIT):
        for left in out.parent.glob(f"{_prefix(out)}*"):  # by a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        yield


def _prefix(out: Path) -> str:
    return f"{TEMPORARY}{out.name}-"


def read_marker(out: Path) -> bytes:
    """Return the marker of the site at `out`, b"" if there is none."""
    try:
        return read_own(out / MARKER, _LARGEST)
    except UnavailableError:
        return b""


def write_marker(out: Path, data: bytes) -> None:
    """Replace the marker of the site at `out`. Raises UnavailableError CANNOT_WRITE."""
    write_file(out / MARKER, data, durable=False)


@contextmanager
def new_site(out: Path) -> Iterator[SiteDir]:
    """Yield a new site to write to; swap it in at `out` on success, else remove it.

    Raises:
        UnavailableError: `out` cannot be written.
    """
    with _aside(out) as work:
        work.chmod(0o755)
        yield SiteDir(work)
        _swap(work, out)


@contextmanager
def changed_site(out: Path) -> Iterator[SiteChange]:
    """Yield the site at `out` to change; without `SiteChange.finish`, it stays as it is.

    Raises:
        UnavailableError: `out` cannot be written.
    """
    with _aside(out) as work:
        yield SiteChange(out, work)


@contextmanager
def _aside(out: Path) -> Iterator[Path]:
    """Yield a new folder next to `out`, and remove it in the end."""
    try:
        work = Path(tempfile.mkdtemp(prefix=_prefix(out), dir=out.parent))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise cannot_write(out, error) from error


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
    old = Path(tempfile.mkdtemp(prefix=_prefix(out), dir=out.parent))
    out.rename(old / "site")
    try:
        work.rename(out)
    except OSError:
        (old / "site").rename(out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
