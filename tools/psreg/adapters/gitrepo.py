"""Reading both trees of a change from a Git repository: bare, shallow, a worktree, any head.

GitPython finds the repository; objects and refs are read by processes that `git_process` starts,
because GitPython hands its own the variables and settings of whoever calls. Nothing of a commit
is checked out or executed. This is the only module that imports `git`, when it is needed.

What `changes` raises as a FindingsError is the change's fault and deserves the verdict `reject`.
"""

from __future__ import annotations

from configparser import Error as ConfigError
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shlex import quote
from types import TracebackType
from typing import Self

from psreg.adapters.config import is_ours
from psreg.adapters.git_batch import missing
from psreg.adapters.git_fetching import fetch_command
from psreg.adapters.git_objects import Objects
from psreg.adapters.git_process import Git, no_git, trusts
from psreg.adapters.git_revision import Revision
from psreg.adapters.git_tree import Difference, Places, differences, lookup
from psreg.adapters.git_view import View
from psreg.errors import FindingsError, TrustError, UnavailableError
from psreg.identity import PBES
from psreg.index.changes import Author, ChangeSet, FileChange, Touch
from psreg.index.tree import POLICY, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one commit would change in the registry as it stands at another one.

    `base` is the commit at which the two parted, `tip` the one the change is to be merged into,
    and `head` the change's last; all are full ids. The base tree of `change` is that of `tip` and
    its head tree what a merge would make of it: while the change waited, names were taken and
    owners went. Both trees are lazy and partial, see `git_view`, and end with the repository.
    """

    change: ChangeSet
    base: str
    tip: str
    head: str


class Repository:
    """An open repository; reading processes end with `close`, or with the `with` block."""

    def __init__(self, folder: Path) -> None:
        self._git = Git(folder)
        self._objects = Objects(self._git)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that read objects."""
        self._objects.close()

    def resolve(self, rev: str) -> str:
        """Return the full id of the commit that `rev` names, in any notation of gitrevisions.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`; the hint is the command that fetches it.
        """
        if found := self._objects.commit(rev):
            return found
        hint = fetch_command(self._git, rev)
        raise UnavailableError("REVISION_UNKNOWN", f"there is no commit {rev!r} here", hint)

    def merge_base(self, one: str, other: str) -> str:
        """Return the commit at which two parted.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`; `HISTORY_CUT`: the clone is too shallow to tell;
                the hint is the command that fetches the rest.
            FindingsError: `NO_MERGE_BASE`: they have nothing in common.
        """
        left, right = self.resolve(one), self.resolve(other)
        found = self._git.ask("merge-base", left, right, fine=(0, 1))
        if found is None:
            raise missing(f"{left} or one before it")
        if found:
            return found.decode().strip()
        if (self._git.ask("rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
            raise UnavailableError(
                "HISTORY_CUT",
                f"this clone does not reach back to where {other} and {one} parted",
                fetch_command(self._git),
            )
        raise FindingsError(
            "NO_MERGE_BASE",
            f"{other} has no commit in common with {one}, so that it is no change of it",
            "begin a branch at the registry's main branch and make the change there",
        )

    def tree(self, rev: str) -> Revision:
        """Return all files of a commit.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`, `OBJECT_MISSING`.
            FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
        """
        return Revision(self._git, self._objects, self._objects.root(self.resolve(rev)))

    def changes(self, base_rev: str, head_rev: str, author: Author | None = None) -> Changes:
        """Return what `head_rev` changes since it left `base_rev`, seen in the latter's registry.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`, `HISTORY_CUT`, `OBJECT_MISSING`.
            FindingsError: `NO_MERGE_BASE`, `TREE_MALFORMED`, `TOO_MANY_FILES`.
        """
        tip, head = self.resolve(base_rev), self.resolve(head_rev)
        base = self.merge_base(base_rev, head_rev)
        root = self._objects.root(tip)
        ends = Places("", self._objects.root(base), self._objects.root(head))
        touched = differences(self._objects, [ends])
        moved = self._moves(base, head, touched)
        if base != tip:
            touched = self._since(root, touched)
        view = View(self._git, self._objects, root, touched)
        after = view.head()
        change = ChangeSet(
            Tree(view.base()),
            Tree(after, {path: kind for path, kind in after.irregular.items() if _judged(path)}),
            tuple(_file_change(path, one, moved) for path, one in touched.items()),
            author,
        )
        return Changes(change=change, base=base, tip=tip, head=head)

    def _since(self, root: str, touched: dict[str, Difference]) -> dict[str, Difference]:
        """Return what is still to be done to the commit of the folder `root`."""
        found = {}
        for path, one in touched.items():
            row = lookup(self._objects, root, path)
            before = None if row and row.is_folder else row
            if before != one.after:
                found[path] = Difference(before, one.after)
        return found

    def _moves(self, base: str, head: str, touched: dict[str, Difference]) -> dict[str, str]:
        """Return where new files were before, by path, as Git's detection of renames has it."""
        lost = any(one.after is None for one in touched.values())
        new = any(one.before is None for one in touched.values())
        if not (lost and new):
            return {}
        out = self._git.ask("diff-tree", *_RENAMES, base, head) or b""
        words = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return dict(zip(words[2::3], words[1::3], strict=True))


_RENAMES = ("-r", "-z", "-M", "-l400", "--diff-filter=R", "--no-ext-diff", "--no-textconv")


def _judged(path: PurePosixPath) -> bool:
    return path.parts[0] == PBES or path == POLICY


def _file_change(path: str, one: Difference, moved: dict[str, str]) -> FileChange:
    touch = Touch.MODIFIED
    if one.before is None:
        touch = Touch.ADDED
    elif one.after is None:
        touch = Touch.DELETED
    source = PurePosixPath(moved[path]) if touch is Touch.ADDED and path in moved else None
    return FileChange(path=PurePosixPath(path), touch=touch, moved_from=source)


def open_repository(path: Path) -> Repository:
    """Return the repository in which `path` lies: a bare one, a clone, or a worktree of one.

    Raises:
        UnavailableError: `NO_GIT`; `NO_REPOSITORY`: there is none.
        TrustError: `TRUST_FOREIGN`: it belongs to another user of this machine.
    """
    try:
        # It takes a tenth of a second, and looks for the program git.
        import git  # noqa: PLC0415
    except ImportError as error:
        raise no_git() from error
    try:
        with git.Repo(path.absolute(), search_parent_directories=True, expand_vars=False) as found:
            folder, tree = Path(found.git_dir), found.working_tree_dir
    except (git.GitError, ConfigError, OSError, ValueError) as error:
        message = f"{path} is not in a Git repository"
        raise UnavailableError("NO_REPOSITORY", message, "run psreg review in a clone") from error
    where = Path(tree) if tree else folder
    ours = all(is_ours(place) for place in (folder, where, where / ".git") if place.exists())
    if not ours and not trusts(where):
        raise TrustError(
            "TRUST_FOREIGN",
            f"the repository {where} belongs to another user of this machine",
            f"to trust it: git config --global --add safe.directory {quote(str(where))}",
        )
    return Repository(folder)
