"""Reading Git objects through `git cat-file --batch`, one process for all of them.

Sizes are requested before bytes, so that a hostile, very large blob is never read whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from psreg.core.errors import FindingsError
from psreg.git.batch import TOGETHER, Batch, missing, start_of
from psreg.git.process import Git
from psreg.git.tree_object import Folder
from psreg.system.files import MAX_FILE

_MAX_FOLDERS = 128 * 1024 * 1024
"""Maximum bytes of all folders; those of a registry of 100,000 entries are a tenth of it."""

_AT_ONCE = 16 * 1024 * 1024
"""Maximum bytes of blobs in memory at a time when many are read."""


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
