"""Trees of commits: which files differ, and the files of one as a mapping that reads lazily.

Work is bounded: a folder that differs is read once for each path at which it is, and more paths
than anyone would review are an error. So a few kilobytes that expand to a billion files (a tree
that contains one folder many times over) cost nothing. All files of a commit, a `Revision`, are
listed by one process of git and read by another.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from psreg.core.errors import FindingsError
from psreg.formats.layout import Irregular
from psreg.git.batch import end, malformed, missing, pipe, stream
from psreg.git.objects import Folder, Objects, Row, too_many
from psreg.git.process import Git
from psreg.system.files import MAX_FILE

MOST_TOUCHED = 20_000
"""Files and folders a change may touch: as many as a registry of 5,000 entries has."""

_LONGEST = 4096
"""Maximum length of a path; no system can store longer ones."""


class FolderPair(NamedTuple):
    """Two folders at the same path; None where there is none."""

    path: str
    before: str | None
    after: str | None


class Difference(NamedTuple):
    """A file before and after a change; None where it does not exist."""

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
        objects.load(oid for pair in level for oid in pair[1:] if oid)
        below: list[FolderPair] = []
        for pair in level:
            for path, one in _differing(objects, pair):
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


def _differing(objects: Objects, pair: FolderPair) -> Iterator[tuple[str, Difference]]:
    try:
        yield from _in_folder(objects, pair)
    except FindingsError as error:
        place = ascii(pair.path[:_LONGEST]) if pair.path else "the top folder"
        raise FindingsError(error.code, f"{error.message}, in {place}", error.hint) from error


def _in_folder(objects: Objects, pair: FolderPair) -> Iterator[tuple[str, Difference]]:
    before = objects.folder(pair.before) if pair.before else Folder(b"", _width(pair))
    after = objects.stored(pair.after) if pair.after else b""
    for name, old, new in before.differing(after) if pair.before != pair.after else ():
        path = f"{pair.path}/{name}" if pair.path else name
        if len(path) > _LONGEST:
            raise malformed(f"a path is longer than {_LONGEST:,} characters")
        yield path, Difference(old, new)


def _width(pair: FolderPair) -> int:
    """Return the length of ids in bytes: that of SHA-1 or SHA-256."""
    return len(pair.after or "") // 2


def files_below(objects: Objects, folders: Mapping[str, str], most: int) -> dict[str, Row]:
    """Return all files below folders, given as their ids by path; errors as `differences`."""
    start = [FolderPair(path, None, oid) for path, oid in folders.items()]
    found = differences(objects, start, most)
    return {path: one.after for path, one in found.items() if one.after}


def lookup(objects: Objects, root: str, path: str) -> Row | None:
    """Return what is at `path` below the folder `root`, or None."""
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
    """Files of a commit by repo-relative path, each read on access.

    At most `MAX_FILE` bytes are read of a file. Links, submodules and other things that are not
    files are left out; `irregular` says what they are.
    """

    def __init__(self, objects: Objects, rows: Mapping[str, Row]) -> None:
        self._objects = objects
        # NOTE: most paths of a whole registry are never used, and making one takes longer than
        # reading its row.
        self._files = {text: row.id for text, row in rows.items() if row.is_file}
        kinds = {text: kind for text, row in rows.items() if (kind := _irregular(row.mode))}
        self.irregular = {PurePosixPath(text): kind for text, kind in kinds.items()}
        """What is not a plain file; of these, the mapping has the executable ones."""

    def __getitem__(self, path: PurePosixPath) -> bytes:
        return self._objects.blob(self._files[str(path)])

    def size(self, path: PurePosixPath) -> int:
        """Return the size in bytes of the file at `path` without reading it."""
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


_MOST = 1_000_000
"""Maximum number of files of a commit."""

_PIECE = 1024 * 1024
"""Bytes of the listing that are read at a time."""

_LINE = re.compile(rb"([0-7]{6}) \w+ ([0-9a-f]+) +(\d+|-|BAD)\t([^\0]+)\0")
"""Git says `BAD` in place of the size of what is missing; reading that is an error."""

_NOT_ALLOWED = re.compile(rb"[\0/](\.|\.\.|\.git|)[\0/]", re.IGNORECASE)


class Revision(GitTree):
    """The files of the commit whose folder is `root`.

    Raises:
        FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
        UnavailableError: `OBJECT_MISSING`.
    """

    def __init__(self, git: Git, objects: Objects, root: str) -> None:
        listed = _list(git, root)
        rows = _LINE.findall(listed)
        paths = b"\0".join([b"", *(path for *_, path in rows), b""])
        if bad := _NOT_ALLOWED.search(paths) if rows else None:
            raise malformed(f"a file or folder is called {bad[1].decode()!r}")
        names = paths.decode("utf-8", "surrogateescape").split("\0")[1:-1]
        if len(rows) != listed.count(b"\0") or len(set(names)) != len(names):
            raise malformed("two files have the same path, or one has none")
        found = (Row(int(mode, 8), oid.decode()) for mode, oid, *_ in rows)
        super().__init__(objects, dict(zip(names, found, strict=False)))
        self._git = git
        small = (oid for _, oid, size, _ in rows if size.isdigit() and int(size) <= MAX_FILE)
        self._small = {oid.decode() for oid in small}

    def contents(self) -> Iterator[tuple[PurePosixPath, bytes]]:
        """Yield all files with at most `MAX_FILE` bytes of each, as fast as git reads them."""
        ids = list(self._files.values())
        small = stream(self._git, (oid for oid in ids if oid in self._small), "blob", MAX_FILE)
        for path, oid in zip(self, ids, strict=True):
            yield path, next(small) if oid in self._small else self._objects.blob(oid)


def _list(git: Git, root: str) -> bytes:
    parts: list[bytes] = []
    rows = 0
    process = git.start("ls-tree", "-r", "-l", "-z", "--full-tree", root)
    try:
        while piece := pipe(process.stdout).read(_PIECE):
            parts.append(piece)
            rows += piece.count(b"\0")
            if rows > _MOST:
                raise too_many(_MOST)
        if process.wait():
            raise missing(f"{root} or one in it")
    finally:
        end(process)
    return b"".join(parts)
