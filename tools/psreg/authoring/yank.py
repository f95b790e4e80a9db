"""Yanking a version: entry.toml with the reason, for a pull request.

A yanked version is installed only if somebody names it exactly.
"""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath
from typing import Any

from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.formats.tree import Entry
from psreg.lint.content.clarity_rules import gives_no_reason

LONGEST = 500
"""Characters of a reason."""


def yanked(entry: Entry, version: str, reason: str) -> bytes:
    """Return entry.toml with the `reason` why `version` is yanked, keeping its layout.

    Raises:
        UsageError: USAGE: the reason is not one line, or says nothing, as `.` and "n/a".
        UnavailableError: NOT_FOUND: there is no such version.
        FindingsError: CANNOT_EDIT.
    """
    if not (reason.strip() and reason.isprintable() and len(reason) <= LONGEST):
        raise UsageError("USAGE", f"the reason must be one line of 1 to {LONGEST} characters")
    if gives_no_reason(reason):
        hint = "Write in a sentence what people should know."
        raise UsageError("USAGE", f"the reason says nothing: {reason}", hint)
    if version not in entry.folders:
        known = ", ".join(entry.versions) or "none"
        told = f"`{entry.name}` has no version {version}"
        raise UnavailableError("NOT_FOUND", told, f"Its versions are: {known}.")
    return _edited(entry, {**entry.file.yanked, version: reason})


def not_yanked(entry: Entry, version: str) -> bytes:
    """Return entry.toml in which `version` is not yanked any more, keeping its layout.

    Raises:
        UnavailableError: NOT_FOUND: it is not yanked.
        FindingsError: CANNOT_EDIT.
    """
    if version not in entry.file.yanked:
        raise UnavailableError("NOT_FOUND", f"{entry.name} {version} is not yanked")
    return _edited(entry, {k: v for k, v in entry.file.yanked.items() if k != version})


def _edited(entry: Entry, wanted: dict[str, str]) -> bytes:
    """Return entry.toml with these yanked versions, and everything else as it is."""
    import tomlkit  # noqa: PLC0415 - only where a person's TOML is edited
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        text = entry.tree.files.get(entry.path, b"").decode("utf-8-sig")
        document: Any = tomlkit.parse(text)
        if not wanted:
            document.pop("yanked")
        else:
            table = document.setdefault("yanked", tomlkit.table())
            for version in [version for version in table if version not in wanted]:
                del table[version]
            table.update(wanted)
        edited: str = tomlkit.dumps(document)
        rest = {key: value for key, value in tomllib.loads(text).items() if key != "yanked"}
        same = tomllib.loads(edited) == {**rest, **({"yanked": wanted} if wanted else {})}
    except (TOMLKitError, ValueError, TypeError, AttributeError):
        same = False
    if not same:
        raise _cannot_edit(entry.path)
    return edited.encode()


def _cannot_edit(path: PurePosixPath) -> FindingsError:
    return FindingsError(
        "CANNOT_EDIT",
        f"`{path}` cannot be edited in place",
        "Run `psreg check` and fix it, or write `[yanked]` yourself.",
    )
