"""Running git so that a repository cannot make it execute, fetch or write anything.

Every process gets its environment here. No variable of the caller redirects it; no settings of
the system or the user are read; everything that the repository's own settings could start (hooks,
fsmonitor, filters, pagers, transports) is off. The commands read objects and refs, never an index
or a work tree, and write only to a temporary repository.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import IO

from psreg.core.errors import UnavailableError

STREAMED = 4 * 1024 * 1024
"""Size in bytes from which git streams a blob instead of loading it."""

_LOADED = 256 * 1024 * 1024
"""Bytes git may allocate at once, so that a decompression bomb cannot use up all memory."""

_ENVIRONMENT = {
    "GIT_ALLOC_LIMIT": str(_LOADED),
    "GIT_ALLOW_PROTOCOL": "",  # the one setting that no `protocol.<name>.allow` overrides
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_AUTHOR_EMAIL": "psreg@localhost",
    "GIT_AUTHOR_NAME": "psreg",
    "GIT_COMMITTER_DATE": "@0 +0000",
    "GIT_COMMITTER_EMAIL": "psreg@localhost",
    "GIT_COMMITTER_NAME": "psreg",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

SETTINGS = (
    "core.attributesFile=/dev/null",
    f"core.bigFileThreshold={STREAMED}",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
)


class Git:
    """The program git for the repository whose Git folder is `folder`.

    It also reads the objects in `borrowed`, a folder that must exist when a process starts.
    """

    def __init__(self, folder: Path, borrowed: Path) -> None:
        self.folder = folder
        self._borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(borrowed)}
        settings = [part for setting in SETTINGS for part in ("-c", setting)]
        self._command = ["git", "--no-pager", "--bare", f"--git-dir={folder}", *settings]

    def start(
        self,
        *arguments: str,
        stdin: IO[bytes] | int = subprocess.PIPE,
        stderr: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a command with a pipe as its output, and as its input unless `stdin` is given.

        Raises:
            UnavailableError: `NO_GIT`: git is not installed.
        """
        try:
            return subprocess.Popen(
                [*self._command, *arguments],
                cwd=self.folder,
                env=clean_environment() | self._borrowed,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise no_git() from error

    def ask(
        self, *arguments: str, stdin: bytes = b"", fine: tuple[int, ...] = (0,)
    ) -> bytes | None:
        """Return the output of a command, or None if its exit code is not in `fine`."""
        process = self.start(*arguments)
        out, _ = process.communicate(stdin)
        return out if process.returncode in fine else None

    def check_readable(self) -> None:
        """Check that git can read the repository at all; broken settings make every command fail.

        Raises:
            UnavailableError: `GIT`.
        """
        process = self.start("rev-parse", "--git-dir", stderr=subprocess.PIPE)
        _, said = process.communicate()
        if process.returncode:
            raise unreadable(self.folder, said)


def unreadable(folder: Path, said: bytes) -> UnavailableError:
    """Return the error for a repository that git cannot read, with what it `said`."""
    words = " ".join(said.decode(errors="replace").removeprefix("fatal: ").split())
    return UnavailableError("GIT", f"Git cannot read the repository {folder}: {words}")


_CREDENTIALS = re.compile(r"//\S*@")


def without_credentials(said: bytes) -> str:
    """Return what git said; it repeats an address that it cannot read with its password."""
    return _CREDENTIALS.sub("//", said.decode(errors="replace"))


def _quoted(path: Path) -> str:
    """Return a path, quoted as one element of a list of paths."""
    escaped = str(path).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def clean_environment() -> dict[str, str]:
    """Return the environment of the caller with our variables of git instead of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | _ENVIRONMENT


def trusts(folder: Path) -> bool:
    """Tell whether git accepts the owner of `folder` for this user.

    Only this function reads the user's settings: `safe.directory` is one of them.
    """
    environment = clean_environment()
    for key in [key for key in environment if key.startswith("GIT_CONFIG")]:
        del environment[key]
    said = {key: value for key, value in os.environ.items() if key.startswith("GIT_CONFIG")}
    done = subprocess.run(
        ["git", "-C", folder, "rev-parse", "--git-dir"],
        env=environment | said,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def no_git() -> UnavailableError:
    """Return the error for a machine without git."""
    return UnavailableError("NO_GIT", "git is not installed", "Install Git 2.38 or newer.")
