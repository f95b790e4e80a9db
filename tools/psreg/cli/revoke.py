"""`psreg revoke NAME@VERSION`: withdraw a release, so that nobody installs it any more.

The key that publishes signs it. `--undo` gives the release back, and needs the signatures of the
people who hold the role `root`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.cli.maintained_registry import add_place_options, maintained, named_release, say_taken
from psreg.core.errors import UsageError
from psreg.system import clock
from psreg.system.console import Console, add_output_options

EXAMPLE = 'psreg revoke --reason "sends answers to a stranger" quiz_master@1.0.1'


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("release", metavar="NAME@VERSION", help="the release")
    parser.add_argument(
        "--quarantine", action="store_true", help="say that it is being investigated"
    )
    parser.add_argument("--undo", action="store_true", help="let the release be installed again")
    add_place_options(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the action into registry/actions."""
    name, version = named_release(args.release)
    if args.undo and args.quarantine:
        raise UsageError("USAGE", "`--undo` ends a quarantine, too", "Leave out `--quarantine`.")
    from psreg.registry.actions.action import LIFT, QUARANTINE, REVOKE
    from psreg.registry.withdrawing.taking import release_subject, take

    kind = LIFT if args.undo else QUARANTINE if args.quarantine else REVOKE
    with maintained(args) as registry:
        subject = release_subject(name, version, registry.ports)
        taken = take(kind, subject, args.reason, clock.now(), registry.ports)
    say_taken(taken, console)
    return 0
