"""Writing the files of a new registry into a folder, and nothing over what is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from psreg.core.errors import UsageError
from psreg.system.atomic import cannot_write, write_file

_OF_GIT = ".git"


def make_registry(
    place: Path, files: Mapping[PurePosixPath, bytes], *, among: bool
) -> tuple[PurePosixPath, ...]:
    """Write `files` below `place`, which is made if need be; return those that were there before.

    What is there stays as it is. `among` allows a folder that holds more than a repository's
    `.git`.

    Raises:
        UsageError: `NOT_EMPTY`, or `NOT_A_FOLDER`; nothing was written.
        UnavailableError: `CANNOT_WRITE`.
    """
    if os.path.lexists(place) and not place.is_dir():
        raise UsageError("NOT_A_FOLDER", f"{place} is no folder", "nothing was written")
    try:
        place.mkdir(parents=True, exist_ok=True)
        if not among and any(item.name != _OF_GIT for item in place.iterdir()):
            hint = "--force writes what is missing and leaves everything that is there as it is"
            raise UsageError("NOT_EMPTY", f"{place} is not empty", hint)
    except OSError as error:
        raise cannot_write(place, error) from error
    kept = tuple(path for path in files if os.path.lexists(place / path))
    for path, data in files.items():
        if path not in kept:
            _make_parents(place, path)
            write_file(place / path, data)
    return kept


def _make_parents(place: Path, path: PurePosixPath) -> None:
    """Make the folders of a file below `place`; none of them may be a link."""
    for parent in reversed(path.parents[:-1]):
        folder = place / parent
        try:
            if folder.is_symlink():
                raise NotADirectoryError(20, "a registry's tree has no links", str(folder))
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
