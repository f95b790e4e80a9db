"""All files of a commit, listed by one process and read by another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from psreg.git.batch import end, malformed, missing, pipe, stream
from psreg.git.objects import Objects, Row, too_many
from psreg.git.process import Git
from psreg.git.tree_diff import GitTree
from psreg.system.files import MAX_FILE

_MOST = 1_000_000
"""Maximum number of files of a commit."""

_PIECE = 1024 * 1024
"""Bytes of the listing that are read at a time."""

_LINE = re.compile(rb"([0-7]{6}) \w+ ([0-9a-f]+) +(\d+|-)\t([^\0]+)\0")
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
