"""Which tag answers which command (VPP-06, VPP-14, READINGS VPP-A5, A6, A7)."""

from __future__ import annotations

from enum import Enum, auto

from psreg.protocols.vpp.command import Command
from psreg.protocols.vpp.vocabulary import ERROR, OPERATOR_ERROR, USER_TAGS


class Echo(Enum):
    """What an answering tag is worth: right, allowed although it is unusual, or wrong."""

    CLEAN = auto()
    UNUSUAL = auto()
    WRONG = auto()


def expected_echo(command: Command) -> str:
    """Return the tag that answers `command`; "" if it has none that VPP knows."""
    if command.tag == OPERATOR_ERROR:
        return "o"
    if command.tag == ERROR and command.branch:
        return command.branch
    return command.tag if command.tag in USER_TAGS else ""


def judge_echo(command: Command, tag: str) -> Echo:
    """Return what `tag` is worth as an answer to `command`, whose own tag VPP knows."""
    if tag == expected_echo(command):
        return Echo.CLEAN
    return Echo.UNUSUAL if tag in _unusual(command) else Echo.WRONG


def _unusual(command: Command) -> tuple[str, ...]:
    """Return the tags that are let pass with a warning."""
    if command.tag == ERROR:
        return (ERROR,) if command.branch else ("g", "q", "o")
    if command.tag == OPERATOR_ERROR:
        return (ERROR, OPERATOR_ERROR, command.branch)
    return (ERROR, command.branch)
