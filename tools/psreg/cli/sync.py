"""`psreg sync`: bring the lock file and the folder of a project up to date."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import (
    add_overwrite_option,
    add_owners_option,
    changes,
    open_session,
    report,
)
from psreg.cli.registry_option import add_offline_option, add_registry_option
from psreg.core.errors import UnavailableError
from psreg.http.registry_source import UNREACHED
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg sync"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_registry_option(parser, "the usual registry of the project")
    add_offline_option(parser)
    add_overwrite_option(parser)
    add_owners_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Lock what is not locked, then write, replace and remove files."""
    try:
        return _sync(args, console)
    except UnavailableError as error:
        if error.code in UNREACHED and not args.offline:
            hint = "`--offline` takes exactly what is locked, from the cache."
            raise UnavailableError(error.code, error.message, f"{error.hint} {hint}") from error
        raise


def _sync(args: Namespace, console: Console) -> int:
    from psreg.client.project.drift import check_current
    from psreg.client.project.locking import relocked

    with open_session(args, console, registry=args.registry) as session:
        manifest = session.workspace.manifest()
        published = session.published(manifest)
        if args.offline:
            before, data = session.workspace.required_lock()
            ids = session.ids(manifest, before), session.required_ids(before)
            check_current(manifest, before, data, *ids)
            after = before
        else:
            before = session.workspace.lock()
            after = relocked(
                manifest,
                before,
                published,
                accept_owners=args.accept_owners,
                elsewhere=before.prompts if args.registry is not None else (),
            )
        prepared = session.prepared(
            manifest, after, published, fresh=True, offline=args.offline, overwrite=args.overwrite
        )
        exports = session.exports(manifest, prepared, published, overwrite=args.overwrite)
        session.workspace.write_lock(after)
        prepared.apply()
        if exports is not None:
            exports.write()
        report(console, session, changes(before, after), prepared, exports)
    return 0
