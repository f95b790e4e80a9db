"""A registry in a folder: a checkout, a built site, a mirror on a USB stick."""

from __future__ import annotations

from pathlib import Path

from psreg.core.errors import UnavailableError
from psreg.http.source import NotServedError, SourceError, TooLongError, checked_path
from psreg.system.files import read_file


class FileSource:
    """Reads regular files below `root`; devices, pipes and links in a file's place are refused."""

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
