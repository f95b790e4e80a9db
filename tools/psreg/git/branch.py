"""Committing one folder to a branch of its own, and pushing that branch.

The checked-out branch, the index and the work tree do not change: the commit is made from bytes
through a temporary index. A file is stored exactly as given, whatever filters are configured, and
never as executable. The user's own settings apply here (name, keys, credentials, hooks of a push),
because it is their commit; no hook runs when it is made.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.git.process import no_git, unreadable, without_credentials
from psreg.system.files import real_path

ELSEWHERE = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""Variables that would redirect git, for instance inside a hook."""

_NAMES = ("diff", "--no-renames", "--no-ext-diff", "--no-textconv", "--name-only", "-z")
_ON_NETWORK = ("fetch", "ls-remote", "push")

_ROW = "100644 {} 0\t{}\0"
_GONE = "0 {} 0\t{}\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The author of a commit, if it is not the user who runs psreg."""

    name: str
    email: str


class Clone:
    """A clone with a work tree; `secret` is extra environment for commands that use the network."""

    def __init__(self, root: Path, secret: Mapping[str, str] | None = None) -> None:
        self._root = root
        self._environ = {k: v for k, v in os.environ.items() if k not in ELSEWHERE}
        self._secret = secret or {}
        asked = self._start(("rev-parse", "--show-toplevel"), b"", {})
        if asked.returncode and (root / ".git").exists():
            raise unreadable(root, asked.stderr)
        top = asked.stdout.decode(errors="replace").strip()
        if not top or real_path(Path(top)) != real_path(root):
            raise UsageError(
                "NO_CLONE",
                f"`{root}` is not the top folder of a Git clone",
                "Clone the registry with git, or use its issue form or web editor.",
            )

    def commit_id(self, revision: str) -> str:
        """Return the id of a commit.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`.
        """
        found = self._read("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^0")
        if not found:
            raise UnavailableError("REVISION_UNKNOWN", f"unknown revision `{revision}`")
        return found

    def tip(self, branch: str) -> str | None:
        """Return the commit of a local branch, None if there is no such branch."""
        return self._read("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")

    def remotes(self) -> dict[str, str]:
        """Return the push addresses of the remotes, by name."""
        names = (self._read("remote") or "").splitlines()
        return {name: self._read("remote", "get-url", "--push", name) or "" for name in names}

    def published(self, revision: str = "HEAD") -> tuple[str, str]:
        """Return the address of a remote and the id of a commit that a branch of it has.

        The address is "" if, as far as this clone knows, no remote has the commit.

        Raises:
            UnavailableError: `REVISION_UNKNOWN`.
        """
        head = self.commit_id(revision)
        has = ("for-each-ref", "--contains", head, "--format=%(refname:lstrip=2)", "refs/remotes")
        branches = self._run(*has).decode(errors="replace").splitlines()
        remotes = sorted(self.remotes(), key=lambda name: name != "origin")
        known = (r for r in remotes if any(branch.startswith(f"{r}/") for branch in branches))
        name = next(known, "")
        return (self._read("remote", "get-url", name) or "" if name else ""), head

    def remote_default(self, remote: str) -> str | None:
        """Return the remote's default branch as the clone tracks it, such as `origin/main`."""
        head = self._read("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
        known = [head] if head else [f"{remote}/main", f"{remote}/master"]
        return next(
            (name for name in known if self._read("rev-parse", "-q", "--verify", name)), None
        )

    def touched(self, base: str, folder: str) -> set[PurePosixPath]:
        """Return the files below `folder` whose bytes differ from `base`, new ones included.

        Git compares files after its filters; those that it lists are compared again without.
        """
        named = {path for path in self._run(*_NAMES, base, "--", folder).split(b"\0") if path}
        if not named:
            return self.untracked(folder)
        rows = self._run("ls-tree", "-r", "-z", base, "--", folder).split(b"\0")
        before = {row.partition(b"\t")[2]: row.split()[2] for row in rows if row}
        here = (path for path in named if (self._root / os.fsdecode(path)).is_file())
        there = sorted(path for path in here if b"\n" not in path)
        stdin = b"".join(path + b"\n" for path in there)
        ids = self._run("hash-object", "--no-filters", "--stdin-paths", stdin=stdin).split()
        now = dict(zip(there, ids, strict=True))
        changed = {path for path in named if before.get(path) != now.get(path)}
        return self.untracked(folder) | {PurePosixPath(os.fsdecode(path)) for path in changed}

    def untracked(self, folder: str) -> set[PurePosixPath]:
        """Return the files below `folder` that the checked-out branch does not track."""
        paths = self._run("ls-files", "-z", "--others", "--exclude-standard", "--", folder)
        return {PurePosixPath(os.fsdecode(path)) for path in paths.split(b"\0") if path}

    def merged(self, tip: str, base: str, folder: str) -> bool:
        """Tell whether `base` has every file below `folder` with the content it has in `tip`."""
        return not self._run(*_NAMES, "--diff-filter=AMT", base, tip, "--", folder)

    def commit(
        self,
        parent: str,
        folder: PurePosixPath,
        files: Mapping[PurePosixPath, bytes],
        message: str,
        person: Person | None = None,
    ) -> str:
        """Return a new commit, on no branch yet, in which `folder` has `files` and nothing else.

        Returns `parent` itself if it has the same files.

        Raises:
            UsageError: `NO_IDENTITY`: git has no name and address for the commit.
        """
        with tempfile.TemporaryDirectory(prefix="psreg-") as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            self._run("read-tree", parent, more=index)
            self._run(
                "update-index",
                "-z",
                "--index-info",
                stdin=self._rows(parent, folder, files),
                more=index,
            )
            tree = self._run("write-tree", more=index).decode().strip()
        if tree == self._read("rev-parse", f"{parent}^{{tree}}"):
            return parent
        who = _identity(person) if person else {}
        if person is None and self._read("var", "GIT_COMMITTER_IDENT") is None:
            raise UsageError(
                "NO_IDENTITY",
                "Git has no name and e-mail address for the commit",
                'Run `git config user.name "…"` and `git config user.email "…"`.',
            )
        arguments = ("commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree)
        return self._run(*arguments, stdin=message.encode(), more=who).decode().strip()

    def _rows(
        self, parent: str, folder: PurePosixPath, files: Mapping[PurePosixPath, bytes]
    ) -> bytes:
        """Return the input of update-index: add these files, remove the folder's others."""
        listed = self._run("ls-tree", "-r", "-z", "--name-only", parent, "--", f"{folder}/")
        before = [path for path in listed.decode(errors="surrogateescape").split("\0") if path]
        rows = [
            _GONE.format("0" * len(parent), path)
            for path in before
            if PurePosixPath(path) not in files
        ]
        for path, data in files.items():
            blob = self._run("hash-object", "-w", "--no-filters", "--stdin", stdin=data)
            rows.append(_ROW.format(blob.decode().strip(), path))
        return "".join(rows).encode(errors="surrogateescape")

    def set_branch(self, branch: str, commit: str, before: str | None) -> None:
        """Set `branch` to `commit`, if it is still at the commit `before`.

        Raises:
            FindingsError: `BRANCH_MOVED`; `BRANCH_IN_USE`: it is checked out here or elsewhere.
        """
        checked_out = self._run("worktree", "list", "--porcelain").decode(errors="replace")
        if f"branch refs/heads/{branch}" in checked_out.splitlines():
            raise FindingsError(
                "BRANCH_IN_USE",
                f"the branch `{branch}` is checked out",
                "Switch to another branch first; psreg never changes what is checked out.",
            )
        ref = f"refs/heads/{branch}"
        old = before or "0" * len(commit)
        if self._read("update-ref", "-m", "psreg submit", ref, commit, old) is None:
            raise FindingsError("BRANCH_MOVED", f"the branch `{branch}` changed in the meantime")

    def remote_tip(self, remote: str, branch: str) -> str | None:
        """Return the commit of a branch of the remote, None if there is no such branch.

        Raises:
            UnavailableError: `REMOTE`: the remote cannot be read.
        """
        ref = f"refs/heads/{branch}"
        rows = self._run("ls-remote", "--", remote, ref, more=self._secret).splitlines()
        found = (row.split(b"\t", 1) for row in rows)  # also longer names with this end
        return next((oid.decode() for oid, name in found if name == os.fsencode(ref)), None)

    def fetched(self, remote: str, branch: str) -> None:
        """Fetch the commit of a remote's branch, without its history.

        Raises:
            UnavailableError: `REMOTE`.
        """
        ref = f"refs/heads/{branch}"
        self._run("fetch", "-q", "--no-tags", "--depth=1", "--", remote, ref, more=self._secret)

    def committer(self, commit: str) -> str:
        """Return the e-mail address of a commit's committer."""
        return (
            self._run("show", "-s", "--no-show-signature", "--format=%ce", commit).decode().strip()
        )

    def same(self, one: str, other: str) -> bool:
        """Tell whether two commits have the same files."""
        trees = [self._read("rev-parse", f"{commit}^{{tree}}") for commit in (one, other)]
        return trees[0] == trees[1]

    def push(
        self,
        remote: str,
        commit: str,
        branch: str,
        options: Sequence[str] = (),
        lease: str | None = None,
    ) -> str:
        """Push `commit` to the remote's branch and return what the remote printed.

        The branch loses commits only with a `lease`: the commit it must be at ("": the branch must
        not exist).

        Raises:
            UnavailableError: `REMOTE`: the remote cannot be reached, or refuses the push.
        """
        force = [] if lease is None else [f"--force-with-lease=refs/heads/{branch}:{lease}"]
        given = [part for option in options for part in ("-o", option)]
        where = f"{commit}:refs/heads/{branch}"
        arguments = ("push", "--no-progress", *force, *given, "--", remote, where)
        done = self._start(arguments, b"", self._secret)
        if done.returncode != 0:
            raise _failed(arguments, done)
        return done.stderr.decode(errors="replace")

    def _read(self, *arguments: str) -> str | None:
        done = self._start(arguments, b"", {})
        return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None

    def _run(
        self, *arguments: str, stdin: bytes = b"", more: Mapping[str, str] | None = None
    ) -> bytes:
        done = self._start(arguments, stdin, more or {})
        if done.returncode != 0:
            raise _failed(arguments, done)
        return done.stdout

    def _start(
        self, arguments: Sequence[str], stdin: bytes, more: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                ["git", *arguments],
                cwd=self._root,
                env={**self._environ, **more},
                input=stdin,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise no_git() from error


def _identity(person: Person) -> dict[str, str]:
    both = {"NAME": person.name, "EMAIL": person.email}
    return {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in both.items()}


def _failed(arguments: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> UnavailableError:
    said = without_credentials(done.stderr).strip()
    return UnavailableError(
        "REMOTE" if arguments[0] in _ON_NETWORK else "GIT", f"git {arguments[0]} failed: {said}"
    )
