"""`psreg uninstall NAME…`: remove installed prompts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.client.resolve import parse_requests
from psreg.core.errors import UnavailableError
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg uninstall quiz_master"
SCHEMA = "psreg.uninstall/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("names", nargs="+", metavar="NAME", help="what to remove")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Remove what is named; exit 4, removing nothing, if one of them is not installed."""
    from psreg.client.library import library

    names = [request.name for request in parse_requests(args.names)]
    shelf = library()
    absent = [name for name in names if not shelf.has(name)]
    if absent:
        raise UnavailableError(
            "NOT_INSTALLED", f"not installed: {', '.join(absent)}", "see 'psreg list'"
        )
    for name in names:
        shelf.remove(name)
    if console.machine:
        console.json({"schema": SCHEMA, "removed": names})
    elif not console.quiet:
        console.line("\n".join(f"removed {name}" for name in names))
    return 0
