"""What Git knows about a folder that may be in no repository: its commits, and where it is from.

Nothing of the repository is executed, and nothing is fetched or written.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from secrets import token_hex
from types import MappingProxyType

from psreg.git.process import SETTINGS, clean_environment
from psreg.system.files import real_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """The commit that added a file: its id, its date (ISO 8601), and whom it names as approving."""

    commit: str
    date: str
    approved_by: tuple[str, ...]


class FolderHistory:
    """The history of `folder`, which need not exist; without Git or a repository it is empty."""

    def __init__(self, folder: Path) -> None:
        folder = real_path(folder)
        self._start = next(at for at in (folder, *folder.parents) if at.is_dir())
        self._inside = folder.relative_to(self._start)

    def last_commit_with(self, *names: str) -> str:
        """Return the short id of the newest commit of any branch that adds or changes `names`."""
        paths = [f":(literal){self._inside / name}" for name in names]
        return self._ask("log", "--all", "-1", "--diff-filter=AM", "--format=%h", "--", *paths)

    def restore_command(self, commit: str, *names: str) -> str:
        """Return the command that brings those of `names` back that a commit has."""
        paths = [str(self._inside / name) for name in names]
        paths = [path for path in paths if self._ask("ls-tree", commit, "--", path)]
        return shlex.join(["git", "-C", str(self._start), "checkout", commit, "--", *paths])

    def is_cut(self) -> bool:
        """Tell whether the clone lacks older commits, or the trees that say what is in them."""
        shallow = self._run("rev-parse", "--is-shallow-repository")
        if shallow is None:
            return False  # there is no repository
        return shallow == "true" or self._run("log", "--all", "--format=", "--", "x") is None

    def ignores(self, name: str) -> bool:
        """Tell whether Git ignores `name`, which is then in no commit on purpose."""
        return bool(self._ask("check-ignore", "--", str(self._inside / name)))

    def place(self) -> tuple[Path, PurePosixPath] | None:
        """Return the folder of the repository, and where this one is in it; None for none."""
        repository = self._ask("rev-parse", "--absolute-git-dir")
        inside = Path(self._ask("rev-parse", "--show-prefix"), self._inside)
        return (Path(repository), PurePosixPath(inside)) if repository else None

    def origin(self) -> str:
        """Return what all clones of the repository agree on for the folder; "" for none."""
        first = self._ask("rev-list", "--max-parents=0", "HEAD").split("\n")[-1]
        prefix = self._ask("rev-parse", "--show-prefix")
        return f"{first}:{Path(prefix, self._inside).as_posix()}" if first else ""

    def remote_address(self) -> str:
        """Return the address of the remote `origin`; "" for none."""
        return self._ask("remote", "get-url", "origin")

    def additions(self, name: str) -> dict[str, Addition]:
        """Return which commits of the main line added the files below `name`, by path.

        If a file was added more than once, the first time counts. The folder must exist; paths are
        relative to it.
        """
        mark = token_hex(16)  # what stands in a commit cannot contain it
        keys = f"key=Reviewed-by,key=Approved-by,valueonly,separator={mark}-"
        form = f"--format={mark}+%H %cI %(trailers:{keys}){mark}="
        main_line = ("--first-parent", "--diff-merges=first-parent", "--diff-filter=A")
        names = ("--no-renames", "--name-only", "-z", "--relative", "--", f":(literal){name}")
        found: dict[str, Addition] = {}
        _, *newest_first = self._ask("log", *main_line, form, *names).split(f"{mark}+")
        for part in newest_first:
            header, _, paths = part.partition(f"{mark}=")
            commit, date, approved = header.split(" ", 2)
            by = tuple(filter(None, map(str.strip, approved.split(f"{mark}-"))))
            added = Addition(commit=commit, date=date, approved_by=by)
            found |= {path.removeprefix("\n"): added for path in paths.split("\0") if path.strip()}
        return found

    def _ask(self, *arguments: str) -> str:
        return self._run(*arguments) or ""

    def _run(self, *arguments: str) -> str | None:
        """Return the output of a command, or None if it fails."""
        return self._run_together(arguments)[0]

    def _run_together(
        self, *commands: Sequence[str], more: Mapping[str, str] = MappingProxyType({})
    ) -> list[str | None]:
        """Return the output of each of some commands, or None if it fails; `more` are variables."""
        settings = [part for setting in (*SETTINGS, "safe.directory=*") for part in ("-c", setting)]
        try:
            started = [
                subprocess.Popen(
                    ["git", "--no-pager", *settings, *arguments],
                    cwd=self._start,
                    env=clean_environment() | dict(more),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                for arguments in commands
            ]
        except OSError:
            return [None] * len(commands)
        outputs = [each.communicate()[0] for each in started]
        return [
            os.fsdecode(output).strip() if each.returncode == 0 else None
            for each, output in zip(started, outputs, strict=True)
        ]
