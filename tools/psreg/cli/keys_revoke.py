"""`psreg keys revoke`: the key of an owner was lost or stolen, and signs nothing any more."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace

from psreg.cli.keys_action import Action, Answer, Place
from psreg.cli.maintained_registry import add_reason_option, taken_row
from psreg.core.errors import UsageError
from psreg.system import clock

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}", re.ASCII)


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "key", metavar="FINGERPRINT", help="the SSH key, as `ssh-keygen -l` prints it"
    )
    parser.add_argument(
        "--after",
        type=int,
        metavar="INDEX",
        help="last entry of the log that it may have signed (default: the newest one)",
    )
    parser.add_argument("--undo", action="store_true", help="let the key count again")
    add_reason_option(parser)


def _revoke(args: Namespace, place: Place) -> Answer:
    from psreg.registry.actions.action import LIFT, REVOKE_KEY
    from psreg.registry.withdrawing.taking import key_subject, summary, take

    if not _FINGERPRINT.fullmatch(args.key):
        hint = "Write `SHA256:` and 43 characters, as `ssh-keygen -l` prints it."
        raise UsageError("USAGE", f"`{args.key}` is not the fingerprint of a key", hint)
    if args.undo and args.after is not None:
        raise UsageError("USAGE", "`--undo` and `--after` exclude each other")
    kind = LIFT if args.undo else REVOKE_KEY
    subject = key_subject(args.key, args.after, place.ports, lift=args.undo)
    taken = take(kind, subject, args.reason, clock.now(), place.ports)
    lines = [*summary([taken]), "  next: commit it, and publish"]
    return {"actions": [taken_row(taken)]}, lines


REVOKE = Action(
    name="revoke",
    does="let the SSH key of an owner sign nothing any more",
    example='psreg keys revoke --reason "the laptop was stolen" SHA256:FINGERPRINT',
    configure=_configure,
    act=_revoke,
)
