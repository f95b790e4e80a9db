"""`psreg diff A B`: compare two versions, and show which version step they require."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from psreg.cli.registry_option import add_offline_option, add_registry_option, ask_registry
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.resolve import Request
    from psreg.client.selection.opened import AnyRegistry
    from psreg.compatibility.diff import Operand

EXAMPLE = "psreg diff quiz_master@1.0.0 quiz_master.pbe.txt"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    what = "a file, a version folder, or NAME@VERSION"
    parser.add_argument("before", metavar="A", help=f"the older version: {what}")
    parser.add_argument("after", metavar="B", help="the newer version: the same")
    parser.add_argument(
        "-p", "--patch", action="store_true", help="add the text diff of the two artifacts"
    )
    add_registry_option(parser, "also look in this registry")
    add_offline_option(parser)
    add_output_options(parser, ("text", "json", "markdown"))


def run(args: Namespace, console: Console) -> int:
    """Print the differences; exit 0 whatever they are, 1 if a file cannot be parsed."""
    from psreg.client.diff_operands import read_operand
    from psreg.compatibility.diff import compare_named
    from psreg.compatibility.diff_report import diff_document, diff_markdown, diff_text

    registry = partial(_registered, args, console)
    diff = compare_named(read_operand(args.before, registry), read_operand(args.after, registry))
    if args.format == "json":
        console.json(diff_document(diff))
    elif args.format == "markdown":
        console.content(diff_markdown(diff))
    else:
        console.out(diff_text(diff, patch=args.patch))
    return 0


def _registered(args: Namespace, console: Console, request: Request) -> Operand:
    """Return a release of the selected registry, with its artifact verified."""
    from psreg.client.artifacts import user_artifacts
    from psreg.client.install import fetch, required_record
    from psreg.client.resolve import Choice, pick, release_id
    from psreg.compatibility.diff import Operand, file_operand

    def ask(registry: AnyRegistry) -> Operand:
        record = required_record(request.name, registry)
        row = pick(record, request)
        registry.check_release(record, row)
        choice = Choice(request=request, release=release_id(record, row), row=row)
        data = fetch(choice, registry, user_artifacts(writable=False))
        found = file_operand(data, choice.release.filename, row.version)
        return Operand(title=f"{request.name}@{row.version}", side=found.side)

    return ask_registry(args, console, request.name, ask)
