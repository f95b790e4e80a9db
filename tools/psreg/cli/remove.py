"""`psreg remove NAME…`: no longer use prompts in a project."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.project_option import changes, not_in_project, open_session, report
from psreg.client.resolve import parse_requests
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg remove quiz_master"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("names", nargs="+", metavar="NAME", help="what is not used any more")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Remove prompts from psreg.toml, from the lock and from the folder; nothing is fetched."""
    names = tuple(request.name for request in parse_requests(args.names))

    from psreg.client.project.drift import reached
    from psreg.client.project.lockfile import Lock

    outside = "To remove what is installed, run `psreg uninstall NAME`."
    with open_session(args, console, outside=outside) as session:
        listed = session.workspace.manifest().prompts
        before = session.workspace.lock()
        for name in names:
            if name not in listed:
                raise not_in_project("psreg.toml", name, listed, before.prompts)
        data = session.workspace.edited({}, names)
        manifest = session.workspace.read(data)
        needed = reached(manifest, before)
        after = Lock(prompts={n: p for n, p in before.prompts.items() if n in needed})
        prepared = session.removal(manifest, after)
        session.workspace.write_manifest(data)
        session.workspace.write_lock(after)
        prepared.apply()
        report(console, session, changes(before, after), prepared)
    return 0
