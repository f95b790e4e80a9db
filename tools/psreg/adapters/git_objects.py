"""Reading Git objects through `git cat-file --batch`, one process for all of them.

Sizes are asked for before bytes, so that a blob made to be large is never read whole. A folder is
taken apart here, strictly: one that no checkout could have is refused before anything looks at it.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from psreg.adapters.files import MAX_FILE
from psreg.adapters.git_batch import TOGETHER, Batch, malformed, missing, start_of
from psreg.adapters.git_process import Git
from psreg.errors import FindingsError

_MAX_FOLDER = 32 * 1024 * 1024
"""Bytes of one folder's object; half a million entries have fewer."""

_MOST_ROWS = 2_000_000
"""Rows of folders that are remembered; a registry of 100,000 entries has fewer."""

_AT_ONCE = 16 * 1024 * 1024
"""Bytes of blobs held at a time when many are read."""


class Row(NamedTuple):
    """What stands under a name in a folder: Git's mode and the object's id in hexadecimal."""

    mode: int
    id: str

    @property
    def is_folder(self) -> bool:
        """Tell whether the object is a folder."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        """Tell whether the object is a file, executable or not."""
        return stat.S_ISREG(self.mode)


class Folder:
    """A folder's rows as they are stored; names that are not UTF-8 have lone surrogates (PEP 383).

    Folders may have many rows of which few are looked at, so that each is made when asked for.
    """

    def __init__(self, rows: Sequence[tuple[bytes, bytes, bytes]] = ()) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[bytes, bytes, bytes]]:
        names = _text(b"\0".join(name for _, name, _ in self._rows)).split("\0")
        return dict(zip(names, self._rows, strict=False))

    def get(self, name: str) -> Row | None:
        """Return what is called `name`, or None."""
        row = self._by_name.get(name)
        return _row(row) if row else None

    def folders(self) -> Iterator[tuple[str, str]]:
        """Yield the names and ids of the folders in it."""
        for name, (mode, _, oid) in self._by_name.items():
            if mode in _FOLDER:
                yield name, oid.hex()

    def differing(self, other: Folder) -> set[str]:
        """Return the names under which something else stands in `other`."""
        rows = set(self._rows).symmetric_difference(other._rows)
        return {_text(name) for _, name, _ in rows}


class Objects:
    """The objects of a repository. Folders are remembered, blobs are not."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._contents = Batch(git, "--batch")
        self._headers = Batch(git, "--batch-check")
        self._folders: dict[str, Folder] = {}
        self._rows = 0

    def close(self) -> None:
        """End the processes."""
        self._contents.close()
        self._headers.close()

    def commit(self, rev: str) -> str | None:
        """Return the id of the commit that `rev` (gitrevisions) names, or None."""
        # NOTE: a request ends with its line. No name that Git accepts has a line break.
        return self._headers.named(f"{rev}^{{commit}}", "commit") if rev.isprintable() else None

    def root(self, commit: str) -> str:
        """Return the id of a commit's folder.

        Raises:
            UnavailableError: `OBJECT_MISSING`.
        """
        found = self._headers.named(f"{commit}^{{tree}}", "tree")
        if found is None:
            raise missing(commit)
        return found

    def folder(self, oid: str) -> Folder:
        """Return the folder whose object is `oid`.

        Raises:
            FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
            UnavailableError: `OBJECT_MISSING`.
        """
        self.load([oid])
        return self._folders[oid]

    def load(self, oids: Iterable[str]) -> None:
        """Read folders that will be asked for, many at a time; errors are those of `folder`."""
        new = [oid for oid in dict.fromkeys(oids) if oid not in self._folders]
        for oid, data in zip(new, self._contents.read(new, "tree", _MAX_FOLDER), strict=True):
            folder = _folder(data, oid)
            self._rows += len(folder)
            if self._rows > _MOST_ROWS:
                raise too_many(_MOST_ROWS)
            self._folders[oid] = folder

    def size(self, oid: str) -> int:
        """Return how many bytes a blob has; errors are those of `blob`."""
        return self._headers.sizes([oid])[0]

    def blob(self, oid: str) -> bytes:
        """Return at most `MAX_FILE` bytes of a blob.

        Raises:
            FindingsError: `TREE_MALFORMED`: it is no blob.
            UnavailableError: `OBJECT_MISSING`.
        """
        return next(self.blobs([oid]))

    def blobs(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Yield at most `MAX_FILE` bytes of each blob; errors are those of `blob`."""
        wanted = iter(oids)
        while chunk := list(islice(wanted, TOGETHER)):
            yield from self._measured(zip(chunk, self._headers.sizes(chunk), strict=True))

    def _measured(self, blobs: Iterable[tuple[str, int]]) -> Iterator[bytes]:
        group: list[str] = []
        total = 0
        for oid, size in blobs:
            if total + size > _AT_ONCE or size > MAX_FILE:
                yield from self._group(group)
                group, total = [], 0
            if size > MAX_FILE:
                yield self._start(oid)
            else:
                group.append(oid)
                total += size
        yield from self._group(group)

    def _group(self, oids: Sequence[str]) -> list[bytes]:
        # NOTE: all are read before one is handed out; a reader who stops would leave the rest.
        return list(self._contents.read(oids, "blob", MAX_FILE))

    def _start(self, oid: str) -> bytes:
        data = start_of(self._git, oid, MAX_FILE)
        if len(data) < MAX_FILE:
            raise missing(oid)
        return data


def too_many(most: int) -> FindingsError:
    """Return the error that says: this is more than is judged at a time."""
    return FindingsError(
        "TOO_MANY_FILES",
        f"there are more than {most:,} files and folders to look at",
        "divide the change into several pull requests",
    )


_FOLDER = (b"40000", b"040000")
_NOT_ALLOWED = frozenset((b".", b"..", b".git"))


def _folder(data: bytes, oid: str) -> Folder:
    """Take a tree object apart (gitformat: mode, blank, name, NUL, binary id), strictly."""
    row = rb"([0-7]{5,6}) ([^\0/]+)\0(.{%d})" % (len(oid) // 2)  # SHA-1 or SHA-256
    if not re.fullmatch(b"(?:%b)*" % row, data, re.DOTALL):
        raise malformed(f"the folder {oid} is damaged")
    rows = re.findall(row, data, re.DOTALL)
    names = b"\0".join(name for _, name, _ in rows)
    # Git sorts folders as if their names ended with a slash; so a name is there once.
    keys = [name + b"/" if mode in _FOLDER else name for mode, name, _ in rows]
    if keys != sorted(keys) or len({name for _, name, _ in rows}) != len(rows):
        raise malformed(f"the folder {oid} has a name twice, or out of order")
    if bad := _NOT_ALLOWED.intersection(names.lower().split(b"\0")):
        raise malformed(f"a file or folder is called {min(bad).decode()!r}")
    return Folder(rows)


def _row(row: tuple[bytes, bytes, bytes]) -> Row:
    return Row(int(row[0], 8), row[2].hex())


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
