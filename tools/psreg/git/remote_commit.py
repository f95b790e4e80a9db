"""Files of a commit that other machines fetch themselves, from a remote, instead of being sent.

A machine fetches a commit once, without its history, into a temporary bare repository. The user's
own settings apply to that (keys, credentials), as to every `git fetch` there. The folder is locked
as long as its process lives; what a killed one has left is removed before the next fetch.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Lock

from psreg.core.errors import UnavailableError
from psreg.core.identity import PBES
from psreg.git.branch import ELSEWHERE
from psreg.git.commit import Commit
from psreg.git.process import no_git, without_credentials
from psreg.git.repository import Repository
from psreg.git.tree_diff import Revision
from psreg.git.work_tree import WorkTree
from psreg.system.atomic import TEMPORARY, exclusive_folder

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


@contextmanager
def newest_commit(url: str) -> Iterator[tuple[str, Revision]]:
    """Yield the id of the newest commit of the main branch at a remote, and its files.

    Nothing is checked out or executed, and submodules are not fetched.

    Raises:
        UnavailableError: `REMOTE`, `NO_GIT`, `OBJECT_MISSING`.
        FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
    """
    with Repository(_fetched(url, "HEAD")) as repository:
        commit = repository.resolve("FETCH_HEAD")
        yield commit, repository.tree(commit)


def remote_commit(work_tree: WorkTree, url: str) -> RemoteCommit | None:
    """Return the commit that a checkout has, at the remote `url`.

    None if there is none, or if entries or policy differ from it: then it is not what is checked.
    """
    place, commit = work_tree.place(), work_tree.commit()
    changed = work_tree.dirty(work_tree.tree()) if place and commit else None
    if place is None or changed is None:
        return None
    if any(path == _POLICY or path.startswith(_RELEVANT) for path in changed):
        return None
    return RemoteCommit(url=url, commit=commit, inside=str(place[1]))


_KEPT: dict[tuple[str, str], tuple[Path, ExitStack]] = {}
"""The repository that was fetched last, by remote and commit, and what removes it."""

_ONE = Lock()
"""Held while a thread fetches."""

_SHA256 = 64
"""The number of digits of an id in a repository that uses SHA-256."""

_HINT = (
    "Check the address. With `--cluster-source`, push the commit, give the workers access, or "
    "leave out the option."
)

_PREFIX = "psreg-commit-"
"""How the names of these repositories begin."""


def _fetched(url: str, commit: str) -> Path:
    """Return a bare repository with the files of a commit, kept until another one is fetched."""
    with _ONE:
        if (url, commit) not in _KEPT:
            _remove_abandoned()
            with ExitStack() as stack:
                folder = stack.enter_context(_locked_folder())
                form = "sha256" if len(commit) == _SHA256 else "sha1"
                _git("init", "-q", "--bare", f"--object-format={form}", str(folder))
                fetch = ("fetch", "-q", "--no-tags", "--depth=1", "--", url, commit)
                _git(f"--git-dir={folder}", *fetch)
                remove = stack.pop_all()
            atexit.register(remove.close)
            while _KEPT:
                _KEPT.popitem()[1][1].close()
            _KEPT[url, commit] = folder, remove
        return _KEPT[url, commit][0]


@contextmanager
def _locked_folder() -> Iterator[Path]:
    """Create a temporary folder with a lock on it, and remove it at the end."""
    new = Path(tempfile.mkdtemp(prefix=TEMPORARY))
    with exclusive_folder(new):
        # NOTE: without the lock, another process would remove a folder of this name.
        folder = new.rename(new.with_name(_PREFIX + new.name.removeprefix(TEMPORARY)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove the folders whose processes have ended."""
    if os.name == "nt":  # pragma: no cover - without locks on folders, none is known to be
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # NOTE: links and folders of other users cannot be removed, and stay.
        with suppress(UnavailableError), exclusive_folder(folder, 0.0):
            shutil.rmtree(folder, ignore_errors=True)


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
        said = " ".join(without_credentials(done.stderr).split())
        raise UnavailableError("REMOTE", f"the commit cannot be fetched: {said}", _HINT)
