"""Lets a psreg of the tests be killed, or its disk fail, at its n-th change of the file system.

A change is what creates, renames, removes or opens a file for writing, below one folder. What
happens inside one write is left to the kernel: a `limit` in bytes cuts every longer file.
"""

import errno
import json
import os
import resource
import signal
import sys
from pathlib import Path

VARIABLE = "FAILING_DISK"
"""The environment variable that tells a psreg of the tests what fails."""

_CHANGES = frozenset(
    f"os.{name}"
    for name in ("chmod", "link", "mkdir", "remove", "rename", "rmdir", "symlink", "truncate")
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def killed_at(number, folder):
    """Return the environment of a psreg that is killed before its change `number` from 1 on."""
    return {VARIABLE: json.dumps({"at": number, "folder": str(folder), "kill": True})}


def read_only_from(number, folder):
    """Return that of a psreg for which `folder` is read-only from its change `number` on."""
    return {VARIABLE: json.dumps({"at": number, "folder": str(folder), "kill": False})}


def cut_at(limit, *, kill):
    """Return that of a psreg which cannot write more than `limit` bytes to a file, or dies of it."""
    return {VARIABLE: json.dumps({"limit": limit, "kill": kill})}


def apply_from_environment():
    """Let fail in this process what its environment says."""
    what = json.loads(os.environ[VARIABLE])
    if "limit" not in what:
        sys.addaudithook(_Hook(**what))
        return
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if what["kill"] else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (what["limit"],) * 2)


class _Hook:
    """Counts changes below a folder, and fails."""

    def __init__(self, *, at, folder, kill):
        self._left, self._folder, self._kill = at, folder, kill

    def __call__(self, event, args):
        if not (event in _CHANGES or (event == "open" and args[2] & _WRITING)):
            return
        if not (isinstance(args[0], str | os.PathLike) and self._is_below(args)):
            return  # a number was opened before
        self._left -= 1
        if self._left > 0:
            return
        if self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(args[0]))

    def _is_below(self, args):
        path, number = Path(args[0]), args[-1]
        if not path.is_absolute() and isinstance(number, int) and number >= 0:
            path = Path(f"/proc/self/fd/{number}").readlink() / path
        return path.is_relative_to(self._folder)
