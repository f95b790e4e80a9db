"""A command whose standard output is a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tty
from pathlib import Path


def shown_on_a_terminal(*argv: object, cwd: Path, **env: str) -> bytes:
    """Return the bytes that `psreg argv…` sends to a terminal."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # otherwise the terminal itself changes line ends
    with subprocess.Popen(
        [sys.executable, "-m", "psreg", *map(str, argv)],
        env={**os.environ, **env},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        shown = b""
        while piece := _piece(ours):
            shown += piece
    os.close(ours)
    return shown


def _piece(number: int) -> bytes:
    try:
        return os.read(number, 65536)
    except OSError:  # so Linux says that nobody writes any more
        return b""
