"""Adding a folder of files to a checkout: all of it or nothing, and never over what is there.

A folder that was moved is added under its new name before it goes under the old one.

The files are written beside `pbes/` and then moved into place as one folder, so that a crash, a
full disk or a second psreg leaves either no folder or the whole one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from psreg.core.errors import UsageError
from psreg.system.atomic import TEMPORARY, cannot_write


def add_folder(root: Path, folder: PurePosixPath, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write `files`, all of which lie below `folder`, into the checkout `root`.

    Raises:
        UsageError: `EXISTS`: something is at `folder` already.
        UnavailableError: `CANNOT_WRITE`; nothing was written.
    """
    target = root / folder
    if os.path.lexists(target):
        raise UsageError("EXISTS", f"{folder} is there already", "nothing was written")
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
        UnavailableError: `CANNOT_WRITE`; part of it may be gone.
    """
    target = root / folder
    try:
        shutil.rmtree(target)  # refuses a link
    except OSError as error:
        raise cannot_write(target, error) from error


def _make_parents(target: Path, root: Path, made: list[Path]) -> None:
    """Make the folders above `target`, none of which may be a link; add to `made` what was."""
    for parent in reversed([at for at in target.parents if at.is_relative_to(root) and at != root]):
        if parent.is_symlink():
            raise NotADirectoryError(20, "a registry's tree has no links", str(parent))
        if not parent.exists():
            parent.mkdir()
            made.append(parent)


def _write(stage: Path, folder: PurePosixPath, files: Mapping[PurePosixPath, bytes]) -> None:
    for path, data in files.items():
        place = stage / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
