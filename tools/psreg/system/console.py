"""The output of a command: results on stdout, everything else on stderr.

With `--format json`, standard output is exactly one JSON document on every exit code. Text from
files or the network cannot control a terminal, nor begin a line that seems to be psreg's own: it
passes through `one_line` or, where it may have several lines, through `plain`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from psreg.core.errors import InterruptError, PsregError, UnavailableError
from psreg.core.terminal import one_line, plain

ERROR_SCHEMA = "psreg.error/1"


class OutputLostError(Exception):
    """Standard output cannot be written; the cause says why."""


class OptionAdder(Protocol):
    """The part of `argparse.ArgumentParser` that declares options."""

    def add_argument(self, *flags: str, **settings: Any) -> Any:
        """Declare one option."""


def add_output_options(parser: OptionAdder, formats: tuple[str, ...] = ("text", "json")) -> None:
    """Declare `--format` and `--quiet`, which every command has."""
    parser.add_argument(
        "--format", choices=formats, default="text", help="how to print the result (text)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print only problems")


class Console:
    """The two output streams of one command."""

    def __init__(self, *, machine: bool = False, quiet: bool = False) -> None:
        self.machine = machine
        self.quiet = quiet
        self._answered = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let the block write to standard output.

        Raises:
            OutputLostError: writing failed.
        """
        try:
            yield
        except OSError as error:
            raise OutputLostError from error

    def out(self, text: str) -> None:
        """Write a result to standard output, exactly."""
        self._answered = True
        with self.writing():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))

    def line(self, text: str) -> None:
        """Write one line of a result to standard output, made safe for a terminal."""
        self.out(one_line(text) + "\n")

    def content(self, content: str | bytes) -> None:
        """Write the content of a file: exactly to a file or a pipe, made safe for a terminal."""
        data = (
            content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        )
        if sys.stdout.isatty():
            self.piece(data.decode("utf-8", "backslashreplace"))
            return
        self._answered = True
        with self.writing():
            sys.stdout.flush()
            sys.stdout.buffer.write(data)

    def piece(self, text: str) -> None:
        """Write a part of a line to standard output at once, made safe for a terminal."""
        self.out(plain(text.replace("\r\n", "\n")))
        self.flush()

    def json(self, document: Any) -> None:
        """Write the one JSON document of this run to standard output."""
        self.out(json.dumps(document, ensure_ascii=sys.stdout.isatty(), indent=2) + "\n")

    def note(self, text: str) -> None:
        """Print a note for the user on standard error; nothing with `--quiet`."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Print a line on standard error that matters even with `--quiet`."""
        self.aside(one_line(text) + "\n")

    def aside(self, text: str) -> None:
        """Write a result to standard error, exactly, because standard output has another one."""
        self.flush()
        try:
            sys.stderr.flush()
            sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stderr.flush()
        except OSError:  # there is no other place to report it
            _discard(sys.stderr)

    def can_ask(self) -> bool:
        """Return whether a person can read a question and answer it."""
        return not self.machine and sys.stdin.isatty() and sys.stderr.isatty()

    def typed_yes(self, question: str) -> bool:
        """Ask on the terminal, and return whether the answer is `yes`, written out."""
        self.warn(question)
        return sys.stdin.readline().strip() == "yes"

    def fail(self, error: PsregError) -> None:
        """Report an error in the format of the caller: one JSON document, or lines on stderr."""
        if self.machine:
            detail = {"code": error.code, "message": str(error), "hint": error.hint}
            self.json({"schema": ERROR_SCHEMA, "error": detail})
            self.flush()
            return
        self._tell(error)

    def _tell(self, error: PsregError) -> None:
        """Report an error to a person; without a hint, a terminal shows how to read more."""
        self.warn(f"psreg: error[{error.code}]: {error.message}")
        for detail in error.details:
            self.warn(f"  {detail}")
        if error.hint:
            self.warn(f"  hint: {error.hint}")
        elif sys.stderr.isatty():
            self.warn(f"  more: psreg explain {error.code}")

    def flush(self) -> None:
        """Flush everything written so far."""
        with self.writing():
            sys.stdout.flush()

    def interrupted(self) -> int:
        """End after Ctrl-C; write the JSON error if nothing has been written yet."""
        if self.machine and not self._answered:
            self.fail(InterruptError("INTERRUPTED", "the command was interrupted"))
        return InterruptError.exit_code

    def lost(self, error: BaseException | None) -> int:
        """End after standard output failed: silently if its reader closed it, else with 4."""
        _discard(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return 0
        reason = getattr(error, "strerror", None) or error
        full = UnavailableError("CANNOT_WRITE", f"cannot write to standard output: {reason}")
        self._tell(full)
        return full.exit_code


def _discard(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def color_wanted() -> bool:
    """Return whether standard output is a terminal and colours are allowed (no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
