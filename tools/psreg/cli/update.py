"""`psreg update [NAME…]`: lock newer releases, after showing what they change."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from psreg.cli.project_option import (
    add_overwrite_option,
    add_owners_option,
    files_of,
    not_in_project,
    open_session,
    show_changes,
)
from psreg.cli.registry_option import add_registry_option
from psreg.client.resolve import parse_requests
from psreg.core.errors import UsageError
from psreg.core.version import is_version
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.project.session import Prepared
    from psreg.client.project.updating import Change

EXAMPLE = "psreg update --dry-run"
SCHEMA = "psreg.update/1"
_OUTSIDE = "Run `psreg outdated` to see what is newer than installed, and `psreg install NAME`."


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="what to update (default: everything locked)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only show what would change; write nothing"
    )
    parser.add_argument(
        "--precise", metavar="VERSION", help="update one NAME to exactly this version"
    )
    add_registry_option(parser, "the usual registry of the project")
    add_overwrite_option(parser)
    add_owners_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Show what changes, then write the lock and the files."""
    names = [request.name for request in parse_requests(args.names)]
    if args.precise is not None and (len(names) != 1 or not is_version(args.precise)):
        raise UsageError("USAGE", "`--precise` takes a version such as 1.2.0, and one NAME")
    precise = {names[0]: args.precise} if args.precise is not None else None

    from psreg.client.project.locking import relocked
    from psreg.client.project.updating import changes_between

    with open_session(args, console, registry=args.registry, outside=_OUTSIDE) as session:
        manifest, before = session.workspace.manifest(), session.workspace.lock()
        for name in names:
            if name not in before.prompts:
                raise not_in_project("psreg.lock", name, before.prompts)
        published = session.published(manifest)
        after = relocked(
            manifest,
            before,
            published,
            update=names or before.prompts,
            precise=precise,
            accept_owners=args.accept_owners,
            elsewhere=before.prompts if args.registry is not None else names,
        )
        found = [*changes_between(before, after, published, session.content(published))]
        prepared = session.prepared(
            manifest, after, published, fresh=True, overwrite=args.overwrite or args.dry_run
        )
        show_changes(found, console)
        if not args.dry_run:
            session.workspace.write_lock(after)
            prepared.apply()
        _report(args, found, prepared, console)
    return 0


def _report(args: Namespace, found: list[Change], prepared: Prepared, console: Console) -> None:
    from psreg.client.project.updating import to_json

    for warning in prepared.warnings:
        console.warn(f"psreg: warning: {warning}")
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "dry_run": args.dry_run,
                "changes": [to_json(change) for change in found],
                "files": files_of(prepared),
                "warnings": [*prepared.warnings],
            }
        )
    elif not console.quiet:
        if not found:
            console.line("everything is as new as psreg.toml allows")
        elif args.dry_run:
            console.line("nothing was written, because of `--dry-run`")
