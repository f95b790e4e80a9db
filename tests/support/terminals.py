"""Terminals of tests: what a command sends to one."""

from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.warm_psreg import running_psreg

END = b"\0"
"""Written to a terminal behind what a command has sent, so that nothing of that is missed."""


@contextmanager
def raw_terminal() -> Iterator[tuple[int, int]]:
    """Yield our end and the other end of a terminal that changes nothing."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    try:
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


def read_until(number: int, text: bytes) -> bytes:
    """Read from a terminal until it has shown a text; return all that it has shown."""
    shown = b""
    while text not in shown:
        shown += os.read(number, 65536)
    return shown


def shown_on_a_terminal(*argv: object, cwd: Path, **env: str) -> bytes:
    """Return the bytes that `psreg argv…` sends to a terminal."""
    shown: list[bytes] = []
    with raw_terminal() as (ours, theirs):
        reader = threading.Thread(target=lambda: shown.append(read_until(ours, END)), daemon=True)
        reader.start()
        with (
            Path(os.devnull).open("r+b") as nothing,
            running_psreg(
                *argv, streams=[nothing, theirs, nothing], cwd=cwd, env={**os.environ, **env}
            ) as ended,
        ):
            assert ended() in range(5), argv
        os.write(theirs, END)
        reader.join()
    return shown[0].removesuffix(END)
