"""Editing the user's settings: registries are added, moved and removed, and comments stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from psreg.client.config import DEMANDS, is_there
from psreg.core.errors import UsageError
from psreg.system.atomic import cannot_write, clear_unfinished, exclusive, write_file
from psreg.system.credentials import KEYS
from psreg.system.files import read_file, real_path

if TYPE_CHECKING:
    from psreg.system.credentials import Access


def add_registry(
    file: Path,
    *,
    name: str,
    location: str,
    root_sha256: str,
    witnesses: Sequence[str] = (),
    threshold: int | None = None,
    access: Access | None = None,
    names: Sequence[str] = (),
) -> bool:
    """Add the registry at `location` to `file` with a name and a pin; the first is the default.

    `threshold` of the `witnesses` must cosign its log, all of them for None. What the file demands
    of the same registry stays if there are no witnesses, and its `names` if there are none. Returns
    whether it is now the default in this file.

    Raises:
        UsageError: `CONFIG_INVALID`: the file is not TOML.
        UnavailableError: it cannot be read or written.
    """
    with _edited(file) as document:
        document.setdefault("registry", name)
        registries = document.setdefault("registries", tomlkit.table(is_super_table=True))
        table, before = tomlkit.table(), registries.get(name, {})
        table.update({"url": location, "root_sha256": root_sha256})
        if witnesses:
            asked = {"witnesses": [*witnesses], "witness_threshold": threshold}
            table.update({key: value for key, value in asked.items() if value is not None})
        elif before.get("root_sha256") == root_sha256:
            table.update({key: before[key] for key in DEMANDS if key in before})
        table.update(access.to_table() if access else {})
        if names or "names" in before:
            table["names"] = [*names] or before["names"]
        registries[name] = table
        return bool(document["registry"] == name)


def move_registry(
    file: Path, name: str, *, location: str, root_sha256: str, keep_access: bool
) -> None:
    """Give the registry `name` in `file` another address and pin; its other demands stay.

    How it is reached, such as what logs in, stays only with `keep_access`.

    Raises:
        UsageError, UnavailableError: as `add_registry`.
    """
    with _edited(file) as document:
        table = document["registries"][name]
        if document.get("registry") == table["url"]:
            document["registry"] = name
        table.update({"url": location, "root_sha256": root_sha256})
        for key in () if keep_access else KEYS:
            table.pop(key, None)


def remove_registry(file: Path, name: str) -> bool:
    """Remove a named registry from `file`; return whether it was in the file."""
    if name not in _load_document(file).get("registries", {}):
        return False
    with _edited(file) as document:
        del document["registries"][name]
        if not document["registries"]:
            del document["registries"]
        if document.get("registry") == name:
            del document["registry"]
    return True


def _load_document(file: Path) -> Any:
    if not is_there(file):
        return tomlkit.document()
    try:
        return tomlkit.parse(read_file(real_path(file)))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise UsageError("CONFIG_INVALID", f"{file}: {error}") from error


@contextmanager
def _edited(file: Path) -> Iterator[Any]:
    """Yield the settings in `file`, and write them after the block; one process at a time."""
    # Users often keep settings elsewhere and link to them; the link is theirs.
    target = real_path(file) if file.is_symlink() else file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(target, error) from error
    with exclusive(target.parent / ".psreg.lock"):
        clear_unfinished(target.parent)
        document = _load_document(file)
        yield document
        write_file(target, tomlkit.dumps(document).encode())
