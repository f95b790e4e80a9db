"""`psreg list`: the installed prompts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import warn_of_revoked
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.library import Library, Receipt

EXAMPLE = "psreg list --format json"
SCHEMA = "psreg.list/1"
FORMATS = ("cyclonedx", "spdx")
"""The formats of bills of materials."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_output_options(parser, ("text", "json", *FORMATS))


def run(args: Namespace, console: Console) -> int:
    """Print name, version and path of every installed prompt, by name."""
    from psreg.client.library import user_library

    library = user_library(console.warn)
    receipts = library.receipts()
    warn_of_revoked(library, console)
    rows: list[dict[str, Any]] = [
        {
            **receipt.to_json(),
            "path": str(library.path(receipt)),
            "revoked": revoked.to_json() if (revoked := library.withdrawal(receipt)) else None,
        }
        for receipt in receipts
    ]
    for row in rows:
        row.pop("schema")
    for name in library.damaged():
        console.warn(f"psreg: `{name}` is damaged; run `psreg install {name}`")
    if args.format in FORMATS:
        return _bill(args.format, library, receipts, console)
    if console.machine:
        console.json({"schema": SCHEMA, "library": str(library.folder), "installed": rows})
        return 0
    if not rows:
        console.note("nothing is installed; find prompts with `psreg search`")
    console.table((row["name"], f"{row['version']:<8}", row["path"]) for row in rows)
    return 0


def _bill(form: str, library: Library, receipts: Sequence[Receipt], console: Console) -> int:
    """Print a bill of materials, after warnings about files that are not what it says."""
    from psreg import __version__
    from psreg.client.exports.bill_of_materials import bill_of_materials
    from psreg.system import clock

    for receipt in receipts:
        if drift := library.drift(receipt):
            console.warn(f"psreg: warning: {library.path(receipt)}: {drift}")
    console.json(bill_of_materials(form, receipts, version=__version__, now=clock.now()))
    return 0
