"""The exceptions that psreg raises when it cannot continue; invalid *input* is a diagnostic.

PsregError
├── FindingsError       exit 1: a check failed, a released byte changed
├── UsageError          exit 2: the command line or a value on it is wrong
├── TrustError          exit 3: trust or policy refused
├── UnavailableError    exit 4: I/O, network, not found, newer file format
└── InterruptError      exit 130: Ctrl-C

Every error has a stable `code` for machines, a `message` (what is wrong) and a `hint` (what to
do), so that a renderer never has to parse a sentence. The table `error_codes` has a row for
each code.
"""

from __future__ import annotations

from typing import ClassVar

LONGEST = 4_000
"""The most characters of a text of an error; a file or a server may say more."""


class PsregError(Exception):
    """Base of all errors psreg raises on purpose.

    `code` is SCREAMING_SNAKE_CASE and never changes its meaning; `message` and `hint` are
    sentences for people and may change. `details` are printed below the message, a line for each:
    a line break inside of a text never begins another line.
    """

    exit_code: ClassVar[int] = 4

    def __init__(
        self, code: str, message: str, hint: str = "", details: tuple[str, ...] = ()
    ) -> None:
        self.code = code
        self.message = _bounded(message)
        self.hint = _bounded(hint)
        self.details = tuple(map(_bounded, details))
        super().__init__("\n  ".join((self.message, *self.details)))

    def __reduce__(self) -> tuple[type[PsregError], tuple[str, str, str, tuple[str, ...]]]:
        """Make errors picklable, so that other processes can return them."""
        return type(self), (self.code, self.message, self.hint, self.details)


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class FindingsError(PsregError):
    """A check failed: something in the tree is not valid."""

    exit_code = 1


class UsageError(PsregError):
    """The command line or a value in it is invalid."""

    exit_code = 2


class TrustError(PsregError):
    """A signature, digest, expiry date, pin or policy does not allow it."""

    exit_code = 3


class UnavailableError(PsregError):
    """Something is not available: a file, the network, a name, a newer format."""

    exit_code = 4


class InterruptError(PsregError):
    """The person pressed Ctrl-C; the exit code is the shell's convention for SIGINT."""

    exit_code = 130
