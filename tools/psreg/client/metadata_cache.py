"""The cache of metadata, whose files are not trusted: what they say, and setting aside damage."""

from __future__ import annotations

import json
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.trust.roles import (
    BINDING,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    check_binding,
    is_bound,
)
from psreg.system import clock
from psreg.system.atomic import (
    clear_unfinished,
    real_folder,
    set_aside,
)
from psreg.system.files import read_file

MAX_METADATA = 5_000_000
"""Bytes of a file of metadata, at most."""

LISTED = (TIMESTAMP, SNAPSHOT, TARGETS, RELEASES, OWNERS)
"""The roles whose cached files are checked in every run; a bin is checked when it is used."""

TEMPORARY = "tmp"
"""The prefix of the unfinished files of python-tuf."""


def repair_cache(metadata: Path, registry_id: str | None) -> bool:
    """Set aside damaged files of the cache in `metadata`; return whether there were any.

    Damaged is also a file that names another role, or another registry than `registry_id`.

    Raises:
        OSError, UnavailableError: it cannot be written.
    """
    history = metadata / "root_history"
    damaged = False
    for folder in (metadata, history):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            damaged |= set_aside(folder)
        real_folder(folder)
        clear_unfinished(folder)
        clear_unfinished(folder, is_unfinished=lambda name: name.startswith(TEMPORARY))
    for file in (*metadata.glob("*.json"), *history.glob("*.json")):
        if file.is_symlink() and file.name == "root.json":
            continue  # python-tuf links it again on every run
        role = ROOT if file.parent == history else file.name.removesuffix(".json")
        checked = role == ROOT or role in LISTED
        status = file.lstat()
        usable = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_METADATA
        if not usable or (checked and not is_of(signed_in(file), role, registry_id)):
            damaged |= set_aside(file)
    return damaged


def clock_warning(metadata: Path) -> str:
    """Return what to say if the clock is behind the last time that this registry was read."""
    with suppress(OSError, ValueError, OverflowError):
        seconds = (metadata / f"{TIMESTAMP}.json").stat().st_mtime
        read = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if warning := clock.behind(read):
            return f"the registry was read on {read}, {warning}"
    return ""


def signed_field(data: bytes, key: str) -> Any:
    """Return a member of the signed part of metadata, or None."""
    try:
        return json.loads(data)["signed"][key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def id_of(root: bytes) -> str | None:
    """Return the registry's id in a root; None for a root of another kind of repository."""
    binding = signed_field(root, BINDING)
    return binding["id"] if isinstance(binding, dict) else None


def signed_in(file: Path) -> Any:
    """Return the signed part of a cached file, or None."""
    try:
        return json.loads(read_file(file, MAX_METADATA))["signed"]
    except (UnavailableError, ValueError, KeyError, TypeError, RecursionError):
        return None


def is_of(signed: Any, role: str, registry_id: str | None, *, required: bool = False) -> bool:
    """Return whether a signed part has a version, and names no other role or registry."""
    if not isinstance(signed, dict) or not isinstance(signed.get("version"), int):
        return False
    try:
        check_binding(signed, role, registry_id, required=required)
    except TrustError:
        return False
    return True


def names_role(metadata: Path, role: str) -> bool:
    """Return whether the cached file of a role names its role."""
    return is_bound(signed_in(metadata / f"{role}.json"))
