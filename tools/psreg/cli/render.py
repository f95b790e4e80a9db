"""`psreg render FILE|NAME[@RANGE]`: fill in a prompt and print the final text, exactly."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.cli.named_prompt import METAVAR, add_source_options, read_prompt
from psreg.client.render import (
    Filled,
    fill,
    quoted,
    unknown_variable,
    values_of_assignments,
    values_of_json,
)
from psreg.core.diagnostics import described
from psreg.core.errors import UsageError
from psreg.formats.dotprompt import MAX_BYTES
from psreg.system.console import Console, OptionAdder, add_output_options
from psreg.system.files import read_named, refuse_existing

EXAMPLE = "psreg render greeting.prompt --set name=Ana"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "what",
        metavar=METAVAR,
        help="a file, - for standard input, an installed prompt, or another",
    )
    add_value_options(parser)
    parser.add_argument(
        "--golden", metavar="FILE", help="also write the values and the text as a golden case"
    )
    add_source_options(parser)
    add_output_options(parser)


def add_value_options(parser: OptionAdder) -> None:
    """Declare what a prompt is filled in with."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a variable; overrides --vars",
    )
    parser.add_argument(
        "--vars",
        metavar="FILE.json",
        help="read values from a JSON object of strings, numbers and booleans",
    )
    parser.add_argument("--squeeze", action="store_true", help="remove the prompt's blank lines")
    parser.add_argument(
        "--allow-missing", action="store_true", help="leave variables without a value as they are"
    )


def run(args: Namespace, console: Console) -> int:
    """Print the text; exit 1 if the prompt cannot be rendered."""
    path, data = _read(args, console)
    found = filled(args, path, data, console)
    shown = found.rendering
    if args.golden:
        _write_golden_case(args, found)
    if console.machine:
        console.json(
            {
                "schema": "psreg.render/1",
                "text": shown.text,
                "missing": list(shown.missing),
                "unknown": list(shown.unknown),
            }
        )
    else:
        console.content(shown.text)
    return 0


def filled(args: Namespace, path: str, data: bytes, console: Console) -> Filled:
    """Return a prompt filled in as the options say, after warnings about what may be a mistake.

    Raises:
        UsageError: a value is not one, or `UNKNOWN_VARIABLE`.
        FindingsError: as `fill`.
    """
    values = values_of_json(read_named(Path(args.vars)), args.vars) if args.vars else {}
    given = values_of_assignments(args.set)
    found = fill(
        data,
        path=path,
        values=values | given,
        squeeze=args.squeeze,
        require_all=not args.allow_missing,
        named=given.keys(),
    )
    if not console.machine:
        _warn(found, console)
    return found


def _read(args: Namespace, console: Console) -> tuple[str, bytes]:
    if args.what == "-":
        return "stdin", sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_prompt(args.what, args, console)


def _write_golden_case(args: Namespace, filled: Filled) -> None:
    """Write the values and the text to the file of a golden case, in `evidence/` if so named.

    Raises:
        UsageError: --squeeze is given; the name of the file has another suffix; `EXISTS`.
        UnavailableError: `CANNOT_WRITE`.
    """
    # Only authors need these, and everyone else waits for what is imported.
    from psreg.formats.golden_case import SUFFIX, written
    from psreg.formats.layout import EVIDENCE
    from psreg.system.atomic import cannot_write, write_file

    if args.squeeze:
        message = "a golden case keeps the blank lines of its prompt"
        raise UsageError("USAGE", message, "Omit --squeeze.")
    if not args.golden.endswith(SUFFIX):
        message = f"--golden `{args.golden}` does not end in `{SUFFIX}`"
        raise UsageError("USAGE", message, f"Write --golden evidence/NAME{SUFFIX}.")
    path = Path(args.golden)
    refuse_existing(path)
    if path.parent.name == EVIDENCE and path.parent.parent.is_dir():
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(path, error) from error
    write_file(path, written(filled.values, filled.rendering.text))


def _warn(filled: Filled, console: Console) -> None:
    """Warn about what did not prevent the rendering but may be a mistake."""
    for flaw in filled.flaws:
        console.warn(f"psreg: warning: {described(flaw)}")
    for name in filled.rendering.unknown:
        console.warn(f"psreg: warning: {unknown_variable(filled.prompt, name)}")
    if filled.rendering.missing:
        console.warn(f"psreg: warning: no value for {quoted(filled.rendering.missing)}")
