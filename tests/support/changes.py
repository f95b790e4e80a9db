"""A change made of two trees, as Git's view of them would be."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Diagnostic
from psreg.formats.layout import Irregular
from psreg.formats.tree import Tree
from psreg.review.change import Author, ChangeSet, FileChange, Touch
from psreg.review.judge import check_change
from support.registry_trees import OWNED, PROMPT, entry, tree, update, version

ANA = Author(forge="github", id=1)


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


def tripped(before: str, after: str, number: str = "1.0.1") -> list[Diagnostic]:
    """Return what PS081 says about a release whose prompt goes on with other words."""
    base = tree(entry(toml=OWNED), version(prompt=PROMPT + before))
    head = tree(
        entry(toml=OWNED), version(prompt=PROMPT + before), update(number, prompt=PROMPT + after)
    )
    made = changes_between(base, head, author=ANA)
    return [d for d in check_change(made, all_rules()) if d.code == "PS081"]
