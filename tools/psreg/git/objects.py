"""Reading Git objects through `git cat-file --batch`, one process for all of them.

Sizes are requested before bytes, so that a hostile, very large blob is never read whole.
"""

from __future__ import annotations

import re
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

from psreg.core.errors import FindingsError
from psreg.git.batch import TOGETHER, Batch, malformed, missing, start_of
from psreg.git.process import Git
from psreg.system.files import MAX_FILE

_Stored = tuple[bytes, bytes, bytes]
"""Mode, name and id as stored."""


class Row(NamedTuple):
    """What a name in a folder refers to: Git's mode and the object's id in hexadecimal."""

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
    """The folder whose object has the bytes `data`; rows are made on access.

    Raises:
        FindingsError: `TREE_MALFORMED`.
    """

    def __init__(self, data: bytes, width: int) -> None:
        self._data, self._width = data, width
        self._rows = _rows(data, width)
        _require_order(self._rows)
        if len({name for _, name, _ in self._rows}) != len(self._rows):
            raise _twice()

    @cached_property
    def _by_name(self) -> Mapping[bytes, _Stored]:
        return {row[1]: row for row in self._rows}

    @cached_property
    def _starts(self) -> Sequence[int]:
        """The offsets at which the rows begin, and at which the last one ends."""
        around = self._width + 2
        sizes = (len(mode) + len(name) + around for mode, name, _ in self._rows)
        return list(accumulate(sizes, initial=0))

    def get(self, name: str) -> Row | None:
        """Return the row of `name`, or None."""
        row = self._by_name.get(name.encode("utf-8", "surrogateescape"))
        return _row(row) if row else None

    def names(self) -> Sequence[str]:
        """Return all names, in Git's order."""
        return _text(b"\0".join([name for _, name, _ in self._rows])).split("\0")[: len(self._rows)]

    def differing(self, data: bytes) -> Iterator[tuple[str, Row | None, Row | None]]:
        """Yield the names that differ in the folder with the bytes `data`, with the row of each.

        Only bytes that differ from this folder's are parsed.

        Raises:
            FindingsError: `TREE_MALFORMED`.
        """
        first, last, new = self._apart(data)
        old = self._rows[first:last]
        _require_order([*self._rows[max(first - 1, 0) : first], *new, *self._rows[last : last + 1]])
        before = {row[1]: row for row in old}
        after = {row[1]: row for row in new}
        kept = (name for name in after if name not in before and name in self._by_name)
        if len(after) != len(new) or next(kept, None) is not None:
            raise _twice()
        for name in sorted({*before, *after}):
            one, other = before.get(name), after.get(name)
            if one != other:
                yield _text(name), _row(one) if one else None, _row(other) if other else None

    def _apart(self, data: bytes) -> tuple[int, int, Sequence[_Stored]]:
        """Return the range of rows that `data` does not have, and the rows it has instead."""
        starts, end = self._starts, len(self._data)
        first = bisect_right(starts, _same(self._data, data)) - 1
        shorter = min(end, len(data)) - starts[first]
        back = min(shorter, _same(self._data[::-1], data[::-1]))
        last = bisect_left(starts, end - back)
        return (
            first,
            last,
            _rows(data[starts[first] : len(data) - (end - starts[last])], self._width),
        )


_FOLDER = (b"40000", b"040000")
_NOT_ALLOWED = re.compile(rb"(?:^|\0)(\.|\.\.|\.git)(?:\0|\Z)", re.IGNORECASE)


def _rows(data: bytes, width: int) -> Sequence[_Stored]:
    """Parse a tree object (mode, blank, name, NUL, binary id)."""
    rows = re.findall(rb"([0-7]{5,6}) ([^\0/]+)\0(.{%d})" % width, data, re.DOTALL)
    around = width + 2
    if sum([len(mode) + len(name) + around for mode, name, _ in rows]) != len(data):
        raise malformed("a folder is damaged")
    if bad := _NOT_ALLOWED.search(b"\0".join([name for _, name, _ in rows])):
        raise malformed(f"a file or folder is called {bad[1].decode()!r}")
    return rows


def _require_order(rows: Sequence[_Stored]) -> None:
    # Git sorts folders as if their names ended with a slash.
    keys = [name + b"/" if mode in _FOLDER else name for mode, name, _ in rows]
    if keys != sorted(keys):
        raise malformed("the names in a folder are out of order")


def _twice() -> Exception:
    return malformed("a folder has a name twice")


def _same(one: bytes, other: bytes) -> int:
    """Return the length of the longest common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _row(row: _Stored) -> Row:
    return Row(int(row[0], 8), row[2].hex())


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


_MAX_FOLDERS = 128 * 1024 * 1024
"""Maximum bytes of all folders; those of a registry of 100,000 entries are a tenth of it."""

_AT_ONCE = 16 * 1024 * 1024
"""Maximum bytes of blobs in memory at a time when many are read."""

_MAX_WHOLE = 256 * 1024 * 1024
"""Maximum bytes of a blob that is read whole."""


class Objects:
    """The objects of a repository. Folders are cached, blobs are not."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._contents = Batch(git, "--batch")
        self._headers = Batch(git, "--batch-check")
        self._folders: dict[str, Folder] = {}
        self._stored: dict[str, bytes] = {}
        self._room = _MAX_FOLDERS

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
        if oid not in self._folders:
            self._folders[oid] = Folder(self.stored(oid), len(oid) // 2)
        return self._folders[oid]

    def stored(self, oid: str) -> bytes:
        """Return a folder as it is stored; errors are those of `folder`."""
        self.load([oid])
        return self._stored[oid]

    def load(self, oids: Iterable[str]) -> None:
        """Read folders that will be needed, many at a time; errors are those of `folder`."""
        new = [oid for oid in dict.fromkeys(oids) if oid not in self._stored]
        for oid, data in zip(new, self._contents.read(new, "tree", _MAX_FOLDERS), strict=True):
            self._room -= len(data)
            if self._room < 0:
                raise too_many(_MAX_FOLDERS // 100)
            self._stored[oid] = data

    def size(self, oid: str) -> int:
        """Return how many bytes a blob has; errors are those of `blob`."""
        return self._headers.sizes([oid])[0]

    def blob(self, oid: str) -> bytes:
        """Return at most `MAX_FILE` bytes of a blob.

        Raises:
            FindingsError: `TREE_MALFORMED`: it is not a blob.
            UnavailableError: `OBJECT_MISSING`.
        """
        return next(self.blobs([oid]))

    def whole(self, oid: str) -> bytes:
        """Return all bytes of a blob of the registry's own files, which may be larger than others.

        Raises:
            FindingsError: `TREE_MALFORMED`: it is not a blob, or has more than `_MAX_WHOLE` bytes.
            UnavailableError: `OBJECT_MISSING`.
        """
        return next(self._contents.read([oid], "blob", _MAX_WHOLE))

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
        # NOTE: all are read before one is returned; a caller that stops leaves the rest unread.
        return list(self._contents.read(oids, "blob", MAX_FILE))

    def _start(self, oid: str) -> bytes:
        data = start_of(self._git, oid, MAX_FILE)
        if len(data) < MAX_FILE:
            raise missing(oid)
        return data


def too_many(most: int) -> FindingsError:
    """Return the error for a change that is too large to review."""
    return FindingsError(
        "TOO_MANY_FILES",
        f"the change touches more than {most:,} files and folders",
        "Split the change into several pull requests.",
    )
