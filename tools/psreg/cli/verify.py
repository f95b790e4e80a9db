"""`psreg verify [NAME…]`: are the installed files still what was signed?

Every file is compared with its receipt. Where the registry it came from is the one that is set,
and answers, the receipt is compared with the registry's signed record, too; what was compared is
said. Exit 1 means drift; exit 3, as everywhere, that the registry's signatures were refused.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from psreg.cli.options.registry import add_registry_option, open_selected
from psreg.client.resolve import parse_requests
from psreg.core.errors import UnavailableError
from psreg.registry.record_reading import read_record
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.library import Library, Receipt
    from psreg.client.registries import OpenRegistry

EXAMPLE = "psreg verify quiz_master"
SCHEMA = "psreg.verify/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="which (default: all installed)")
    add_registry_option(parser, "compare with this registry")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Compare installed files with receipts and signed records; exit 1 on any difference."""
    names = [request.name for request in parse_requests(args.names)]

    from psreg.client.library import library

    shelf = library()
    receipts = _receipts(shelf, names)
    with ExitStack() as stack:
        registry = _registry(args.registry, console, stack) if receipts else None
        rows = [_row(receipt, shelf, registry) for receipt in receipts]
    if console.machine:
        console.json({"schema": SCHEMA, "checked": len(rows), "results": rows})
    else:
        _print(rows, console)
    return int(any(row["problem"] for row in rows))


def _receipts(shelf: Library, names: list[str]) -> list[Receipt]:
    if not names:
        return list(shelf.receipts())
    found = {name: shelf.receipt(name) for name in names}
    absent = [name for name, receipt in found.items() if receipt is None]
    if absent:
        raise UnavailableError(
            "NOT_INSTALLED", f"not installed: {', '.join(absent)}", "see 'psreg list'"
        )
    return [receipt for receipt in found.values() if receipt is not None]


def _registry(option: str | None, console: Console, stack: ExitStack) -> OpenRegistry | None:
    """Return the registry, or None with a line saying why it has no part in this."""
    try:
        registry = stack.enter_context(open_selected(option, console))
        registry.mode  # noqa: B018 - reads and verifies the metadata in force
    except UnavailableError as error:
        if option is not None:
            raise
        console.note(f"psreg: compared with receipts only: {error.message}")
        return None
    return registry


def _row(receipt: Receipt, shelf: Library, registry: OpenRegistry | None) -> dict[str, Any]:
    compared = ["receipt"]
    problem, note = shelf.drift(receipt), None
    if registry is not None and receipt.registry["id"] == registry.id:
        compared.append("registry")
        stated, note = _stated(receipt, registry)
        problem = problem or stated
    return {
        "name": receipt.release.name,
        "version": receipt.release.version,
        "path": str(shelf.path(receipt)),
        "compared": compared,
        "problem": problem,
        "note": note,
    }


def _stated(receipt: Receipt, registry: OpenRegistry) -> tuple[str | None, str | None]:
    """Return what is wrong with `receipt` by the registry's record, and what else it says."""
    release = receipt.release
    data = registry.record(release.name)
    row = read_record(data, release.name).release(release.version) if data else None
    if row is None:
        return f"the registry has no {release.name} {release.version}", None
    if row.sha256 != receipt.sha256:
        return f"the registry's record has SHA-256 {row.sha256}", None
    return None, f"withdrawn: {row.yanked}" if row.yanked is not None else None


def _print(rows: list[dict[str, Any]], console: Console) -> None:
    if not rows:
        console.note("nothing is installed")
    for row in rows:
        if row["problem"] or not console.quiet:
            said = row["problem"] or f"ok ({' and '.join(row['compared'])})"
            more = f"; {row['note']}" if row["note"] else ""
            console.line(f"{row['name']} {row['version']}: {said}{more}")
