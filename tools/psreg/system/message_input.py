"""Reads messages from standard input: what is pasted or piped in at once is one message.

On a terminal, Enter sends a line. Lines that are there already, because they were pasted or come
from a here-document, belong to the same message, and so does everything between two lines of
three double quotes. Where Python has GNU readline, a line can be edited, and a paste is one line
with line breaks in it.
"""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from psreg.core.errors import UnavailableError, UsageError
from psreg.system.atomic import cannot_write
from psreg.system.files import read_named

QUOTES = '"""'
"""The first and the last line of a message of several lines."""

_PAUSE = 0.05
"""Seconds without input after which a message is complete."""

_LONGEST = 256 * 1024
"""Maximum number of bytes in one message."""

_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
"""What a terminal sends around a paste if a program asks for it."""


class MessageInput:
    """Messages from standard input; a line that is one of `commands` is always a message alone.

    `editing` tells whether there is a line editor.
    """

    def __init__(self, commands: Container[str]) -> None:
        self._commands = commands
        self._waiting: list[str] = []
        self._bytes = b""
        self._ended = False
        self.editing = _can_edit()

    def message(self, prompt: str) -> str | None:
        """Return the next message, None at the end of the input.

        `prompt` is shown only by a line editor; nothing else is written.
        """
        while (line := self._line(prompt)) is not None:
            if line.strip() == QUOTES:
                return self._quoted()
            if line.startswith(_PASTE_BEGINS):
                return self._pasted(line)
            if line.strip() in self._commands:
                return line.strip()
            if text := self._together(line):
                return text
        return None

    def _together(self, line: str) -> str:
        """Return `line` and the lines that are there already, up to a command."""
        lines, size = [line], len(line)
        while size < _LONGEST and self._ready():
            more = self._line("")
            if more is None:
                break
            if more.strip() in self._commands:
                self._waiting.insert(0, more)
                break
            lines.append(more)
            size += len(more)
        return "\n".join(lines).strip()

    def _quoted(self) -> str:
        lines: list[str] = []
        while (line := self._line("")) is not None and line.strip() != QUOTES:
            lines.append(line)
        return "\n".join(lines)

    def _pasted(self, line: str) -> str:
        lines = [line.removeprefix(_PASTE_BEGINS)]
        while _PASTE_ENDS not in lines[-1] and (more := self._line("")) is not None:
            lines.append(more)
        return "\n".join(lines).replace(_PASTE_ENDS, "").strip()

    def _line(self, prompt: str) -> str | None:
        """Return the next line without its end, None at the end of the input."""
        if self._waiting:
            return self._waiting.pop(0)
        if self.editing:
            try:
                return input(prompt)
            except EOFError:
                return None
        while b"\n" not in self._bytes and len(self._bytes) < _LONGEST and not self._ended:
            self._receive()
        if not self._bytes:
            return None
        line, _, self._bytes = self._bytes.partition(b"\n")
        return line.decode(errors="replace").removesuffix("\r")

    def _receive(self) -> None:
        part = os.read(sys.stdin.fileno(), 64 * 1024)
        self._bytes += part
        self._ended = not part

    def _ready(self) -> bool:
        """Tell whether another line is there, or the input ends within a moment."""
        if self._waiting or b"\n" in self._bytes:
            return True
        while not self._ended and select.select([sys.stdin.fileno()], [], [], _PAUSE)[0]:
            if self.editing:
                return True
            self._receive()
            if b"\n" in self._bytes:
                return True
        return self._ended and bool(self._bytes)


def _can_edit() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        import readline  # noqa: F401, PLC0415 - makes `input` a line editor, where it exists
    except ImportError:
        return False
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    return True


def edited_message() -> str:
    """Return the text that the user writes in the editor of `VISUAL` or `EDITOR`.

    Raises:
        UsageError: there is no editor.
        UnavailableError: it cannot be started, or fails.
    """
    editor = []
    with suppress(ValueError):  # an open quote
        editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not editor:
        raise UsageError("USAGE", "there is no editor", "Set VISUAL or EDITOR.")
    with tempfile.TemporaryDirectory(prefix="psreg-") as folder:
        path = Path(folder) / "message.txt"
        path.touch()
        try:
            done = subprocess.run([*editor, path], check=False)
        except OSError as error:
            raise cannot_write(path, error) from error
        if done.returncode:
            raise UnavailableError("CANNOT_READ", f"`{editor[0]}` failed; nothing was sent")
        return read_named(path, _LONGEST).decode(errors="replace").strip()
