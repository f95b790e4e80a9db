"""Opening a Git repository (bare, shallow or a worktree), and computing merge results in it.

GitPython finds the repository; objects and refs are read by processes that `git/process.py` starts,
because GitPython passes the caller's variables and settings to its own. Nothing of a commit is
checked out or executed. Only this module imports `git`, when it is needed.

A change is judged by its merge result, not by the head's own files or how they differ from the
merge base. A FindingsError of `merge` is a fault of the change.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from configparser import Error as ConfigError
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import Self

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.git.batch import missing
from psreg.git.merge import REBASE, MergeFolder
from psreg.git.objects import Objects
from psreg.git.process import Git, no_git, trusts
from psreg.git.tree_diff import Difference, FolderPair, Revision, differences
from psreg.system.extras import extra
from psreg.system.files import is_ours

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[^-~^:?*\[\\@\s][^~^:?*\[\\\s]*")
"""The name of a branch or tag, roughly as in git check-ref-format; git itself decides."""


def _fetch_command(git: Git, rev: str = "") -> str:
    """Return the command that fetches `rev` with its whole history."""
    remotes = (git.ask("remote") or b"").decode("utf-8", "replace").split()
    if not remotes:
        return "Add a remote to fetch it from with `git remote add`."
    remote = "origin" if "origin" in remotes else remotes[0]
    shallow = (git.ask("rev-parse", "--is-shallow-repository") or b"").strip() == b"true"
    words = ["git", "fetch", *(["--unshallow"] if shallow else []), remote]
    wanted = _refspec(rev, remote)
    if rev and not wanted and not shallow:
        return "Name a commit of this repository, such as HEAD or a branch."
    return shlex.join([*words, *([wanted] if wanted else [])])


def _refspec(rev: str, remote: str) -> str:
    """Return the refspec after whose fetch `rev` is known; "" if there is none."""
    if _ID.fullmatch(rev):
        return rev
    if not _NAME.fullmatch(rev) or rev == "HEAD" or rev.endswith("_HEAD"):
        return ""
    if rev.startswith("refs/remotes/"):
        rev = rev.removeprefix("refs/remotes/")
    elif rev.startswith("refs/"):
        return f"+{rev}:{rev}"
    branch = rev.removeprefix(f"{remote}/")
    here = "heads" if branch == rev else f"remotes/{remote}"
    return f"+refs/heads/{branch}:refs/{here}/{branch}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The result of merging one commit into another; ids of commits and folders are full ids.

    `base` is the merge base, `tip` the commit that is merged into, and `head` the one that is
    merged. `before` is the folder of `tip`, and `differences` are its files that the merge changes,
    by path; `sources` maps new files that were moved to their old paths.
    """

    base: str
    tip: str
    head: str
    before: str
    differences: Mapping[str, Difference]
    sources: Mapping[str, str]


