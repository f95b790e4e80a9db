"""The change that a merge in a Git repository makes, as the rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.core.identity import PBES, Author
from psreg.formats.tree import POLICY, Tree
from psreg.git.repository import Repository
from psreg.git.tree_diff import Difference
from psreg.review.change import ChangeSet, FileChange, Touch
from psreg.review.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one commit would change in the registry as it stands at another one.

    `base` is the commit at which the two parted, `tip` the one the change is to be merged into,
    and `head` the change's last; all are full ids. The base tree of `change` is that of `tip`, and
    its head tree the one that merging makes: while the change waited, names were taken and owners
    went, and what the head itself holds, or does to `base`, may be neither here nor there. Both
    trees are lazy and partial, see `view`, and end with the repository.
    """

    change: ChangeSet
    base: str
    tip: str
    head: str


def read_change(
    repository: Repository, base_rev: str, head_rev: str, author: Author | None = None
) -> Changes:
    """Return what merging `head_rev` would change in the registry at `base_rev`.

    Raises:
        UnavailableError, FindingsError: as `Repository.merge`; the latter is the change's fault
            and deserves the verdict `reject`.
    """
    merge = repository.merge(base_rev, head_rev)
    view = View(repository.git, repository.objects, merge.before, merge.differences)
    after = view.head()
    change = ChangeSet(
        Tree(view.base()),
        Tree(after, {path: kind for path, kind in after.irregular.items() if _judged(path)}),
        tuple(_file_change(path, one, merge.sources) for path, one in merge.differences.items()),
        author,
    )
    return Changes(change=change, base=merge.base, tip=merge.tip, head=merge.head)


def _judged(path: PurePosixPath) -> bool:
    return path.parts[0] == PBES or path == POLICY


def _file_change(path: str, one: Difference, moved: Mapping[str, str]) -> FileChange:
    touch = Touch.MODIFIED
    if one.before is None:
        touch = Touch.ADDED
    elif one.after is None:
        touch = Touch.DELETED
    source = PurePosixPath(moved[path]) if touch is Touch.ADDED and path in moved else None
    return FileChange(path=PurePosixPath(path), touch=touch, moved_from=source)
