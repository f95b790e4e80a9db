"""Where psreg keeps things on this machine: keys and installed prompts, settings, caches.

Nothing here makes a folder. `PSREG_HOME` moves all of it below one folder (a USB stick, a test);
otherwise Linux follows the XDG Base Directory rules and other systems ask platformdirs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from psreg.core.errors import UnavailableError

APP = "psreg"

_XDG = {
    "data": ("XDG_DATA_HOME", ".local/share"),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}


def data_dir() -> Path:
    """Return the folder of what must not be lost: signing keys, installed prompts."""
    return _place("data")


def config_dir() -> Path:
    """Return the folder of what a person set."""
    return _place("config")


def cache_dir() -> Path:
    """Return the folder of what can be fetched again."""
    return _place("cache")


def state_dir() -> Path:
    """Return the folder of what is worth keeping between runs but is nobody's data: locks."""
    return _place("state")


def system_config_file() -> Path:
    """Return the file in which the administrator of this machine may set defaults."""
    root = _home_override()
    if root is not None:
        return root / "system" / "config.toml"
    if not sys.platform.startswith("linux"):
        return _platform("site_config") / "config.toml"
    first = os.environ.get("XDG_CONFIG_DIRS", "").split(":")[0]
    return Path(first if Path(first).is_absolute() else "/etc/xdg", APP, "config.toml")


def _place(kind: str) -> Path:
    root = _home_override()
    if root is not None:
        return root / kind
    if not sys.platform.startswith("linux"):
        return _platform(f"user_{kind}")
    variable, default = _XDG[kind]
    value = os.environ.get(variable, "")
    # XDG Base Directory 0.8: "All paths set in these environment variables must be absolute";
    # a relative one is to be ignored.
    return (Path(value) if Path(value).is_absolute() else _home() / default) / APP


def _home_override() -> Path | None:
    value = os.environ.get("PSREG_HOME", "")
    return Path(value).absolute() if value else None


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise UnavailableError(
            "NO_HOME", "this user has no home folder", "set PSREG_HOME to a folder psreg may use"
        ) from error


def _platform(kind: str) -> Path:
    import platformdirs  # noqa: PLC0415  # only where XDG is not the rule

    return Path(getattr(platformdirs, f"{kind}_dir")(APP, appauthor=False))
