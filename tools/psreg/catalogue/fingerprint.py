"""A fingerprint of what all pages depend on: psreg, the theme, the frame's source, the settings."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import psreg
from psreg.catalogue.rule_examples import corpus_folder

_COMPILED = "__pycache__"


def fingerprint(frame: Path, settings: Iterable[str]) -> str:
    """Return a digest of psreg's own files, those in the folder `frame`, all packages, `settings`.

    A file is known by its path, size and time, so that a build of one page need not read them all;
    a file that is only touched makes the next build a full one.
    """
    parts = [*settings, sys.version, *_packages()]
    for folder in (Path(psreg.__file__).parent, corpus_folder(), frame):
        parts += _files(str(folder))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _packages() -> list[str]:
    """Return the names and versions of the installed packages: the theme and its plugins too."""
    names: set[str] = set()
    for folder in sys.path:
        if os.path.isdir(folder):  # noqa: PTH112 - many entries, on every build
            names.update(name for name in os.listdir(folder) if name.endswith(".dist-info"))  # noqa: PTH208
    return sorted(names)


def _files(folder: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name != _COMPILED:
                yield from _files(entry.path)
        else:
            found = _status(entry)
            yield f"{entry.path} {found.st_size} {found.st_mtime_ns}"


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    try:
        return entry.stat()
    except OSError:  # a link that leads nowhere
        return entry.stat(follow_symlinks=False)
