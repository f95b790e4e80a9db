"""`psreg list`: the installed prompts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from psreg.cli.registry_option import warn_of_revoked
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg list --format json"
SCHEMA = "psreg.list/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:  # noqa: ARG001 - every command has this form
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
    if console.machine:
        console.json({"schema": SCHEMA, "library": str(library.folder), "installed": rows})
        return 0
    if not rows:
        console.note("nothing is installed; find prompts with `psreg search`")
    console.table((row["name"], f"{row['version']:<8}", row["path"]) for row in rows)
    return 0