class Repository:
    """An open repository; reading processes end with `close`, or with the `with` block."""

    def __init__(self, folder: Path) -> None:
        self._merges = MergeFolder()
        self.git = Git(folder, self._merges.objects)
        self.objects = Objects(self.git)

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
        """End the processes that read objects, and remove the objects that merges created."""
        self.objects.close()
        self._merges.close()

    def resolve(self, rev: str) -> str:
        """Return the full id of the commit that `rev` names, in any notation of gitrevisions.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`; the hint is the command that fetches it. `GIT`:
                git cannot read the repository.
        """
        if found := self.objects.commit(rev):
            return found
        self.git.check_readable()
        hint = _fetch_command(self.git, rev)
        raise UnavailableError("REVISION_UNKNOWN", f"unknown revision `{rev}`", hint)

    def merge_base(self, one: str, other: str) -> str:
        """Return the only merge base of two commits.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`; `HISTORY_CUT`: the clone is too shallow to tell;
                the hint is the command that fetches the rest.
            FindingsError: `NO_MERGE_BASE`: they share no history; `SEVERAL_MERGE_BASES`: they were
                merged with each other crosswise, so that the merge result is ambiguous.
        """
        left, right = self.resolve(one), self.resolve(other)
        out = self.git.ask("merge-base", "--all", left, right, fine=(0, 1))
        if out is None:
            raise missing(f"{left} or one before it")
        found = out.decode().split()
        if self._is_cut(left, right, found):
            raise UnavailableError(
                "HISTORY_CUT",
                f"this clone is too shallow to contain the merge base of {other} and {one}",
                _fetch_command(self.git),
            )
        if not found:
            raise FindingsError(
                "NO_MERGE_BASE",
                f"{other} and {one} share no history",
                "Start a branch at the registry's main branch, and make the change there.",
            )
        if len(found) > 1:
            raise FindingsError(
                "SEVERAL_MERGE_BASES",
                f"{other} and {one} have {len(found):,} merge bases, not one",
                REBASE,
            )
        return found[0]

    def _is_cut(self, left: str, right: str, found: list[str]) -> bool:
        """Tell whether the history that a shallow clone lacks may have another merge base."""
        try:
            cut = set((self._borrowed.parent / "shallow").read_text().split())
        except OSError:
            return False
        if len(found) != 1:
            return bool(cut)
        # NOTE: history that is cut off before the base is older than the base.
        since = self.git.ask("rev-list", left, right, f"^{found[0]}")
        return since is None or not cut.isdisjoint(since.decode().split())

    @cached_property
    def _borrowed(self) -> Path:
        """The folder of the repository's objects, which its worktrees share."""
        out = self.git.ask("rev-parse", "--git-path", "objects") or b""
        return self.git.folder / os.fsdecode(out.removesuffix(b"\n"))

    def tree(self, rev: str) -> Revision:
        """Return all files of a commit.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`, `OBJECT_MISSING`.
            FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
        """
        return Revision(self.git, self.objects, self.objects.root(self.resolve(rev)))

    def merge(self, tip_rev: str, head_rev: str) -> Merge:
        """Return the result of merging `head_rev` into `tip_rev`.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`, `HISTORY_CUT`, `OBJECT_MISSING`.
            FindingsError: `NO_MERGE_BASE`, `SEVERAL_MERGE_BASES`, `MERGE_CONFLICT`,
                `MERGE_UNCERTAIN`, `GIT_TOO_OLD`, `TREE_MALFORMED`, `TOO_MANY_FILES`.
        """
        tip, head = self.resolve(tip_rev), self.resolve(head_rev)
        base = self.merge_base(tip_rev, head_rev)
        before = self.objects.root(tip)
        after = self._merged(base, tip, head)
        found = differences(self.objects, [FolderPair("", before, after)])
        return Merge(
            base=base,
            tip=tip,
            head=head,
            before=before,
            differences=found,
            sources=self._moves(before, after, found),
        )

    def _merged(self, base: str, tip: str, head: str) -> str:
        """Return the folder of the merge result of `tip` and `head`."""
        if base == head:  # it is already merged
            return self.objects.root(tip)
        roots = (self.objects.root(commit) for commit in (base, tip, head))
        return self._merges.merge(self.objects, self._borrowed, *roots)

    def _moves(self, root: str, merged: str, touched: dict[str, Difference]) -> dict[str, str]:
        """Return the old paths of moved files by their new ones, as Git detects renames."""
        lost = any(one.after is None for one in touched.values())
        new = any(one.before is None for one in touched.values())
        if not (lost and new):
            return {}
        out = self.git.ask("diff-tree", *_RENAMES, root, merged) or b""
        words = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return dict(zip(words[2::3], words[1::3], strict=True))


_RENAMES = ("-r", "-z", "-M", "-l400", "--diff-filter=R", "--no-ext-diff", "--no-textconv")


def open_repository(path: Path) -> Repository:
    """Return the repository that `path` is in: a bare one, a clone, or a worktree of one.

    Raises:
        UnavailableError: `EXTRA_MISSING`; `NO_GIT`; `NO_REPOSITORY`: `path` is not in one.
        TrustError: `TRUST_FOREIGN`: it belongs to another user of this machine.
    """
    try:
        # The import takes a tenth of a second, and looks for the program git.
        with extra("review"):
            import git  # noqa: PLC0415
    except ImportError as error:
        raise no_git() from error
    try:
        with git.Repo(path.absolute(), search_parent_directories=True, expand_vars=False) as found:
            folder, tree = Path(found.git_dir), found.working_tree_dir
    except (git.GitError, ConfigError, OSError, ValueError) as error:
        message = f"{path} is not in a Git repository"
        raise UnavailableError(
            "NO_REPOSITORY", message, "Run `psreg review` in a clone."
        ) from error
    where = Path(tree) if tree else folder
    ours = all(is_ours(place) for place in (folder, where, where / ".git") if place.exists())
    if not ours and not trusts(where):
        raise TrustError(
            "TRUST_FOREIGN",
            f"the repository {where} belongs to another user of this machine",
            f"To trust it, run `git config --global --add safe.directory {quote(str(where))}`.",
        )
    return Repository(folder)
