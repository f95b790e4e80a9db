"""Folders as Git stores them: parsed strictly, and compared without parsing all of both.

A folder that Git would not check out (a name twice, `..`, a name with a slash) is refused before
anything uses it. Names that are not UTF-8 have lone surrogates (PEP 383).
"""

from __future__ import annotations

import re
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from psreg.git.batch import malformed

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
    row = rb"([0-7]{5,6}) ([^\0/]+)\0(.{%d})" % width
    if not re.fullmatch(b"(?:%b)*" % row, data, re.DOTALL):
        raise malformed("a folder is damaged")
    rows = re.findall(row, data, re.DOTALL)
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
