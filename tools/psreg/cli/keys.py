"""`psreg keys`: who signs what in a registry.

Each action is a row of a table, with its options and what it does; the modules `keys_…` have them.
`psreg publish` makes current what all have signed.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from psreg.cli.keys_action import SCHEMA, Action, Place
from psreg.cli.keys_changes import ADD, MOVE, REMOVE, ROTATE
from psreg.cli.keys_holders import CREATE, HARDEN, RENEW, SIGN
from psreg.cli.keys_owners import OWNERS
from psreg.cli.keys_revoke import REVOKE
from psreg.registry.checkout import required_checkout
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLE = "psreg keys owners quiz_master"

_ACTIONS: Mapping[str, Action] = {
    each.name: each
    for each in (OWNERS, CREATE, HARDEN, SIGN, RENEW, ROTATE, ADD, REMOVE, REVOKE, MOVE)
}


def configure(parser: ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS))
    for each in _ACTIONS.values():
        one = actions.add_parser(
            each.name,
            help=each.does,
            description=f"{each.does[0].upper()}{each.does[1:]}.",
            epilog=f"example:\n  {each.example}",
            allow_abbrev=False,
        )
        each.configure(one)
        one.add_argument(
            "--checkout", default=".", metavar="DIR", help="checkout of the registry (.)"
        )
        one.add_argument(
            "--registry-dir",
            metavar="DIR",
            help="the published registry (registry/ of the checkout)",
        )
        add_output_options(one)


def run(args: Namespace, console: Console) -> int:
    """Do one of the actions, and say who must sign what."""
    from psreg.cli.signing_ports import signing_ports

    root = required_checkout(args.checkout)
    ports, journal = signing_ports(root, args.registry_dir)
    with journal.lock():
        document, lines = _ACTIONS[args.action].act(
            args, Place(root=root, ports=ports, console=console)
        )
    if console.machine:
        members = ("names", "keys", "signing", "actions")
        console.json({"schema": SCHEMA, **{each: [] for each in members}, **document})
    elif not console.quiet:
        for line in lines:
            console.line(line)
    return 0
