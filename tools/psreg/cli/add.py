"""`psreg add NAME[@RANGE]…`: use prompts in a project."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.project_option import (
    add_overwrite_option,
    add_owners_option,
    changes,
    open_session,
    report,
)
from psreg.cli.registry_option import add_registry_option
from psreg.client.resolve import parse_requests
from psreg.core.errors import UnavailableError
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.project.workspace import Workspace

EXAMPLE = "psreg add quiz_master@^1.2"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME[@RANGE]",
        help="what to use; without a range, what is compatible with the newest version",
    )
    add_registry_option(parser, "use them from this registry, and note that in psreg.toml")
    add_overwrite_option(parser)
    add_owners_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Add prompts to psreg.toml, lock them, and write their files; all or nothing."""
    requests = parse_requests(args.names)

    from psreg.client.project.locking import entries_for, relocked

    with open_session(args, console, workspace=_workspace()) as session:
        before = session.workspace.lock()
        spelled = session.spelled(args.registry) if args.registry is not None else None
        entries = entries_for(requests, session.workspace.manifest(), spelled, session.of_name)
        data = session.workspace.edited(entries)
        manifest = session.workspace.read(data)
        published = session.published(manifest)
        after = relocked(
            manifest,
            before,
            published,
            accept_owners=args.accept_owners,
            elsewhere=entries if args.registry is not None else (),
        )
        prepared = session.prepared(
            manifest, after, published, fresh=False, overwrite=args.overwrite
        )
        session.workspace.write_manifest(data)
        session.workspace.write_lock(after)
        prepared.apply()
        report(console, session, changes(before, after), prepared)
    return 0


def _workspace() -> Workspace:
    """Return the project around the working directory, else a new one in it."""
    from psreg.client.project.workspace import Workspace

    try:
        return Workspace.find(Path.cwd())
    except UnavailableError as error:
        if error.code != "NO_PROJECT" or error.hint.startswith("Make it yours"):
            raise
        return Workspace(Path.cwd())
