"""argv → command → exit code. Only the command that runs is imported.

A command module has `configure(parser)` and `run(args, console) -> int`, and an `EXAMPLE`; one that
needs an extra of psreg names it as `EXTRA`.
"""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from errno import ENAMETOOLONG, ENOENT
from importlib import import_module
from itertools import pairwise
from keyword import iskeyword
from typing import Any

from psreg.cli.commands import COMMANDS
from psreg.core.errors import PsregError, UnavailableError, UsageError
from psreg.core.regex import lazy
from psreg.system.console import Console, OutputLostError

# What psreg says is in English; argparse would look for translations of each of its own words.
argparse._ = str  # type: ignore[attr-defined]


class Parser(ArgumentParser):
    """An argument parser that raises instead of exiting."""

    def error(self, message: str) -> Any:
        """Raise, so that `--format json` can answer in JSON (exit code 2)."""
        raise UnusableError(message)

    _width: int | None = 80

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        self._width = None
        return super().format_help()

    def _get_formatter(self) -> HelpFormatter:
        # NOTE: argparse asks for one with each option that it is given; without a width, that loads
        # what measures the terminal, and does so.
        return RawDescriptionHelpFormatter(self.prog, width=self._width)


class UnusableError(Exception):
    """What argparse says about a command line that it cannot use."""


_OPTION = lazy(r"(?<![\w-])--[a-z][\w-]*")


_MAY_BE_EMPTY = ("--imf",)


def run(argv: list[str]) -> int:
    """Run one command line and return its exit code; never raises for bad input."""
    console = Console(machine=_wants_json(argv), quiet="--quiet" in argv or "-q" in argv)
    try:
        return _answer(argv, console)
    except OutputLostError as lost:
        return console.lost(lost.__cause__)


def _answer(argv: list[str], console: Console) -> int:
    try:
        return _dispatch(argv, console)
    except PsregError as error:
        console.fail(error)
        return error.exit_code
    except KeyboardInterrupt:
        return console.interrupted()
    except OSError as error:
        refusal = _of_system(error)
        if refusal is None:
            raise
        console.fail(refusal)
        return refusal.exit_code


def _of_system(error: OSError) -> UnavailableError | None:
    """Return the error for what may happen wherever a path is used, None for anything else."""
    if error.errno == ENAMETOOLONG:
        path = str(error.filename)
        told = f"`{path[:_SHOWN]}…` is too long for a path: {len(path):,} characters"
        return UnavailableError("CANNOT_READ", told, "Use a shorter one, or a shorter PSREG_HOME.")
    if error.errno == ENOENT and error.filename is None:  # os.getcwd() says no more
        told = "the folder in which you are does not exist any more"
        return UnavailableError("CANNOT_READ", told, "Change to another one.")
    return None


_SHOWN = 60


def _dispatch(argv: list[str], console: Console) -> int:
    if argv[0] in ("help", "--help", "-h"):
        argv = [*argv[1:], "--help"]
    if argv[:2] == ["completion", "words"]:  # what is typed so far is not for the parser
        code: int = _module("completion").tell(argv[2:], console, parser_of)
        return code
    name = argv[0]
    group, summary = _listed(name)
    if not group:
        from psreg.cli.habits import unknown_command

        raise unknown_command(argv)
    module = _module(name)
    parser = _parser(name, summary, module)
    _refuse_empty(argv, parser)
    try:
        with console.writing():  # --help
            args = _parsed(parser, argv[1:])
    except SystemExit:  # --help printed its text
        console.flush()
        return 0
    code = module.run(args, console)
    console.flush()
    return code


def _listed(name: str) -> tuple[str, str]:
    """Return for whom a command is, and what it does; "" if there is none."""
    found = ((group, text) for group, command, text in COMMANDS if command == name)
    return next(found, ("", ""))


def _module(name: str) -> Any:
    return import_module(f"psreg.cli.{name}{'_' if iskeyword(name) else ''}")


def _parser(name: str, summary: str, module: Any) -> Parser:
    extra = getattr(module, "EXTRA", "")
    needs = f" Needs the extra `psreg[{extra}]`." if extra else ""
    parser = Parser(
        prog=f"psreg {name}",
        description=f"{summary[0].upper()}{summary[1:]}.{needs}",
        epilog=f"example:\n  {module.EXAMPLE}",
        allow_abbrev=False,
    )
    module.configure(parser)
    return parser


def parser_of(name: str) -> ArgumentParser | None:
    """Return the parser of a command; None if there is no such command."""
    group, summary = _listed(name)
    return _parser(name, summary, _module(name)) if group else None


def _refuse_empty(argv: list[str], parser: Parser) -> None:
    """Refuse an empty argument: a variable of a script was empty, and no default is meant."""
    hint = f"Run `{parser.prog} --help`."
    for before, word in pairwise(argv):
        option = word.removesuffix("=") if word else before
        if option == word or option in _MAY_BE_EMPTY:
            continue
        if _OPTION.fullmatch(option):
            raise UsageError("USAGE", f"`{option}` is empty", hint)
        if not word:  # and not the `KEY=` of `--set KEY=`
            raise UsageError("USAGE", "an argument is empty", hint)


def _parsed(parser: Parser, argv: list[str]) -> Namespace:
    """Return the arguments; options may be between those that have no name."""
    try:
        if {"--", "-h", "--help"} & set(argv):  # after `--` there are no options
            return parser.parse_args(argv)
        # NOTE: otherwise argparse composes the usage, for errors that `Parser` raises without it.
        parser.usage = ""
        try:
            return parser.parse_intermixed_args(argv)
        except TypeError:  # the command has commands of its own, each with its own parser
            return parser.parse_args(argv)
    except UnusableError as error:
        from psreg.cli.habits import unusable

        raise unusable(parser, argv, str(error)) from error


def _wants_json(argv: list[str]) -> bool:
    """Return whether the caller wants JSON, before the options are parsed (they may be wrong)."""
    pairs = pairwise(argv)
    return "--format=json" in argv or ("--format", "json") in pairs
