"""What a PATH of `psreg check` names: a folder, one file, or standard input.

A subject checks, reads and writes by the paths in its diagnostics. It never writes through a link,
and never writes a file that it could not read completely.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.errors import UsageError
from psreg.lint.engine import check_file
from psreg.system.files import MAX_FILE, read_named


class Subject(Protocol):
    """Something to check; `checked` counts its artifacts after the check.

    `lone` means that it is one file, `loose` that each of its files is checked by itself and not as
    part of a registry.
    """

    checked: int
    lone: bool
    loose: bool

    def judge(self, changed: Mapping[str, bytes]) -> list[Diagnostic]:
        """Return the diagnostics, with `changed` in place of the content of its files."""

    def read(self, path: str, /) -> bytes | None:
        """Return the content of the file at `path`; None if it must not be changed."""

    def write(self, path: str, data: bytes, /) -> None:
        """Replace the file at `path`; its permissions stay the same."""


class Artifact:
    """One file, or `data` that came through standard input: then `place` is None."""

    checked = 1
    lone = True
    loose = True

    def __init__(self, data: bytes, path: str, mode: Mode, place: Path | None = None) -> None:
        self.data = data
        self.place = place
        self._path = path
        self._mode = mode

    @classmethod
    def at(cls, place: Path, mode: Mode) -> Artifact:
        """Return the file at `place`."""
        return cls(read_named(place), place.as_posix(), mode, place)

    def judge(self, changed: Mapping[str, bytes]) -> list[Diagnostic]:
        """See `Subject`."""
        data = changed.get(self._path, self.data)
        try:
            return check_file(data, path=self._path, mode=self._mode)
        except ValueError as error:
            hint = "Start a PBE with `{` and a .prompt with `[METADATA]`, or use --stdin-filename."
            raise UsageError("UNKNOWN_FORMAT", str(error), hint) from error

    def read(self, path: str) -> bytes | None:
        """See `Subject`."""
        if self.place and self.place.is_symlink():
            hint = "Name the file that it points to."
            raise UsageError("LINK", f"{path} is a link; --fix does not write through links", hint)
        return whole(self.data)

    def write(self, _path: str, data: bytes) -> None:
        """See `Subject`; what came through standard input is only stored."""
        self.data = data
        if self.place:
            replace_file(self.place, data)


def whole(data: bytes) -> bytes | None:
    """Return `data`, or None if it is so long that it was not read to its end."""
    return data if len(data) < MAX_FILE else None


def replace_file(place: Path, data: bytes) -> None:
    """Replace the file at `place`; its permissions stay."""
    from psreg.system.atomic import write_file  # noqa: PLC0415 - most checks write nothing

    write_file(place, data, stat.S_IMODE(place.lstat().st_mode))
