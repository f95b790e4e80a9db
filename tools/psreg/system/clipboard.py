"""The clipboard of the person at the terminal, on this machine or at the other end of ssh."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

from psreg.core.errors import UnavailableError

_PATIENCE = 10.0
"""Seconds that a program may take."""

_MOST = 100_000
"""Bytes of the longest sequence that terminals take, after base64."""

_PROGRAMS = (
    ("WAYLAND_DISPLAY", ("wl-copy", "--type", "text/plain;charset=utf-8")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-in")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("TERMUX_VERSION", ("termux-clipboard-set",)),
    ("WSL_DISTRO_NAME", ("clip.exe",)),
)
"""The programs that fill a clipboard, each with the variable that says that there is one."""


def copy_text(text: str) -> str:
    """Put a text into the clipboard, exactly; return where it is, in words.

    Through ssh, and where no program fills a clipboard, the terminal is asked to (OSC 52 of xterm).

    Raises:
        UnavailableError: NO_CLIPBOARD.
    """
    far = any(os.environ.get(each) for each in ("SSH_CONNECTION", "SSH_TTY"))
    if far and _asked_terminal(text):
        return "the clipboard of your terminal"
    if any(_ran(command, text) for command in _commands(os.environ)):
        return "the clipboard"
    if not far and _asked_terminal(text):
        return "the clipboard of your terminal"
    raise UnavailableError(
        "NO_CLIPBOARD",
        "psreg finds no clipboard here",
        "Install wl-clipboard or xclip, or write the text to a file instead.",
    )


def _commands(environ: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the programs that may fill a clipboard here."""
    if sys.platform == "darwin":
        yield ("pbcopy",)
    elif sys.platform == "win32":
        yield ("clip.exe",)
    for variable, command in _PROGRAMS:
        if environ.get(variable):
            yield command


def _ran(command: tuple[str, ...], text: str) -> bool:
    """Tell whether a program is there, took the text, and ended well."""
    program = shutil.which(command[0])
    if program is None:
        return False
    coding = "utf-16" if command[0] == "clip.exe" else "utf-8"
    try:
        done = subprocess.run(
            [program, *command[1:]],
            input=text.encode(coding),
            # xclip stays behind, with what it got as its output: a pipe would never end.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_CTYPE": "UTF-8"} if sys.platform == "darwin" else None,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _asked_terminal(text: str) -> bool:
    """Ask the terminal of this process to take a text; nothing says whether it does."""
    asked = b"\x1b]52;c;" + b64encode(text.encode()) + b"\x07"
    if len(asked) > _MOST:
        return False
    if os.environ.get("TMUX"):  # it passes on what is wrapped, with every escape twice
        asked = b"\x1bPtmux;" + asked.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"
    try:
        with Path("/dev/tty").open("wb", buffering=0) as terminal:
            terminal.write(asked)
    except OSError:
        return False
    return True
