"""`psreg keys owners NAME…`: sign who owns names, as entry.toml asks."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from psreg.authoring.bump import entry_called
from psreg.cli.keys_action import Action, Answer, Place, signing_answer
from psreg.core.errors import UsageError
from psreg.core.ssh_key import SshKey
from psreg.registry.checkout import read_tree
from psreg.system import clock

if TYPE_CHECKING:
    from psreg.registry.keys.claiming import Claimed


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="+", metavar="NAME", help="the names to claim")
    parser.add_argument(
        "--recover",
        action="store_true",
        help="announce that others will own them, because their owners lost their keys; a week "
        "later, the same command without this completes it",
    )
    parser.add_argument("--reason", metavar="TEXT", default="", help="recover: why; it is signed")


def _act(args: Namespace, place: Place) -> Answer:
    from psreg.formats.tree import Tree
    from psreg.registry.ceremony import published, signing
    from psreg.registry.keys.claiming import claim_names

    if args.recover != bool(args.reason.strip()) or not args.reason.isprintable():
        raise UsageError("USAGE", "`--recover` and `--reason TEXT`, one line, belong together")
    tree = Tree(read_tree(place.root))
    entries = [entry_called(tree, name) for name in dict.fromkeys(args.names)]
    found = claim_names(entries, clock.now(), place.ports, place.lifetimes(), args.reason.strip())
    lines = [line for each in found for line in _claim_lines(each)]
    document = {"names": [_claim_row(each) for each in found]}
    if any(each.pending for each in found):
        more, pending = signing_answer(signing(place.ports.store, published(place.ports)))
        return {**document, **more}, [*lines, *pending]
    return document, lines


OWNERS = Action(
    name="owners",
    does="sign who owns names",
    example="psreg keys owners quiz_master",
    configure=_configure,
    act=_act,
)


def _claim_row(claimed: Claimed) -> dict[str, Any]:
    claim = claimed.claim
    return {
        "name": claim.name,
        "changed": claimed.changed,
        "pending": claimed.pending,
        "threshold": claim.threshold,
        "since": claim.since,
        "recovery": None if claim.recovery is None else dict(claim.recovery),
        "owners": [
            {"account": account, "key": key.fingerprint} for key, account in claim.keys.items()
        ],
    }


def _claim_lines(claimed: Claimed) -> list[str]:
    claim = claimed.claim
    if claim.recovery is not None:
        when, owners = claim.recovery["not_before"], claim.recovery["next"]["owners"]
        keys = [f"  {each['account']} {SshKey.parse(each['key']).fingerprint}" for each in owners]
        told = "" if claimed.changed else "it was announced before that "
        return [f"{claim.name}: {told}these own it from {when} on, unless an owner objects", *keys]
    if not claimed.changed:
        return [f"{claim.name}: its owners are signed already"]
    keys = [f"  {account} {key.fingerprint}" for key, account in claim.keys.items()]
    needed = "one of them" if claim.threshold == 1 else f"{claim.threshold} of them"
    return [f"{claim.name}: {needed} must sign each release from now on", *keys]
