"""`psreg uninstall NAME…`: remove installed prompts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.client.resolve import parse_requests
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg uninstall quiz_master"
SCHEMA = "psreg.uninstall/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("names", nargs="+", metavar="NAME", help="prompts to remove")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Remove the prompts; exit 4 and remove nothing if one is not installed."""
    from psreg.client.library import not_installed, user_library

    names = [request.name for request in parse_requests(args.names)]
    library = user_library(console.warn)
    absent = [name for name in names if not library.has(name)]
    if absent:
        raise not_installed(absent, library)
    for name in names:
        library.remove(name)
    for _, warning in library.unmet(dict.fromkeys(names, "")):
        console.warn(f"psreg: warning: {warning}")
    if console.machine:
        console.json({"schema": SCHEMA, "removed": names})
    elif not console.quiet:
        for name in names:
            console.line(f"removed {name}")
    return 0
