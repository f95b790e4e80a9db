"""`psreg install NAME[@RANGE]…`: fetch, verify and keep prompts.

All are verified before any is written.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.options.registry import add_registry_option, open_selected
from psreg.client.resolve import parse_requests
from psreg.core.identity import Format
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.install import Delivery
    from psreg.client.library import Library, Receipt
    from psreg.client.registries import OpenRegistry

EXAMPLE = "psreg install quiz_master@^1.2"
SCHEMA = "psreg.install/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", nargs="+", metavar="NAME[@RANGE]", help="what to install: quiz_master@^1.2"
    )
    add_registry_option(parser, "install from this registry")
    parser.add_argument(
        "--to", metavar="DIR", type=Path, help="write just the files there; nothing is installed"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Install what is named; exit 3 if trust was refused, 4 if something cannot be had."""
    requests = parse_requests(args.names)  # before any request is sent

    from psreg.client.install import deliver
    from psreg.client.library import library

    shelf = library()
    with open_selected(args.registry, console) as registry:
        if registry.mode == "dev":
            console.warn(f"psreg: the registry {registry.location} is in development mode")
        if args.to is not None:
            deliveries = deliver(requests, registry)
            results = [_write(delivery, args.to) for delivery in deliveries]
        else:
            deliveries = deliver(requests, registry, shelf.holds)
            results = [_keep(delivery, shelf, registry) for delivery in deliveries]
    for delivery in deliveries:
        for warning in delivery.choice.warnings:
            console.warn(f"psreg: warning: {warning}")
    _report(results, registry, console)
    return 0


def _keep(delivery: Delivery, shelf: Library, registry: OpenRegistry) -> dict[str, Any]:
    before = shelf.receipt(delivery.choice.release.name)
    receipt = _receipt(delivery, registry)
    if delivery.at_hand:
        return _result(delivery, shelf.path(receipt), "unchanged", None)
    path = shelf.keep(receipt, delivery.data)
    return _result(delivery, path, "installed", before.release.version if before else None)


def _receipt(delivery: Delivery, registry: OpenRegistry) -> Receipt:
    from psreg.client.library import Receipt
    from psreg.system.clock import now

    choice = delivery.choice
    return Receipt(
        release=choice.release,
        sha256=choice.row.sha256,
        size=choice.row.size,
        registry=registry.describe(),
        metadata=registry.versions,
        installed=now().strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _write(delivery: Delivery, folder: Path) -> dict[str, Any]:
    from psreg.system.atomic import cannot_write, write_file

    path = folder.absolute() / delivery.choice.release.filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    write_file(path, delivery.data)
    return _result(delivery, path, "written", None)


def _result(delivery: Delivery, path: Path, status: str, replaced: str | None) -> dict[str, Any]:
    choice = delivery.choice
    return {
        "name": choice.release.name,
        "class": choice.release.entry_class,
        "version": choice.release.version,
        "status": status,
        "replaced": replaced,
        "path": str(path),
        "sha256": choice.row.sha256,
        "size": choice.row.size,
        "warnings": list(choice.warnings),
    }


def _report(results: list[dict[str, Any]], registry: OpenRegistry, console: Console) -> None:
    if console.machine:
        described = {**registry.describe(), "mode": registry.mode}
        console.json({"schema": SCHEMA, "registry": described, "installed": results})
        return
    if console.quiet:
        return
    for result in results:
        name, version = result["name"], result["version"]
        status = "already installed" if result["status"] == "unchanged" else result["status"]
        instead = f" (was {result['replaced']})" if result["replaced"] else ""
        console.line(f"{status} {name} {version}{instead}")
        console.line(f"  {result['path']}")
        console.line(f"  next: {_next_step(result)}")


def _next_step(result: dict[str, Any]) -> str:
    if not result["path"].endswith(Format.PROMPT.suffix):
        return "paste the file into a new conversation with your assistant"
    what = result["path"] if result["status"] == "written" else result["name"]
    return f"psreg render {what}"
