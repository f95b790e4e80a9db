"""The metadata a client keeps of a registry: finding and removing what is damaged.

What can be read stays, because it protects against rollback; python-tuf verifies its signatures
again on every run.
"""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

from psreg.core.errors import UnavailableError
from psreg.registry.trust.roles import RELEASES, SNAPSHOT, TARGETS, TIMESTAMP
from psreg.system.atomic import real_folder
from psreg.system.files import read_file

_MAX_FILE = 5_000_000
_JUDGED = tuple(f"{role}.json" for role in (TIMESTAMP, SNAPSHOT, TARGETS, RELEASES))
"""Files that must be metadata; the bins are many, and python-tuf fetches a bad one anew."""


def repair(metadata: Path) -> bool:
    """Make `metadata` a folder python-tuf can work in; return whether anything was damaged.

    Raises:
        OSError, UnavailableError: it cannot be written.
    """
    history = metadata / "root_history"
    damaged = False
    for folder in (metadata, history):
        damaged |= folder.is_symlink() or (folder.exists() and not folder.is_dir())
        real_folder(folder)
    for file in (*metadata.glob("*.json"), *history.glob("*.json")):
        if file.is_symlink() and file.name == "root.json":
            continue  # python-tuf links it anew on every run
        judged = file.name in _JUDGED or file.parent == history
        regular = stat.S_ISREG(file.lstat().st_mode)
        if not regular or (judged and not _is_metadata(file)):
            _remove(file)
            damaged = True
    return damaged


def signed_field(data: bytes, key: str) -> Any:
    """Return a member of the signed part of metadata; None if there is no such thing."""
    try:
        return json.loads(data)["signed"][key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_metadata(file: Path) -> bool:
    try:
        data = read_file(file, _MAX_FILE)
    except UnavailableError:
        return False
    return isinstance(signed_field(data, "version"), int)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
