"""A change made of two trees, as Git's view of them would be."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.formats.layout import Irregular
from psreg.formats.tree import Tree
from psreg.review.change import Author, ChangeSet, FileChange, Touch


def changes_between(
    base: Mapping[PurePosixPath, bytes],
    head: Mapping[PurePosixPath, bytes],
    *,
    irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
    author: Author | None = None,
) -> ChangeSet:
    """Return the change from one whole tree to another by comparing the bytes of all files.

    What `irregular` names is that in the head alone: it is added or modified in any case.
    """
    files = []
    for path in sorted({*base, *head, *irregular}):
        here = path in head or path in irregular
        if path not in base:
            files.append(FileChange(path=path, touch=Touch.ADDED))
        elif not here:
            files.append(FileChange(path=path, touch=Touch.DELETED))
        elif path in irregular or base[path] != head[path]:
            files.append(FileChange(path=path, touch=Touch.MODIFIED))
    return ChangeSet(Tree(base), Tree(head, irregular), tuple(files), author)
