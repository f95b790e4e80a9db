"""The folder of a site on this machine; implements `ports.Site`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from psreg.core.errors import UnavailableError
from psreg.registry.trust.roles import Target
from psreg.system.files import read_own

_OURS = ".psreg-"
"""The prefix of files that say something about the folder, and are not part of the site."""

_MAX_FILE = 256 * 1024 * 1024


class SiteFiles:
    """The files below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def files(self) -> Mapping[str, Target]:
        """Return the length and the digest of every file; see `Site.files`."""
        return {path: Target.of(self._bytes(path)) for path in self._paths("")}

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; see `Site.read`."""
        return self._bytes(path) if os.path.lexists(self._root / path) else None

    def _bytes(self, path: str) -> bytes:
        return read_own(self._root / path, _MAX_FILE)

    def _paths(self, folder: str) -> Iterator[str]:
        try:
            with os.scandir(self._root / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            told = f"cannot read {self._root / folder}: {error.strerror or error}"
            raise UnavailableError("CANNOT_READ", told) from error
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.name.startswith(_OURS):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._paths(f"{path}/")
            else:
                yield path
