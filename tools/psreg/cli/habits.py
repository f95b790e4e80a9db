"""What psreg answers to a command line that it does not understand, also as others write it."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from psreg.cli.commands import COMMANDS
from psreg.cli.parsers import actions_of, innermost
from psreg.core.errors import UsageError
from psreg.core.identity import is_name, normal_name
from psreg.core.spelling import nearest
from psreg.core.version import is_version

_COMMANDS = {
    **dict.fromkeys(("rm", "delete", "del", "un"), "uninstall"),
    **dict.fromkeys(("i", "get", "fetch"), "install"),
    **dict.fromkeys(("lint", "validate", "test"), "check"),
    **dict.fromkeys(("cat", "view"), "show"),
    **dict.fromkeys(("where", "which"), "path"),
    **dict.fromkeys(("browse", "home", "docs"), "open"),
    **dict.fromkeys(("create", "scaffold"), "new"),
    **dict.fromkeys(("repo", "source", "remote"), "registry"),
    **dict.fromkeys(("upgrade", "up"), "update"),
    "find": "search",
    "ls": "list",
    "run": "try",
    "build": "site build",
    "completions": "completion",
    "version": "--version",
    "-v": "--version",
}
"""What other programs call a command."""

_OPTIONS = {
    **dict.fromkeys(("--json", "-j"), "--format json"),
    **dict.fromkeys(("--silent", "-s"), "--quiet"),
    **dict.fromkeys(("--index", "--index-url", "--source", "--from"), "--registry"),
    **dict.fromkeys(("--target", "--dir", "--prefix", "--output", "--dest", "-o"), "--to"),
    **dict.fromkeys(("--output", "--dest", "-o"), "--out"),
    **dict.fromkeys(("--var", "--variable", "-D"), "--set"),
    "--no-network": "--offline",
}
"""What other programs call an option; it is suggested where a command has it."""

_LONG = re.compile(r"--[a-z][\w-]*")
_CHOICE = re.compile(r"invalid choice: '([^']+)' \(choose from (.+)\)")


def unknown_command(argv: Sequence[str]) -> UsageError:
    """Return the error for words that do not begin with a command."""
    name, names = argv[0], [command for _, command, _ in COMMANDS]
    at = next((at for at, word in enumerate(argv) if word in names), 0)
    if name.startswith("-") and at:
        right = shlex.join([argv[at], *argv[:at], *argv[at + 1 :]])
        hint = f"Options follow the command: `psreg {right}`."
        return UsageError("USAGE", f"`{name}` is before the command", hint)
    known = ["--help", "--version"] if name.startswith("-") else names
    near = _COMMANDS.get(name) or nearest(name, known)
    guess = f"Did you mean `psreg {near}`? " if near else ""
    return UsageError("USAGE", f"unknown command `{name}`", f"{guess}Run `psreg --help`.")


def unusable(parser: ArgumentParser, typed: Sequence[str], message: str) -> UsageError:
    """Return the error for words that a command does not accept, of which argparse says `message`.

    An option that is unknown is named first: argparse may miss something else because of it.
    """
    inner, _ = innermost(parser, typed)
    more = f"Run `{inner.prog} --help`."
    known = {one for each in actions_of(inner) for one in each.option_strings}
    for word in _options(typed):
        if word not in known:
            return UsageError("USAGE", f"unknown option `{word}`", f"{_meant(word, known)}{more}")
    extra = message.removeprefix("unrecognized arguments: ")
    if extra != message:
        message = f"unexpected argument `{extra}`"
    if found := _CHOICE.search(message):
        near = nearest(found[1], re.findall(r"'([^']+)'", found[2]))
        more = f"Did you mean `{near}`? {more}" if near else more
    return UsageError("USAGE", message, f"{_request(typed, extra)}{more}")


def _options(typed: Sequence[str]) -> Iterator[str]:
    """Yield the options among some words, without values; there are none after `--`."""
    words = typed[: typed.index("--")] if "--" in typed else typed
    for word in words:
        name = word.partition("=")[0]
        if _LONG.fullmatch(name) or re.fullmatch(r"-[A-Za-z]", word, re.ASCII):
            yield name


def _meant(word: str, known: set[str]) -> str:
    """Return a hint for an option that a command does not have."""
    others = {theirs: ours for theirs, ours in _OPTIONS.items() if ours.split()[0] in known}
    near = word if word in others else nearest(word, sorted({*filter(_LONG.match, known), *others}))
    return f"Did you mean `{others.get(near, near)}`? " if near else ""


def _request(typed: Sequence[str], extra: str) -> str:
    """Return a hint for a version that was written after a name: `quiz_master 1.0.0`."""
    before = typed[typed.index(extra) - 1] if extra in typed[1:] else ""
    name = normal_name(before)
    return f"Write `{name}@{extra}`. " if is_version(extra) and is_name(name) else ""
