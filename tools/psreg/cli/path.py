"""`psreg path NAME[@RANGE]`: print where an installed prompt is, if it is what was installed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.client.library import installed_artifact
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg path socratic_tutor"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME[@RANGE]", help="an installed prompt")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the path; exit 3 if the file was changed, 4 if it is not installed."""
    path, _ = installed_artifact(args.name)
    if console.machine:
        console.json({"schema": "psreg.path/1", "path": str(path)})
    else:
        console.line(str(path))
    return 0
