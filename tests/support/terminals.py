"""A command whose standard output is a terminal."""

from __future__ import annotations

import os
import pty
import tty
from pathlib import Path

from support.warm_psreg import running_psreg


def shown_on_a_terminal(*argv: object, cwd: Path, **env: str) -> bytes:
    """Return the bytes that `psreg argv…` sends to a terminal."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # otherwise the terminal itself changes line ends
    with (
        Path(os.devnull).open("r+b") as nothing,
        running_psreg(
            *argv, streams=[nothing, theirs, nothing], cwd=cwd, env={**os.environ, **env}
        ) as ended,
    ):
        os.close(theirs)
        shown = b""
        while piece := _piece(ours):
            shown += piece
        ended()
    os.close(ours)
    return shown


def _piece(number: int) -> bytes:
    try:
        return os.read(number, 65536)
    except OSError:  # so Linux says that nobody writes any more
        return b""
