"""What differs between a work tree and a tree that was committed, below one folder, as Git tells.

Files are compared by the sizes and times in Git's index, and read only where these leave doubt.
Filters of the repository are switched off, so that nothing of it is executed; nothing is written.
"""

from __future__ import annotations

from pathlib import Path

from psreg.git.history import FolderHistory

_DIFF = ("-r", "-z", "--name-only", "--no-renames", "--relative", "--no-ext-diff")


class WorkTree(FolderHistory):
    """The files below the folder `below` of `root`, which may be in no repository."""

    def __init__(self, root: Path, below: str) -> None:
        super().__init__(root)
        self._below = below

    def tree(self) -> str:
        """Return the id of the tree of the current commit; "" without Git or a commit."""
        return self._ask("rev-parse", "--verify", "--quiet", "HEAD^{tree}")

    def commit(self) -> str:
        """Return the id of the current commit; "" without Git or a commit."""
        return self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def committed(self, since: str, tree: str) -> frozenset[str] | None:
        """Return the paths that differ between two trees; None if the clone lacks one of them."""
        found = self._run("diff-tree", *_DIFF, since, tree, "--", self._below)
        return None if found is None else _paths(found)

    def dirty(self, tree: str) -> frozenset[str] | None:
        """Return the paths that differ between a tree and the files; None if Git fails.

        Files that Git ignores are among them.
        """
        options = (*_DIFF, "--ignore-submodules=dirty")
        # NOTE: to compare a tree with the files in one step, Git reads every folder of the tree.
        staged = ("diff-index", "--cached", *options, tree, "--", self._below)
        modified = ("diff-files", *options, "--", self._below)
        others = ("ls-files", "--others", "-z", "--", self._below)
        found = self._run_together(staged, modified, others, more=self._without_filters())
        return None if None in found else frozenset().union(*map(_paths, filter(None, found)))

    def _without_filters(self) -> dict[str, str]:
        """Return the variables that switch off every filter of the repository's settings."""
        names = self._ask("config", "--name-only", "-z", "--get-regexp", r"^filter\.").split("\0")
        off = {"clean": "", "process": "", "required": "false"}
        drivers = sorted({name.rpartition(".")[0] for name in names if name})
        pairs = [(f"{driver}.{key}", value) for driver in drivers for key, value in off.items()]
        variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for at, (key, value) in enumerate(pairs):
            variables |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
        return variables


def _paths(output: str) -> frozenset[str]:
    """Return the paths in an output; that of a repository inside this one ends with a slash."""
    return frozenset(path.rstrip("/") for path in output.split("\0") if path)
