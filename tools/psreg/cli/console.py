"""Where a command speaks: results on stdout, everything else on stderr.

With `--format json` standard output is exactly one JSON document on every exit code (DESIGN §4).
Text that comes from files or the network passes through `plain`, so that it cannot drive a
terminal.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Protocol

from psreg.errors import PsregError
from psreg.render.terminal import plain

ERROR_SCHEMA = "psreg.error/1"


class OptionAdder(Protocol):
    """The part of `argparse.ArgumentParser` this module needs."""

    def add_argument(self, *flags: str, **settings: Any) -> Any:
        """Declare one option."""


def add_output_options(
    parser: OptionAdder, formats: tuple[str, ...] = ("text", "json"), default: str = "text"
) -> None:
    """Declare `--format` and `--quiet`, which every command has."""
    parser.add_argument(
        "--format", choices=formats, default=default, help=f"how to print the result ({default})"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say only what went wrong")


class Console:
    """The two output streams of one command."""

    def __init__(self, *, machine: bool = False, quiet: bool = False) -> None:
        self.machine = machine
        self.quiet = quiet

    def out(self, text: str) -> None:
        """Write a result to standard output, exactly."""
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))

    def line(self, text: str) -> None:
        """Write one line of a result to standard output, made safe for a terminal."""
        self.out(plain(text) + "\n")

    def piece(self, text: str) -> None:
        """Write a part of a line to standard output at once, made safe for a terminal."""
        self.out(plain(text.replace("\r\n", "\n")))
        self.flush()

    def json(self, document: Any) -> None:
        """Write the one JSON document of this run to standard output."""
        self.out(json.dumps(document, ensure_ascii=False, indent=2) + "\n")

    def note(self, text: str) -> None:
        """Tell a person something on standard error; silent under `--quiet`."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Tell a person something that matters even under `--quiet`, on standard error."""
        self.flush()
        sys.stderr.write(plain(text).encode("utf-8", "backslashreplace").decode() + "\n")
        sys.stderr.flush()

    def aside(self, text: str) -> None:
        """Write to standard error, exactly, a result that standard output has no room for."""
        self.flush()
        sys.stderr.flush()
        sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stderr.flush()

    def fail(self, error: PsregError) -> None:
        """Report an error the way the caller reads: one JSON document, or lines on stderr."""
        if self.machine:
            detail = {"code": error.code, "message": error.message, "hint": error.hint}
            self.json({"schema": ERROR_SCHEMA, "error": detail})
            self.flush()
            return
        self.warn(f"psreg: error[{error.code}]: {error.message}")
        if error.hint:
            self.warn(f"  hint: {error.hint}")

    def flush(self) -> None:
        """Hand everything written so far to the reader."""
        sys.stdout.flush()

    def reader_left(self) -> int:
        """End quietly after the reader of our standard output closed it."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def color_wanted() -> bool:
    """Tell whether standard output is a terminal that may be coloured (no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
