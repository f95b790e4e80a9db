"""Writing new folders: an entry or version into a checkout, a registry into an empty folder.

Nothing is ever overwritten. The files of an entry or version are written next to `pbes/` and then
moved into place as one folder, so that a crash, a full disk or a second psreg leaves either no
folder or the whole one. A renamed folder is added under its new name before the old one is removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from psreg.core.errors import UsageError
from psreg.system.atomic import TEMPORARY, cannot_write, write_file

_OF_GIT = ".git"


def add_folder(root: Path, folder: PurePosixPath, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write `files`, all of which are below `folder`, into the checkout `root`.

    Raises:
        UsageError: `EXISTS`: `folder` already exists.
        UnavailableError: `CANNOT_WRITE`; nothing was written.
    """
    target = root / folder
    if os.path.lexists(target):
        raise UsageError("EXISTS", f"`{folder}` already exists; nothing was written")
    made: list[Path] = []
    try:
        _make_parents(target, root, made)
        stage = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=root))
        try:
            _write(stage, folder, files)
            stage.chmod(0o755)
            stage.rename(target)
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
    except BaseException as error:
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise cannot_write(target, error) from error
        raise


def remove_folder(root: Path, folder: PurePosixPath) -> None:
    """Remove `folder` from the checkout `root`.

    Raises:
        UnavailableError: `CANNOT_WRITE`; part of it may be deleted.
    """
    target = root / folder
    try:
        shutil.rmtree(target)  # refuses a link
    except OSError as error:
        raise cannot_write(target, error) from error


def _make_parents(target: Path, root: Path, made: list[Path]) -> None:
    """Create the folders above `target`, none of which may be a link; add new ones to `made`."""
    for parent in reversed([at for at in target.parents if at.is_relative_to(root) and at != root]):
        if parent.is_symlink():
            raise NotADirectoryError(20, "a registry must not contain links", str(parent))
        if not parent.exists():
            parent.mkdir()
            made.append(parent)


def _write(stage: Path, folder: PurePosixPath, files: Mapping[PurePosixPath, bytes]) -> None:
    for path, data in files.items():
        target = stage / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def make_registry(
    folder: Path, files: Mapping[PurePosixPath, bytes], *, force: bool
) -> tuple[PurePosixPath, ...]:
    """Write `files` below `folder`, which is created if needed; return those that existed before.

    Existing files are not changed. `force` allows a folder that contains more than `.git`.

    Raises:
        UsageError: `NOT_EMPTY`, or `NOT_A_FOLDER`; nothing was written.
        UnavailableError: `CANNOT_WRITE`.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError("NOT_A_FOLDER", f"`{folder}` is not a folder; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not force and any(item.name != _OF_GIT for item in folder.iterdir()):
            hint = "Use `--force` to add the missing files; existing files are not changed."
            raise UsageError("NOT_EMPTY", f"`{folder}` is not empty", hint)
    except OSError as error:
        raise cannot_write(folder, error) from error
    kept = tuple(path for path in files if os.path.lexists(folder / path))
    for path, data in files.items():
        if path not in kept:
            _make_folders(folder, path)
            write_file(folder / path, data)
    return kept


def _make_folders(root: Path, path: PurePosixPath) -> None:
    """Create the folders of a file below `root`; none of them may be a link."""
    for parent in reversed(path.parents[:-1]):
        folder = root / parent
        try:
            if folder.is_symlink():
                raise NotADirectoryError(20, "a registry must not contain links", str(folder))
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
