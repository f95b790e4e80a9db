"""argv → command → exit code. The table below is the command line; a command loads when named.

A command module offers `configure(parser)` and `run(args, console) -> int`, and states `EXAMPLE`.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

from psreg.cli.console import Console
from psreg.errors import PsregError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A row of the command table: its name, what it does, and the module that does it."""

    name: str
    summary: str
    module: str
    group: str


_USER, _AUTHOR, _KEEPER = "for everyone", "for authors", "for keepers of a registry"

COMMANDS: tuple[Command, ...] = (
    Command(
        name="install", summary="fetch, verify and keep a prompt", module="install", group=_USER
    ),
    Command(
        name="uninstall", summary="remove an installed prompt", module="uninstall", group=_USER
    ),
    Command(name="list", summary="list installed prompts", module="list", group=_USER),
    Command(name="info", summary="tell all about one prompt", module="info", group=_USER),
    Command(name="search", summary="find prompts by words", module="search", group=_USER),
    Command(name="show", summary="print a prompt in readable form", module="show", group=_USER),
    Command(name="render", summary="fill in a .prompt and print it", module="render", group=_USER),
    Command(name="verify", summary="check installed prompts", module="verify", group=_USER),
    Command(
        name="registry", summary="add, list, remove registries", module="registry", group=_USER
    ),
    Command(name="check", summary="judge files or a whole tree", module="check", group=_AUTHOR),
    Command(name="explain", summary="explain a rule", module="explain", group=_AUTHOR),
    Command(
        name="publish", summary="release and sign what is new", module="publish", group=_KEEPER
    ),
    Command(name="site", summary="build the static catalogue", module="site", group=_KEEPER),
    Command(name="serve", summary="build and serve the catalogue", module="serve", group=_KEEPER),
)


class Parser(ArgumentParser):
    """An argument parser that raises `UsageError` instead of leaving the process."""

    def error(self, message: str) -> Any:
        """Raise, so that `--format json` can answer in JSON (exit code 2)."""
        raise UsageError("USAGE", message, f"try '{self.prog} --help'")


def run(argv: list[str]) -> int:
    """Run one command line and return its exit code; never raises for bad input."""
    console = Console(machine=_wants_json(argv), quiet="--quiet" in argv or "-q" in argv)
    try:
        return _dispatch(argv, console)
    except PsregError as error:
        console.fail(error)
        return error.exit_code
    except KeyboardInterrupt:
        return 130  # the shell's convention for SIGINT
    except BrokenPipeError:
        return console.reader_left()


def _dispatch(argv: list[str], console: Console) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        console.out(_overview())
        return 0
    command = next((c for c in COMMANDS if c.name == argv[0]), None)
    if command is None:
        raise UsageError("USAGE", f"no command {argv[0]!r}", "try 'psreg --help'")
    module = import_module(f"psreg.cli.{command.module}")
    parser = Parser(
        prog=f"psreg {command.name}",
        description=f"{command.summary[0].upper()}{command.summary[1:]}.",
        epilog=f"example:\n  {module.EXAMPLE}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.configure(parser)
    try:
        args: Namespace = parser.parse_args(argv[1:])
    except SystemExit:  # --help printed its text
        sys.stdout.flush()
        return 0
    code: int = module.run(args, console)
    console.flush()
    return code


def _overview() -> str:
    lines = ["psreg: install, check and publish prompts", "", "usage: psreg COMMAND [OPTION]…"]
    for group in (_USER, _AUTHOR, _KEEPER):
        lines += ["", f"{group}:"]
        lines += [f"  {c.name:<10} {c.summary}" for c in COMMANDS if c.group == group]
    lines += ["", "'psreg COMMAND --help' shows a command's options and an example.", ""]
    return "\n".join(lines)


def _wants_json(argv: list[str]) -> bool:
    """Tell whether the caller is a machine, before the options are parsed (they may be wrong)."""
    pairs = pairwise(argv)
    return "--format=json" in argv or ("--format", "json") in pairs
