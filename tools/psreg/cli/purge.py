"""`psreg purge NAME@VERSION`: remove the bytes of a release for good, such as a secret in it.

The record keeps the version, the digest and the reason. What Git remembers is not touched.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.maintained_registry import add_place_options, maintained, named_release, say_taken
from psreg.system import clock
from psreg.system.console import Console, add_output_options

EXAMPLE = 'psreg purge --reason "contains a private address" quiz_master@1.0.1'


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("release", metavar="NAME@VERSION", help="the release")
    add_place_options(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the action into registry/actions, and remove the folder of the version."""
    name, version = named_release(args.release)
    from psreg.registry.actions.action import PURGE
    from psreg.registry.withdrawing.taking import release_subject, take
    from psreg.system.atomic import cannot_write, delete

    with maintained(args) as registry:
        subject = release_subject(name, version, registry.ports)
        taken = take(PURGE, subject, args.reason, clock.now(), registry.ports)
        folders = sorted(registry.root.glob(f"pbes/*/{name}/{version}"))
        for folder in folders:
            try:
                delete(folder)
            except OSError as error:
                raise cannot_write(folder, error) from error
    removed = tuple(folder.relative_to(registry.root).as_posix() for folder in folders)
    say_taken(taken, console, removed)
    return 0
