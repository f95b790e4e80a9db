"""`psreg path NAME[@RANGE]`: print where a prompt is, if it is what was locked or installed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.cli.named_prompt import kept_prompt
from psreg.core.errors import UnavailableError
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg path socratic_tutor"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME[@RANGE]", help="a locked or installed prompt")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the path; exit 3 if the file was changed, 4 if it is not there."""
    path = kept_prompt(args.name, console).path
    if not Path(path).is_file():
        raise UnavailableError("NOT_INSTALLED", f"{path} does not exist", "Run `psreg sync`.")
    if console.machine:
        console.json({"schema": "psreg.path/1", "path": path})
    else:
        console.line(path)
    return 0
