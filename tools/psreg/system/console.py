"""The output of a command: results on stdout, everything else on stderr.

With `--format json`, standard output is exactly one JSON document on every exit code. Text from
files or the network cannot control a terminal, nor begin a line that seems to be psreg's own: it
passes through `one_line` or, where it may have several lines, through `plain`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from psreg.core.errors import InterruptError, PsregError, UnavailableError
from psreg.core.regex import lazy
from psreg.core.terminal import hanging, one_line, plain, width

if TYPE_CHECKING:
    from psreg.system.progress import Progress

ERROR_SCHEMA = "psreg.error/1"

_BEGINS = lazy(r" *(?:[-*] |[^ ]+(?: [^ ]+)? {2,})?")
"""What is before the text of a line: blanks, and the mark of a list or a label in a column."""


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
        self._progress: Progress | None = None

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

    @contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """Say on a terminal what the block does, once it has taken half a second.

        Yields what changes the text.
        """
        if self.quiet or self.machine or self._progress is not None or not sys.stderr.isatty():
            yield _say_nothing
            return
        from psreg.system.progress import Progress  # noqa: PLC0415 - only who watches needs it

        self._progress = progress = Progress(sys.stderr.fileno(), one_line(what))
        try:
            yield progress.change
        finally:
            self._end_progress()

    def _end_progress(self) -> None:
        """Let what is written next begin on an empty line, and go on undisturbed."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def out(self, text: str) -> None:
        """Write a result to standard output, exactly."""
        self._end_progress()
        self._answered = True
        with self.writing():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))

    def line(self, text: str) -> None:
        """Write one line of a result to standard output, made safe for a terminal."""
        self.out(one_line(text) + "\n")

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """Write rows of a result in columns; on a terminal, the last one is wrapped to fit."""
        found = [tuple(map(one_line, row)) for row in rows]
        columns = output_columns()
        ends = [max(map(width, cells)) for cells in list(zip(*found, strict=True))[:-1]]
        for *cells, last in found:
            filled = zip(cells, ends, strict=True)
            head = "".join(f"{cell}{' ' * (end - width(cell))}  " for cell, end in filled)
            self._lines(hanging(head, last, columns))

    def paragraph(self, text: str) -> None:
        """Write a line of a result; a terminal gets it wrapped below where its text begins."""
        line = one_line(text)
        begins = _BEGINS.match(line)
        at = begins.end() if begins else 0
        self._lines(hanging(line[:at], line[at:], output_columns()))

    def _lines(self, lines: Iterable[str]) -> None:
        self.out("".join(f"{line}\n" for line in lines))

    def content(self, content: str | bytes) -> None:
        """Write the content of a file: exactly to a file or a pipe, made safe for a terminal."""
        data = (
            content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        )
        if sys.stdout.isatty():
            self.piece(data.decode("utf-8", "backslashreplace"))
            return
        self._end_progress()
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
        if self._progress is not None:
            self._progress.clear()
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
        self._end_progress()
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
        label = one_line(f"psreg: error[{error.code}]:")
        if color_wanted(sys.stderr):
            label = f"\x1b[1;31m{label}\x1b[0m"
        self.aside(f"{label} {one_line(error.message)}\n")
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


def _say_nothing(_: str) -> None: ...


def _discard(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def output_columns() -> int:
    """Return how wide the terminal is that standard output is, 0 if it is not one."""
    if not sys.stdout.isatty():
        return 0
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit():
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def color_wanted(stream: TextIO | None = None) -> bool:
    """Return whether to write colours to a stream, by default standard output.

    `NO_COLOR` forbids them (no-color.org), `FORCE_COLOR` asks for them (force-color.org); otherwise
    a terminal gets them.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if sys.platform == "win32" and "WT_SESSION" not in os.environ:  # an old console shows the codes
        return False
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
