"""`psreg lock`: write psreg.lock, which says exactly which releases the project uses."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import add_owners_option, changes, open_session, report
from psreg.cli.registry_option import add_registry_option
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg lock --check"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--check", action="store_true", help="only check that psreg.lock fits psreg.toml (exit 1)"
    )
    add_registry_option(parser, "the usual registry of the project")
    add_owners_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the lock; with `--check`, exit 1 if it has to change."""
    from psreg.client.project.drift import check_current
    from psreg.client.project.locking import relocked

    with open_session(args, console, registry=args.registry) as session:
        manifest = session.workspace.manifest()
        if args.check:
            before, data = session.workspace.required_lock()
            ids = session.ids(manifest, before), session.required_ids(before)
            check_current(manifest, before, data, *ids)
            report(console, session, [], None)
            return 0
        before = session.workspace.lock()
        published = session.published(manifest)
        after = relocked(
            manifest,
            before,
            published,
            accept_owners=args.accept_owners,
            elsewhere=before.prompts if args.registry is not None else (),
        )
        session.workspace.write_lock(after)
        report(console, session, changes(before, after), None)
    return 0
