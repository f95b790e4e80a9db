"""`psreg outdated`: show which locked releases have newer ones."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import open_session
from psreg.cli.registry_option import add_registry_option
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg outdated"
SCHEMA = "psreg.outdated/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--exit-code", action="store_true", help="exit 1 if something is outdated")
    add_registry_option(parser, "the usual registry of the project")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print current, wanted and latest version of what is outdated; nothing is written."""
    from psreg.client.project.updating import outdated

    with open_session(args, console, registry=args.registry) as session:
        manifest = session.workspace.manifest()
        lock, _ = session.workspace.required_lock()
        rows = [*outdated(manifest, lock, session.published(manifest))]
    if console.machine:
        console.json({"schema": SCHEMA, "checked": len(lock.prompts), "outdated": rows})
    elif rows:
        heads = ("name", "current", "wanted", "latest")
        table = [heads, *(tuple(row[key] or "-" for key in heads) for row in rows)]
        widths = [max(len(line[at]) for line in table) for at in range(len(heads))]
        for line in table:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            console.line("  ".join(cells).rstrip())
    elif not console.quiet:
        console.line("everything is up to date")
    return 1 if rows and args.exit_code else 0
