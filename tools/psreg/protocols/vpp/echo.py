"""Which tag answers which command (VPP-06, VPP-14, VPP-A5 to A7)."""

from __future__ import annotations

from enum import Enum, auto

from psreg.protocols.vpp.command import Command
from psreg.protocols.vpp.vocabulary import ERROR, OPERATOR_ERROR, USER_TAGS


class Echo(Enum):
    """How the tag of an answer compares with its command: expected, accepted, or wrong."""

    EXPECTED = auto()
    UNUSUAL = auto()
    WRONG = auto()


def expected_echo(command: Command) -> str:
    """Return the tag that answers `command`, "" if the tag of the command is unknown."""
    if command.tag == OPERATOR_ERROR:
        return "o"
    if command.tag == ERROR and command.branch:
        return command.branch
    return command.tag if command.tag in USER_TAGS else ""


def classify_echo(command: Command, tag: str) -> Echo:
    """Return how `tag` compares as the answer to `command`, whose own tag is known."""
    if tag == expected_echo(command):
        return Echo.EXPECTED
    return Echo.UNUSUAL if tag in _unusual(command) else Echo.WRONG


def _unusual(command: Command) -> tuple[str, ...]:
    """Return the tags that are accepted with a warning."""
    if command.tag == ERROR:
        return (ERROR,) if command.branch else ("g", "q", "o")
    if command.tag == OPERATOR_ERROR:
        return (ERROR, OPERATOR_ERROR, command.branch)
    return (ERROR, command.branch)
