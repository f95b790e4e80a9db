"""`psreg man [COMMAND]`: the manual pages, from the same parsers as the command line.

`psreg man install | man -l -` shows one; `psreg man --to ~/.local/share/man` writes all, so that
`man psreg-install` finds them. They are written with the macros of man(7).
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap

from psreg import __version__
from psreg.cli.commands import COMMANDS
from psreg.cli.parsers import actions_of, commands_of, is_place
from psreg.core.errors import UsageError
from psreg.core.spelling import did_you_mean
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg man install | man -l -"
SCHEMA = "psreg.man/1"

_EXIT_CODES = (
    ("0", "success"),
    ("1", "findings at error level, or a difference that was asked for"),
    ("2", "the command line or a settings file is invalid"),
    ("3", "refused by trust or policy"),
    ("4", "not available: I/O, network, not found, a newer format, something not installed"),
    ("42", "a review that needs a human"),
)
_VARIABLES = (
    ("PSREG_REGISTRY", "the registry to use, as with --registry"),
    ("PSREG_HOME", "the folder for settings, installed prompts and keys"),
    ("PSREG_LIBRARY", "the folder for installed prompts"),
    ("NO_COLOR", "if it is set and not empty, no colours"),
    ("FORCE_COLOR", "if it is set and not empty, colours even in a pipe"),
    ("HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE", "how https is reached and checked"),
)


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "command", nargs="*", metavar="COMMAND", help="whose page to print (that of psreg)"
    )
    parser.add_argument(
        "--to", type=Path, metavar="DIR", help="write all pages into man1 of this folder instead"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print one page, or write all of them."""
    if args.to is not None and args.command:
        raise UsageError("USAGE", "`--to` writes all pages: name no command")
    pages = dict(_pages())
    if args.to is not None:
        _write(pages, args.to / "man1", console)
        return 0
    name = "-".join(["psreg", *args.command]) + ".1"
    if name not in pages:
        known = [page.removeprefix("psreg-").removesuffix(".1") for page in pages]
        hint = did_you_mean("-".join(args.command), known).replace("-", " ")
        raise UsageError("USAGE", f"unknown command `{' '.join(args.command)}`", hint)
    if console.machine:
        console.json({"schema": SCHEMA, "pages": {name: pages[name]}})
    else:
        console.out(pages[name])
    return 0


def _write(pages: dict[str, str], folder: Path, console: Console) -> None:
    from psreg.system.atomic import cannot_write, write_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    for name, page in pages.items():
        write_file(folder / name, page.encode())
    if console.machine:
        console.json({"schema": SCHEMA, "pages": pages})
    elif not console.quiet:
        console.line(f"wrote {len(pages)} pages to {folder}")


def _pages() -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of each page."""
    from psreg.cli.main import parser_of

    yield "psreg.1", _page("psreg", "install, check and publish prompts", _overview())
    for _, name, summary in COMMANDS:
        parser = parser_of(name)
        if parser is not None:
            yield from _of_command(f"psreg-{name}", summary, parser)


def _of_command(title: str, summary: str, parser: ArgumentParser) -> Iterator[tuple[str, str]]:
    yield f"{title}.1", _page(title, summary, _sections(title, parser))
    for name, inner in commands_of(parser).items():
        text = (inner.description or name).rstrip(".")
        yield from _of_command(f"{title}-{name}", f"{text[0].lower()}{text[1:]}", inner)


def _page(title: str, summary: str, sections: Iterable[str]) -> str:
    head = [
        f'.TH {_quoted(title.upper())} 1 "" "psreg {__version__}" "psreg"',
        ".SH NAME",
        rf"{_text(title)} \- {_text(summary)}",
    ]
    return "\n".join([*head, *sections]) + "\n"


def _overview() -> Iterator[str]:
    yield from (".SH SYNOPSIS", ".B psreg", r".I COMMAND", r"[\fIOPTION\fR]...")
    last = ""
    for group, name, summary in COMMANDS:
        if group != last:
            yield f".SH {_quoted(f'COMMANDS {group}'.upper())}"
            last = group
        yield from _row(f"psreg-{name}(1)", summary)
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT_CODES:
        yield from _row(code, meaning)
    yield ".SH ENVIRONMENT"
    for variable, meaning in _VARIABLES:
        yield from _row(variable, meaning)


def _sections(title: str, parser: ArgumentParser) -> Iterator[str]:
    usage = " ".join(parser.format_usage().split()).removeprefix(f"usage: {parser.prog} ")
    yield from (".SH SYNOPSIS", f".B {_text(parser.prog)}", *_lines(usage))
    yield from (".SH DESCRIPTION", *_lines(parser.description or ""))
    shown = actions_of(parser)
    places = [each for each in shown if is_place(each)]
    for heading, actions in (
        ("ARGUMENTS", places),
        ("OPTIONS", [each for each in shown if each.option_strings]),
    ):
        yield from [f".SH {heading}"] if actions else []
        for action in actions:
            yield from _row(_invocation(action), action.help or "")
    inner = commands_of(parser)
    example = (parser.epilog or "").removeprefix("example:").strip()
    yield from (".SH EXAMPLE", ".EX", *map(_text, example.splitlines()), ".EE")
    yield ".SH SEE ALSO"
    pages = ["psreg(1)", *(f"{title}-{name}(1)" for name in inner)]
    yield from _lines(", ".join(pages))


def _invocation(action: Action) -> str:
    """Return an option as it is typed, or the name of an argument."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices and not metavar:
        metavar = "|".join(map(str, action.choices))
    if not action.option_strings:
        return metavar or action.dest
    value = metavar or action.dest.upper()
    options = ", ".join(action.option_strings)
    return options if action.nargs == 0 else f"{options} {value}"


def _row(term: str, meaning: str) -> tuple[str, ...]:
    return (".TP", f".B {_quoted(term)}", *_lines(f"{meaning[:1].upper()}{meaning[1:]}."))


def _lines(text: str) -> list[str]:
    """Return text as lines that are not long to read in the source."""
    return [_text(line) for line in wrap(text, 60, break_on_hyphens=False)]


def _quoted(text: str) -> str:
    """Return text as the argument of a macro."""
    return '"' + _text(text).replace('"', '""') + '"'


def _text(text: str) -> str:
    """Return text as roff shows it, on one line, which does not begin a request."""
    plain = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain
