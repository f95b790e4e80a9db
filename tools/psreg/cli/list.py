"""`psreg list`: the installed prompts; as a bill of materials, those that a project has locked."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import warn_of_revoked
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.library import Library, Receipt
    from psreg.client.project.proving import LockedPrompts

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
    if args.format in FORMATS:
        return _bill(args.format, library, console)
    rows: list[dict[str, Any]] = [
        {
            **receipt.to_json(),
            "path": str(library.path(receipt)),
            "revoked": revoked.to_json() if (revoked := library.withdrawal(receipt)) else None,
        }
        for receipt in library.receipts()
    ]
    warn_of_revoked(library, console)
    for row in rows:
        row.pop("schema")
    _warn_of_damaged(library, console)
    if console.machine:
        console.json({"schema": SCHEMA, "library": str(library.folder), "installed": rows})
        return 0
    if not rows:
        console.note("nothing is installed; find prompts with `psreg search`")
    console.table((row["name"], f"{row['version']:<8}", row["path"]) for row in rows)
    return 0


def _warn_of_damaged(library: Library, console: Console) -> None:
    for name in library.damaged():
        console.warn(f"psreg: `{name}` is damaged; run `psreg install {name}`")


def _bill(form: str, library: Library, console: Console) -> int:
    """Print a bill of materials, after warnings about what is not proven to be what it says."""
    from psreg import __version__
    from psreg.client.chain import Chain, Pins
    from psreg.client.exports.bill_of_materials import bill_of_materials
    from psreg.client.project.proving import LockedPrompts
    from psreg.client.registry_choice import load_settings, trust_store
    from psreg.system import clock

    settings, store = load_settings(Path.cwd()), trust_store(console.warn)
    project = LockedPrompts.around(Path.cwd(), settings, store)
    receipts: Sequence[Receipt] = project.receipts() if project else ()
    files: LockedPrompts | Library = project if project and receipts else library
    if files is library:
        receipts = library.receipts()
        _warn_of_damaged(library, console)
    pins, licenses = Pins(store, settings.registries()), {}
    for receipt in receipts:
        chain = Chain(receipt, files, pins)
        if chain.error is not None:
            console.warn(f"psreg: warning: {files.path(receipt)}: {chain.error.message}")
        if chain.row is not None:
            licenses[receipt.release.name] = chain.row.text("license")
    bill = bill_of_materials(form, receipts, licenses, version=__version__, now=clock.now())
    console.json(bill)
    return 0
