"""Where psreg keeps things on this machine: keys, installed prompts, settings, locks.

Nothing here makes a folder. `PSREG_HOME` moves all of it below one folder (a USB stick, a test);
otherwise platformdirs knows the folders of each system. On Linux it is asked only where something
is unusual: to load it would be a tenth of a short command's time.

The folders that the user names may be links. Those that psreg makes in them may not, except for the
settings, which people keep among others of their own and link to; and no link counts that another
user of this machine has put where others may write, such as in /tmp.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from psreg.core.errors import TrustError, UnavailableError

APP = "psreg"

_OTHERS_WRITE = 0o022
"""The permission bits of a folder in which its group or everybody may write."""


def keys_dir() -> Path:
    """Return the folder of signing keys."""
    return _own_folder("data") / "keys"


def library_dir() -> Path:
    """Return the folder of installed prompts."""
    return _own_folder("data") / "library"


def registries_dir() -> Path:
    """Return the folder of pinned roots and verified metadata, which protects against rollback."""
    return _own_folder("data") / "registries"


def journal_dir() -> Path:
    """Return the folder of the locks and notes of `psreg publish`."""
    return _own_folder("state")


def cache_dir() -> Path:
    """Return the folder of what can be fetched again."""
    return _own_folder("cache")


def user_config_file() -> Path:
    """Return the user's settings file."""
    return _folder("config") / "config.toml"


def system_config_file() -> Path:
    """Return the file in which the administrator of this machine may set defaults."""
    home = _psreg_home()
    return (home / "system" if home else _platform_folder("site_config_dir")) / "config.toml"


def refuse_link(folder: Path) -> Path:
    """Return a folder that psreg makes itself.

    Raises:
        TrustError: `STATE_LINKED`: there is a symbolic link in its place.
    """
    if os.path.islink(folder):  # noqa: PTH114 - never raises
        raise _linked(
            folder,
            "Move the folder that it leads to here, in place of the link. To keep it elsewhere, "
            "set PSREG_HOME.",
        )
    return folder


def _own_folder(kind: str) -> Path:
    return refuse_link(_folder(kind))


def _folder(kind: str) -> Path:
    home = _psreg_home()
    folder = home / kind if home else _platform_folder(f"user_{kind}_dir")
    for place in (folder.parent, folder):
        if _is_planted(place):
            raise _linked(place, "It belongs to another user of this machine: set PSREG_HOME.")
    return folder


def _is_planted(path: Path) -> bool:
    """Return whether another user put a link at `path`, in a folder in which others may write."""
    if not os.path.islink(path) or not hasattr(os, "geteuid"):  # noqa: PTH114
        return False
    shared = path.parent.stat().st_mode & _OTHERS_WRITE
    return bool(shared) and path.lstat().st_uid not in (0, os.geteuid())


def _linked(folder: Path, hint: str) -> TrustError:
    return TrustError(
        "STATE_LINKED", f"{folder} is a symbolic link, which psreg does not follow", hint
    )


_XDG = {
    "user_data_dir": ("XDG_DATA_HOME", ".local/share"),
    "user_config_dir": ("XDG_CONFIG_HOME", ".config"),
    "user_state_dir": ("XDG_STATE_HOME", ".local/state"),
    "user_cache_dir": ("XDG_CACHE_HOME", ".cache"),
}
"""The XDG Base Directory Specification: a variable, or a folder below the home."""


def _xdg_folder(function: str) -> Path | None:
    """Return the folder if its variable, or that of the home, has an absolute path."""
    if function not in _XDG:
        return None if os.environ.get("XDG_CONFIG_DIRS") else Path("/etc/xdg", APP)
    variable, below = _XDG[function]
    if named := os.environ.get(variable):
        return Path(named, APP) if named.startswith("/") else None
    home = os.environ.get("HOME", "")
    return Path(home, below, APP) if home.startswith("/") else None


def _psreg_home() -> Path | None:
    value = os.environ.get("PSREG_HOME", "")
    return Path(value).absolute() if value else None


def _platform_folder(function: str) -> Path:
    if sys.platform == "linux" and (folder := _xdg_folder(function)):
        return folder
    import platformdirs  # noqa: PLC0415 - see above

    try:
        return Path(getattr(platformdirs, function)(APP, appauthor=False))
    except RuntimeError as error:
        raise UnavailableError(
            "NO_HOME",
            "this user has no home folder",
            "Set PSREG_HOME to a folder that psreg may use.",
        ) from error
