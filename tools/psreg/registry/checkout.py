"""Reading a checkout: finding the registry around a folder, and its tree of files.

The tree reads files on demand, never follows a symbolic link, and limits what it reads, so that a
hostile checkout cannot make psreg read elsewhere or endlessly.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from psreg.core.classes import CLASSES
from psreg.core.errors import UnavailableError
from psreg.core.identity import PBES
from psreg.formats.layout import Irregular
from psreg.system.files import read_file

_POLICY = PurePosixPath("registry/policy.toml")
_SUBMODULE = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(\S++)", re.MULTILINE)


class FileTree(Mapping[PurePosixPath, bytes]):
    """The files below `pbes/` of a checkout and its policy, by repo-relative path.

    `refused` lists submodules and what is neither a regular file nor a folder (links, devices).
    `changed` replaces the content of some files. With `entry`, the folder of one entry, only that
    entry and those that it requires are complete; all others have entry.toml only. With `parts`,
    only what is at or below these paths is listed.
    """

    def __init__(
        self,
        root: Path,
        changed: Mapping[str, bytes] | None = None,
        entry: PurePosixPath | None = None,
        parts: Iterable[PurePosixPath] | None = None,
    ) -> None:
        self.root = root
        self._changed = changed or {}
        self._entry = entry
        self._paths: dict[PurePosixPath, None] = {}
        self.refused: list[PurePosixPath] = []
        self._submodules = _submodules(root)
        if parts is not None:
            for part in parts:
                self._scan_part(part)
        elif entry is None:
            self._scan(PurePosixPath(PBES))
        else:
            self._scan_around(entry)
        if os.path.lexists(root / _POLICY):  # what is not a file cannot be read, but is a policy
            self._paths[_POLICY] = None

    def _scan(self, prefix: PurePosixPath, outlined: Container[PurePosixPath] = ()) -> None:
        """List what is below `prefix`; for entries in an `outlined` folder, only entry.toml."""
        folder = self.root / prefix
        try:
            found = sorted(os.scandir(folder), key=lambda item: item.name)
        except OSError as error:
            raise UnavailableError(
                "CANNOT_READ", f"cannot list {folder}: {error.strerror}"
            ) from error
        if prefix in self._submodules or any(item.name == ".git" for item in found):
            self._submodules.add(prefix)
            self.refused.append(prefix)
            return
        for item in found:
            path = prefix / item.name
            if item.is_dir(follow_symlinks=False):
                if prefix in outlined and _is_plain_file(f"{item.path}/entry.toml"):
                    self._paths[path / "entry.toml"] = None
                else:
                    self._scan(path, outlined)
            elif item.is_file(follow_symlinks=False):
                self._paths[path] = None
            else:
                self.refused.append(path)

    def _scan_part(self, part: PurePosixPath) -> None:
        """List what is at or below `part`, if no link or submodule is on the way to it."""
        for place in (*reversed(part.parents), part)[1:]:
            mode = _mode(self.root / place)
            if stat.S_ISREG(mode):
                self._paths[place] = None
            elif mode and not stat.S_ISDIR(mode):
                self.refused.append(place)
            elif mode and (place == part or self._is_submodule(place)):
                self._scan(place)  # which refuses a submodule
            elif mode:
                continue
            return

    def _is_submodule(self, place: PurePosixPath) -> bool:
        return place in self._submodules or os.path.lexists(self.root / place / ".git")

    def _scan_around(self, entry: PurePosixPath) -> None:
        folders = [PurePosixPath(PBES, name) for name in CLASSES]
        self._scan(PurePosixPath(PBES), outlined=folders)
        if not {entry, entry.parent}.intersection(self.refused):  # never through a link
            self._scan(entry)
        # An installation also uses this module, and does not need a TOML reader.
        from psreg.formats import release  # noqa: PLC0415

        waiting, known = [entry], {entry.name}
        while waiting:  # what leads back to the entry may do so through others
            place = waiting.pop()
            releases = [
                path for path in self if path.name == "release.toml" and place in path.parents
            ]
            for name in {name for path in releases for name in release.read(self[path]).requires}:
                for folder in folders if name not in known else ():
                    if folder / name / "entry.toml" in self:  # whatever `name` is, this is an entry
                        self._scan(folder / name)
                        waiting.append(folder / name)
                known.add(name)

    def irregular(self) -> dict[PurePosixPath, Irregular]:
        """Return what is refused and the executable files, each with its kind.

        If every file is executable, the file system has no such bit, and none is reported.
        """
        parts = self._entry.parts if self._entry else ()
        paths = [path for path in self._paths if path.parts[: len(parts)] == parts]
        executable = [path for path in paths if _mode(f"{self.root}/{path}") & 0o111]
        if len(executable) == len(paths) and all(
            _mode(f"{self.root}/{path}") & 0o111 for path in self._paths
        ):
            executable = []
        found = dict.fromkeys(executable, Irregular.EXECUTABLE)
        for path in self.refused:
            link = stat.S_ISLNK(_mode(self.root / path))
            found[path] = Irregular.LINK if link else Irregular.SPECIAL
        return found | dict.fromkeys(self._submodules & set(self.refused), Irregular.SUBMODULE)

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        changed = self._changed.get(str(path))
        return read_file(self.root / path) if changed is None else changed

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _submodules(root: Path) -> set[PurePosixPath]:
    """Return the paths of submodules in .gitmodules, whether they were fetched or not."""
    try:
        text = read_file(root / ".gitmodules").decode(errors="replace")
    except UnavailableError:
        return set()
    return {PurePosixPath(path) for path in _SUBMODULE.findall(text)}


def _mode(path: Path | str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0  # it was removed just now; reading it reports that


def read_tree(
    root: Path,
    changed: Mapping[str, bytes] | None = None,
    entry: PurePosixPath | None = None,
    parts: Iterable[PurePosixPath] | None = None,
) -> FileTree:
    """Return the tree of the checkout at `root`, with `changed` in place of the content of files.

    `entry` is the folder of the only entry to check, if there is just one; `parts` are the only
    paths to list.

    Raises:
        UnavailableError: `pbes/` is missing or cannot be listed.
    """
    return FileTree(root, changed, entry, parts)


def _is_plain_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def required_checkout(start: str) -> Path:
    """Return the checkout at or above `start`.

    Raises:
        UnavailableError: NO_CHECKOUT: there is none.
    """
    found = find_checkout(Path(start)) if Path(start).is_dir() else None
    if found is None:
        told = f"there is no pbes/ in `{start}` or above it"
        hint = "Change into a checkout of the registry."
        raise UnavailableError("NO_CHECKOUT", told, hint)
    return found


def find_checkout(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that contains `pbes/`, or None."""
    start = start.absolute()
    return next((at for at in (start, *start.parents) if (at / PBES).is_dir()), None)
