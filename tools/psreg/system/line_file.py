"""A file that grows by lines, such as a log; what it holds already stays."""

from __future__ import annotations

from pathlib import Path

from psreg.system.atomic import cannot_write


class LineSink:
    """The file at `path`, which a person named; links are theirs to follow."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, line: str) -> None:
        """Add one line at the end, and leave the file closed behind it.

        Raises:
            UnavailableError: CANNOT_WRITE.
        """
        try:
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{line}\n")
        except OSError as error:
            raise cannot_write(self._path, error) from error
