"""Where a registry's bytes come from: the port `Source`, its errors, and the source in a folder.

A source is bound to one base (a URL or a folder); what is read is named by a path below it, so
that nothing a registry says can choose another host or another folder. Nothing read is trusted:
`client/tufclient.py` and `client/install.py` verify it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from psreg.core.errors import UnavailableError
from psreg.system.files import read_file

_PATH = re.compile(r"[A-Za-z0-9._+%~-]+(/[A-Za-z0-9._+%~-]+)*", re.ASCII)


UNREACHED = ("NETWORK", "NETWORK_SLOW")
"""The codes of the errors of a source that does not answer."""


class SourceError(UnavailableError):
    """A file could not be read. `code` is usually `NETWORK` or starts with `NETWORK_`."""


class NotServedError(SourceError):
    """The source answered that it has no such file (code `NOT_FOUND`)."""

    def __init__(self, where: str, hint: str = "") -> None:
        super().__init__("NOT_FOUND", f"{where} does not exist", hint)


class TooLongError(SourceError):
    """The file is longer than the caller allowed (code `TOO_LONG`)."""

    def __init__(self, where: str, limit: int) -> None:
        super().__init__("TOO_LONG", f"{where} is longer than the expected {limit:,} bytes")


class Source(Protocol):
    """What serves a registry: a URL, a folder, or the simulator of the tests."""

    @property
    def location(self) -> str:
        """The base as a user would write it: a URL or an absolute path."""

    def read(self, path: str, limit: int) -> bytes:
        """Return the whole file at `path` (relative, `/` separated).

        Raises:
            NotServedError: there is no such file.
            TooLongError: it is longer than `limit` bytes; reading stopped there.
            SourceError: it cannot be read.
        """

    def close(self) -> None:
        """Close connections; the source can still be read afterwards."""


def checked_path(path: str) -> str:
    """Return `path` if it is a plain relative path below the base.

    Raises:
        SourceError: it leaves the base, is absolute, or has characters that are not allowed.
    """
    if _PATH.fullmatch(path) is None or any(part in (".", "..") for part in path.split("/")):
        raise SourceError("NETWORK_REFUSED", f"{path!r} is not a path inside a registry")
    return path


class FileSource:
    """Reads regular files below `root`; devices, pipes and links are refused."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def location(self) -> str:
        """The absolute path of the folder."""
        return str(self._root)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def read(self, path: str, limit: int) -> bytes:
        """Return the file at `path`; see `Source.read`."""
        file = self._root / checked_path(path)
        try:
            data = read_file(file, limit + 1)
        except UnavailableError as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                raise NotServedError(str(file)) from error
            raise SourceError("CANNOT_READ", error.message) from error
        if len(data) > limit:
            raise TooLongError(str(file), limit)
        return data
