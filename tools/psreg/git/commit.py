"""The files of a commit in place of those in the work tree; nothing is checked out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from psreg.core.errors import UnavailableError
from psreg.git.objects import Objects, Row
from psreg.git.repository import Repository
from psreg.git.tree_diff import GitTree, files_below, lookup
from psreg.git.work_tree import WorkTree

_MOST = 1_000_000
"""Maximum number of files and folders that are read of a commit."""


_AHEAD = 64
"""Files that are read together."""


class _InOrder(GitTree):
    """Files that are read in their order: with each, those that follow it."""

    def __init__(self, objects: Objects, rows: Mapping[str, Row]) -> None:
        super().__init__(objects, dict(sorted(rows.items())))
        self._paths = list(self)
        self._at = {path: at for at, path in enumerate(self._paths)}
        self._read: dict[PurePosixPath, bytes] = {}

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._read:
            at = self._at[path]
            paths = self._paths[at : at + _AHEAD]
            ids = [self._files[str(each)] for each in paths]
            self._read = dict(zip(paths, self._objects.blobs(ids), strict=True))
        return self._read[path]


class Commit(WorkTree):
    """The files of the commit `rev` below the folder `root`, and below `below` in it.

    `repository` is what `root` is in, and `inside` the path of `root` in it.
    """

    def __init__(
        self, repository: Repository, root: Path, below: str, inside: PurePosixPath, rev: str
    ) -> None:
        super().__init__(root, below)
        self._objects = repository.objects
        self._id = repository.resolve(rev)
        self._tree = self._objects.root(self._id)
        self._prefix = inside

    def tree(self) -> str:
        """Return the id of the tree of the commit."""
        return self._tree

    def commit(self) -> str:
        """Return the id of the commit."""
        return self._id

    def dirty(self, tree: str) -> frozenset[str]:  # noqa: ARG002 - a commit differs from no tree of its own
        """Return nothing: no file differs from the commit."""
        return frozenset()

    def files(self, places: Iterable[PurePosixPath]) -> GitTree:
        """Return the files at or below `places`, which are relative to `root`, as are their paths.

        Raises:
            FindingsError: `TOO_MANY_FILES`, `TREE_MALFORMED`.
            UnavailableError: `OBJECT_MISSING`.
        """
        rows, folders = {}, {}
        for place in map(str, places):
            row = lookup(self._objects, self._tree, str(self._prefix / place))
            if row and row.is_folder:
                folders[place] = row.id
            elif row:
                rows[place] = row
        return _InOrder(self._objects, rows | files_below(self._objects, folders, _MOST))


@contextmanager
def open_commit(root: Path, below: str, rev: str) -> Iterator[Commit]:
    """Open the commit that `rev` (gitrevisions) names, in the repository that `root` is in.

    Raises:
        UnavailableError: `NO_REPOSITORY`, `REVISION_UNKNOWN`, `GIT`, `OBJECT_MISSING`.
    """
    place = WorkTree(root, below).place()
    if place is None:
        raise UnavailableError(
            "NO_REPOSITORY", f"{root} is not in a Git repository", "Leave out `--rev`."
        )
    folder, inside = place
    with Repository(folder) as repository:
        yield Commit(repository, root, below, inside, rev)
