"""Files of a commit that other machines fetch themselves, from a remote, instead of being sent.

A machine fetches a commit once, without its history, into a temporary bare repository. The user's
own settings apply to that (keys, credentials), as to every `git fetch` there.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from psreg.core.errors import UnavailableError
from psreg.core.identity import PBES
from psreg.git.branch import ELSEWHERE
from psreg.git.commit import Commit
from psreg.git.process import no_git
from psreg.git.repository import Repository
from psreg.git.work_tree import WorkTree

_RELEVANT = f"{PBES}/"
_POLICY = "registry/policy.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCommit:
    """A commit at a remote: its full id, and the folder of the registry in it, "." for its root."""

    url: str
    commit: str
    inside: str

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the files at or below paths in the registry; the commit is fetched at first.

        Raises:
            UnavailableError: `REMOTE`, `NO_GIT`, `OBJECT_MISSING`.
        """
        folder = _fetched(self.url, self.commit)
        with Repository(folder) as repository:
            inside = PurePosixPath(self.inside)
            commit = Commit(repository, folder, PBES, inside, self.commit)
            found = commit.files(map(PurePosixPath, paths))
            return {str(path): data for path, data in found.items()}


def remote_commit(root: Path, url: str) -> RemoteCommit | None:
    """Return the commit in the checkout `root`, at the remote `url`.

    None if there is none, or if entries or policy differ from it: then it is not what is checked.
    """
    work_tree = WorkTree(root, ".")
    place, commit = work_tree.place(), work_tree.commit()
    changed = work_tree.dirty(work_tree.tree()) if place and commit else None
    if place is None or changed is None:
        return None
    if any(path == _POLICY or path.startswith(_RELEVANT) for path in changed):
        return None
    return RemoteCommit(url=url, commit=commit, inside=str(place[1]))


_KEPT: dict[tuple[str, str], Path] = {}
"""The repository that was fetched last, by remote and commit."""


def _fetched(url: str, commit: str) -> Path:
    """Return a bare repository with the files of a commit, kept until another one is fetched."""
    if (url, commit) not in _KEPT:
        folder = Path(tempfile.mkdtemp(prefix="psreg-commit-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, folder)
            _git("init", "-q", "--bare", str(folder))
            _git(f"--git-dir={folder}", "fetch", "-q", "--no-tags", "--depth=1", "--", url, commit)
            stack.pop_all()
        while _KEPT:
            shutil.rmtree(_KEPT.popitem()[1], ignore_errors=True)
        _KEPT[url, commit] = folder
    return _KEPT[url, commit]


def _git(*arguments: str) -> None:
    # NOTE: `ext::` and the like would run a program.
    allowed = {"GIT_ALLOW_PROTOCOL": "file:https:ssh", "GIT_TERMINAL_PROMPT": "0"}
    kept = {key: value for key, value in os.environ.items() if key not in ELSEWHERE}
    try:
        done = subprocess.run(
            ["git", *arguments],
            env=kept | allowed,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise no_git() from error
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise UnavailableError(
            "REMOTE",
            f"a worker cannot fetch the commit: {said}",
            "Push the commit, give the workers access, or leave out `--cluster-source`.",
        )
