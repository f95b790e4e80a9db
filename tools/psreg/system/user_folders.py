"""Where psreg keeps things on this machine: keys, installed prompts, settings, locks.

Nothing here makes a folder. `PSREG_HOME` moves all of it below one folder (a USB stick, a test);
otherwise platformdirs knows the folders of each system: on Linux those of the XDG Base Directory
Specification.
"""

from __future__ import annotations

import os
from pathlib import Path

from psreg.core.errors import UnavailableError

APP = "psreg"


def keys_dir() -> Path:
    """Return the folder of signing keys."""
    return _folder("data") / "keys"


def library_dir() -> Path:
    """Return the folder of installed prompts."""
    return _folder("data") / "library"


def registries_dir() -> Path:
    """Return the folder of pinned roots and verified metadata, which protects against rollback."""
    return _folder("data") / "registries"


def journal_dir() -> Path:
    """Return the folder of the locks and notes of `psreg publish`."""
    return _folder("state")


def cache_dir() -> Path:
    """Return the folder of what can be fetched again."""
    return _folder("cache")


def user_config_file() -> Path:
    """Return the user's settings file."""
    return _folder("config") / "config.toml"


def system_config_file() -> Path:
    """Return the file in which the administrator of this machine may set defaults."""
    home = _psreg_home()
    return (home / "system" if home else _platform_folder("site_config_dir")) / "config.toml"


def _folder(kind: str) -> Path:
    home = _psreg_home()
    return home / kind if home else _platform_folder(f"user_{kind}_dir")


def _psreg_home() -> Path | None:
    value = os.environ.get("PSREG_HOME", "")
    return Path(value).absolute() if value else None


def _platform_folder(function: str) -> Path:
    import platformdirs  # noqa: PLC0415 - PSREG_HOME makes it unnecessary

    try:
        return Path(getattr(platformdirs, function)(APP, appauthor=False))
    except RuntimeError as error:
        raise UnavailableError(
            "NO_HOME",
            "this user has no home folder",
            "Set PSREG_HOME to a folder that psreg may use.",
        ) from error
