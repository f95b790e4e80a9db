"""`psreg open NAME[@VERSION]`: open the page of a prompt in the catalogue of its registry."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.registry_option import add_offline_option, add_registry_option, ask_registry
from psreg.client.install import required_record
from psreg.client.resolve import parse_request, pick
from psreg.core.errors import UnavailableError
from psreg.core.version import ANY
from psreg.http.address import is_url
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg open socratic_tutor"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME[@RANGE]", help="a prompt of the registry")
    add_registry_option(parser, "look in this registry")
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the address, and open it; exit 4 if there is no such page."""
    request = parse_request(args.name)
    record, location = ask_registry(
        args,
        console,
        request.name,
        lambda registry: (required_record(request.name, registry), registry.location),
    )
    if not is_url(location):
        told = f"the registry in {location} has no address, so its pages have none"
        raise UnavailableError("NO_PAGE", told, "Run `psreg serve` there, and look for the name.")
    parts = [record.entry_class, record.name]
    if request.range is not ANY and (row := pick(record, request, revoked=True)):
        parts.append(row.version)
    address = f"{location}/{'/'.join(parts)}/"
    opened = _open(address)
    if console.machine:
        console.json({"schema": "psreg.open/1", "address": address, "opened": opened})
    elif not console.quiet:
        console.line(address)
    return 0


def _open(address: str) -> bool:
    import webbrowser

    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
