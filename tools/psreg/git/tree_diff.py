"""Trees of commits: which files differ, and the files of one as a mapping that reads lazily.

Work is bounded: a folder that differs is taken apart once for each place at which it stands, and
where there are more places than anybody would review, reading ends with an error. So a few
kilobytes that stand for a billion files (a tree of one folder, many times over) cost nothing.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from psreg.formats.tree import Irregular
from psreg.git.batch import malformed
from psreg.git.objects import Objects, too_many
from psreg.git.tree_object import Folder, Row

MOST_TOUCHED = 20_000
"""Files and folders a change may touch; a registry of 5,000 entries, arriving in one go."""

_LONGEST = 4096
"""Bytes of a path; what no system could store."""


class FolderPair(NamedTuple):
    """Two folders that stand at the same path; None where there is none."""

    path: str
    before: str | None
    after: str | None


class Difference(NamedTuple):
    """What a file was and is; None where it was not or is not."""

    before: Row | None
    after: Row | None


def differences(
    objects: Objects, start: Iterable[FolderPair], most: int = MOST_TOUCHED
) -> dict[str, Difference]:
    """Return the files that differ below pairs of folders, by path.

    A submodule or a link counts as a file.

    Raises:
        FindingsError: `TOO_MANY_FILES` (more than `most`), `TREE_MALFORMED`.
        UnavailableError: `OBJECT_MISSING`.
    """
    found: dict[str, Difference] = {}
    level, folders = list(start), 0
    while level:
        objects.load(oid for place in level for oid in place[1:] if oid)
        below: list[FolderPair] = []
        for place in level:
            for path, one in _differing(objects, place):
                old, new = (row.id if row and row.is_folder else None for row in one)
                if old or new:
                    below.append(FolderPair(path, old, new))
                old_file, new_file = (row if row and not row.is_folder else None for row in one)
                if old_file or new_file:
                    found[path] = Difference(old_file, new_file)
            if len(found) + folders + len(below) > most:
                raise too_many(most)
        folders += len(below)
        level = below
    return found


def _differing(objects: Objects, place: FolderPair) -> Iterator[tuple[str, Difference]]:
    before = objects.folder(place.before) if place.before else Folder(b"", _width(place))
    after = objects.stored(place.after) if place.after else b""
    for name, old, new in before.differing(after) if place.before != place.after else ():
        path = f"{place.path}/{name}" if place.path else name
        if len(path) > _LONGEST:
            raise malformed(f"a path is longer than {_LONGEST:,} characters")
        yield path, Difference(old, new)


def _width(place: FolderPair) -> int:
    """Return how many bytes ids have: SHA-1 or SHA-256."""
    return len(place.after or "") // 2


def files_below(objects: Objects, folders: Mapping[str, str], most: int) -> dict[str, Row]:
    """Return all files below folders, given as their ids by path; errors as `differences`."""
    start = [FolderPair(path, None, oid) for path, oid in folders.items()]
    found = differences(objects, start, most)
    return {path: one.after for path, one in found.items() if one.after}


def lookup(objects: Objects, root: str, path: str) -> Row | None:
    """Return what stands at `path` below the folder `root`, or None."""
    row = Row(stat.S_IFDIR, root)
    for name in path.split("/"):
        if not row.is_folder:
            return None
        there = objects.folder(row.id).get(name)
        if there is None:
            return None
        row = there
    return row


class GitTree(Mapping[PurePosixPath, bytes]):
    """Files of a commit by repo-relative path, each read when it is asked for.

    At most `MAX_FILE` bytes are read of a file. Links, submodules and what else is no file are
    not among them; `irregular` says what they are.
    """

    def __init__(self, objects: Objects, rows: Mapping[str, Row]) -> None:
        self._objects = objects
        # NOTE: of a whole registry most paths are never asked for, and making one takes longer
        # than reading its row.
        self._files = {text: row.id for text, row in rows.items() if row.is_file}
        kinds = {text: kind for text, row in rows.items() if (kind := _irregular(row.mode))}
        self.irregular = {PurePosixPath(text): kind for text, kind in kinds.items()}
        """What is no plain file; of these the mapping has the executable ones."""

    def __getitem__(self, path: PurePosixPath) -> bytes:
        return self._objects.blob(self._files[str(path)])

    def size(self, path: PurePosixPath) -> int:
        """Return how many bytes the file at `path` has; none of them is read."""
        return self._objects.size(self._files[str(path)])

    def __contains__(self, path: object) -> bool:
        return isinstance(path, PurePosixPath) and str(path) in self._files

    def __iter__(self) -> Iterator[PurePosixPath]:
        return map(PurePosixPath, self._files)

    def __len__(self) -> int:
        return len(self._files)


def _irregular(mode: int) -> Irregular | None:
    """Return what a mode of Git means (gitformat-index), or None for a plain file."""
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFREG:
        return Irregular.EXECUTABLE if mode & 0o111 else None
    if kind == stat.S_IFLNK:
        return Irregular.LINK
    return Irregular.SUBMODULE if kind == _SUBMODULE else Irregular.SPECIAL


_SUBMODULE = 0o160000
