"""`psreg verify [NAME…]`: check that installed files are still what was signed.

Every file is compared with its receipt. If it came from the selected registry, and that can be
reached, the receipt is also compared with the registry's signed record; the output says what was
compared. Exit 1 means drift; exit 3, as everywhere, that the registry's signatures were refused.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import add_registry_option, open_selected
from psreg.client.resolve import parse_requests
from psreg.core.errors import UnavailableError
from psreg.registry.records import read_record
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.library import Library, Receipt
    from psreg.client.open_registry import OpenRegistry

EXAMPLE = "psreg verify quiz_master"
SCHEMA = "psreg.verify/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="prompts to check (default: all installed)"
    )
    add_registry_option(parser, "compare with this registry")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Compare installed files with receipts and signed records; exit 1 on any difference."""
    names = [request.name for request in parse_requests(args.names)]

    from psreg.client.library import user_library

    library = user_library()
    damaged = [name for name in library.damaged() if not names or name in names]
    receipts = _receipts(library, names, damaged)
    with ExitStack() as stack:
        registry = _registry(args.registry, console, stack) if receipts else None
        rows = [_row(receipt, library, registry) for receipt in receipts]
    rows += [_damaged(name, library) for name in damaged]
    rows.sort(key=lambda row: str(row["name"]))
    if console.machine:
        console.json({"schema": SCHEMA, "checked": len(rows), "results": rows})
    else:
        _print(rows, console)
    return int(any(row["problem"] for row in rows))


def _receipts(library: Library, names: list[str], damaged: list[str]) -> list[Receipt]:
    if not names:
        return list(library.receipts())
    found = {name: library.receipt(name) for name in names if name not in damaged}
    absent = [name for name, receipt in found.items() if receipt is None]
    if absent:
        raise UnavailableError(
            "NOT_INSTALLED",
            f"not installed: {', '.join(absent)}",
            "Run `psreg list` to see what is.",
        )
    return [receipt for receipt in found.values() if receipt is not None]


def _registry(option: str | None, console: Console, stack: ExitStack) -> OpenRegistry | None:
    """Return the registry, or None after a line that says why it is not available."""
    try:
        registry = stack.enter_context(open_selected(option, console))
        registry.mode  # noqa: B018 - reads and verifies the metadata in force
    except UnavailableError as error:
        if option is not None:
            raise
        console.note(f"psreg: compared with receipts only: {error.message}")
        return None
    return registry


def _row(receipt: Receipt, library: Library, registry: OpenRegistry | None) -> dict[str, Any]:
    compared = ["receipt"]
    problem, note = library.drift(receipt), None
    if registry is not None and receipt.registry["id"] == registry.id:
        compared.append("registry")
        stated, note = _stated(receipt, registry)
        problem = problem or stated
    return {
        "name": receipt.release.name,
        "version": receipt.release.version,
        "path": str(library.path(receipt)),
        "compared": compared,
        "problem": problem,
        "note": note,
    }


def _damaged(name: str, library: Library) -> dict[str, Any]:
    """Return the row of a name of which there is something, but no usable receipt."""
    return {
        "name": name,
        "version": "",
        "path": str(library.folder / name),
        "compared": [],
        "problem": "there is no usable receipt; install it again",
        "note": None,
    }


def _stated(receipt: Receipt, registry: OpenRegistry) -> tuple[str | None, str | None]:
    """Return how `receipt` differs from the registry's record, and a note from the record."""
    release = receipt.release
    data = registry.record(release.name)
    row = read_record(data, release.name).release(release.version) if data else None
    if row is None:
        return f"the registry has no {release.name} {release.version}", None
    if row.sha256 != receipt.sha256:
        return f"the registry's record has SHA-256 {row.sha256}", None
    return None, f"yanked: {row.yanked}" if row.yanked is not None else None


def _print(rows: list[dict[str, Any]], console: Console) -> None:
    if not rows:
        console.note("nothing is installed")
    for row in rows:
        if row["problem"] or not console.quiet:
            said = row["problem"] or f"ok ({' and '.join(row['compared'])})"
            more = f"; {row['note']}" if row["note"] else ""
            title = f"{row['name']} {row['version']}".rstrip()
            console.line(f"{title}: {said}{more}")
