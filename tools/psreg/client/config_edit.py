"""Changing the user's settings file; what a person wrote there, comments included, stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from psreg.core.errors import UsageError
from psreg.system.atomic import cannot_write, write_file
from psreg.system.files import read_named


def set_remote(file: Path, *, name: str, location: str, root_sha256: str) -> bool:
    """Give the registry `location` a name and a pin in `file`; the first becomes the default.

    Returns whether it is now the default of this file.

    Raises:
        UsageError: `CONFIG_INVALID`: the file is not TOML.
        UnavailableError: it cannot be read or written.
    """
    import tomlkit  # noqa: PLC0415 - only `psreg registry` edits settings

    document = _load(file)
    document.setdefault("registry", name)
    remotes = document.setdefault("registries", tomlkit.table(is_super_table=True))
    table = tomlkit.table()
    table.update({"url": location, "root_sha256": root_sha256})
    remotes[name] = table
    _store(file, document)
    return bool(document["registry"] == name)


def drop_remote(file: Path, name: str) -> bool:
    """Remove a named registry from `file`; return whether it was there."""
    document = _load(file)
    if name not in document.get("registries", {}):
        return False
    del document["registries"][name]
    if not document["registries"]:
        del document["registries"]
    if document.get("registry") == name:
        del document["registry"]
    _store(file, document)
    return True


def _load(file: Path) -> Any:
    import tomlkit  # noqa: PLC0415
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    if not file.exists():
        return tomlkit.document()
    try:
        return tomlkit.parse(read_named(file))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise UsageError("CONFIG_INVALID", f"{file}: {error}") from error


def _store(file: Path, document: Any) -> None:
    import tomlkit  # noqa: PLC0415

    # Settings are often kept elsewhere and linked here; the link is the person's own.
    target = file.resolve() if file.is_symlink() else file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(target, error) from error
    write_file(target, tomlkit.dumps(document).encode())
