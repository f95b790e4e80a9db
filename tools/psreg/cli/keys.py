"""`psreg keys`: who signs what in a registry.

`owners NAME…` signs who owns names, as entry.toml asks. `create HOLDER` makes a key for a person,
`harden HOLDER=KEY…` gives the offline roles to several of them, and `sign` adds the signatures of
the keys on this machine to what waits for them. `psreg publish` makes current what all have signed.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.authoring.bump import entry_called
from psreg.core.errors import TrustError, UsageError
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.user_folders import journal_dir, keys_dir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from psreg.formats.tree import Tree
    from psreg.registry.baseline import Ports
    from psreg.registry.ceremony import Signing
    from psreg.registry.claiming import Claimed

EXAMPLE = "psreg keys owners quiz_master"
SCHEMA = "psreg.keys/1"

_ACTIONS = {
    "owners": ("sign who owns names", "NAME…"),
    "create": ("make a key for a person", "HOLDER"),
    "harden": ("give the offline roles to the holders of keys", "HOLDER=KEY…"),
    "sign": ("add signatures to what waits for them", ""),
}
_HOLDER = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OURS = ("root", "online", "timestamp", "log", "owners")


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    told = "; ".join(f"{action}: {does}" for action, (does, _) in _ACTIONS.items())
    parser.add_argument("action", choices=tuple(_ACTIONS), help=told)
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="owners: names; create, harden: holders of keys"
    )
    parser.add_argument(
        "--threshold", type=int, default=2, metavar="N", help="harden: how many must sign (2)"
    )
    parser.add_argument(
        "--checkout", default=".", metavar="DIR", help="checkout of the registry (.)"
    )
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="the published registry (registry/ of the checkout)"
    )
    parser.add_argument("--yes", action="store_true", help="sign: do not ask")
    add_output_options(parser)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The checkout of a registry, its files and its keys on this machine."""

    tree: Tree
    ports: Ports
    console: Console


def run(args: Namespace, console: Console) -> int:
    """Do one of the actions, and say who must sign what."""
    needed = _ACTIONS[args.action][1]
    if bool(needed) != bool(args.what) or (args.action == "create" and len(args.what) != 1):
        form = f"psreg keys {args.action} {needed}".rstrip()
        raise UsageError("USAGE", f"expected `{form}`")
    from psreg.formats.tree import Tree
    from psreg.git.history import FolderHistory
    from psreg.registry.baseline import Ports
    from psreg.registry.journal import PublishJournal
    from psreg.registry.keystore import KeyStore
    from psreg.registry.store_folder import RegistryFolder

    root = required_checkout(args.checkout)
    registry = Path(args.registry_dir) if args.registry_dir else root / "registry"
    keys = KeyStore(keys_dir())
    for folder in (root, registry):
        keys.keep_out_of(folder)
    history = FolderHistory(registry)
    journal = PublishJournal(journal_dir(), registry, history)
    ports = Ports(store=RegistryFolder(registry), keys=keys, journal=journal, history=history)
    act = {"owners": _owners, "create": _create, "harden": _harden, "sign": _sign}[args.action]
    place = _Place(tree=Tree(read_tree(root)), ports=ports, console=console)
    with journal.lock():
        document, lines = act(args, place)
    if console.machine:
        console.json({"schema": SCHEMA, "names": [], "keys": [], "signing": [], **document})
    elif not console.quiet:
        for line in lines:
            console.line(line)
    return 0


_Answer = tuple[dict[str, Any], "Sequence[str]"]
"""What an action prints: members of a JSON document, and lines."""


def _owners(args: Namespace, place: _Place) -> _Answer:
    from psreg.registry.ceremony import published, signing
    from psreg.registry.claiming import claim_names

    entries = [entry_called(place.tree, name) for name in dict.fromkeys(args.what)]
    found = claim_names(entries, clock.now(), place.ports, place.tree.policy.lifetimes)
    lines = [line for each in found for line in _claim_lines(each)]
    document = {"names": [_claim_row(each) for each in found]}
    if any(each.pending for each in found):
        more, pending = _signing(signing(place.ports.store, published(place.ports)))
        return {**document, **more}, [*lines, *pending]
    return document, lines


def _create(args: Namespace, place: _Place) -> _Answer:
    from psreg.registry.ceremony import published
    from psreg.registry.trust.signing_keys import public_key

    (holder,) = args.what
    _check_holder(holder)
    registry_id = published(place.ports).registry_id
    public = public_key(place.ports.keys.create(registry_id, holder)).hex()
    folder = place.ports.keys.folder(registry_id)
    return {"keys": [{"holder": holder, "key": public}]}, [
        f"{holder}={public}",
        f"  the private key is {folder}/{holder}.pem; back it up, and give it to nobody",
    ]


def _harden(args: Namespace, place: _Place) -> _Answer:
    from psreg.registry.ceremony import harden

    holders: dict[str, bytes] = {}
    for text in args.what:
        holder, _, key = text.partition("=")
        _check_holder(holder)
        if not _KEY.fullmatch(key) or holder in holders:
            hint = "Write each holder once, as `psreg keys create` prints it."
            raise UsageError("USAGE", f"`{text}` is not HOLDER=KEY", hint)
        holders[holder] = bytes.fromhex(key)
    if not 0 < args.threshold <= len(set(holders.values())):
        raise UsageError("USAGE", f"{args.threshold} of {len(holders)} keys cannot sign")
    lifetimes = place.tree.policy.lifetimes
    return _signing(harden(holders, args.threshold, clock.now(), place.ports, lifetimes))


def _sign(args: Namespace, place: _Place) -> _Answer:
    """Sign what waits, after a person has seen it. Raises TrustError NOT_AGREED."""
    from psreg.registry.ceremony import review, sign

    lines = review(place.ports)
    for line in lines:
        place.console.warn(line)
    if lines and not args.yes:
        question = "Type yes to sign all of this with your keys:"
        if not (place.console.can_ask() and place.console.typed_yes(question)):
            raise TrustError(
                "NOT_AGREED",
                "nothing was signed, because nobody agreed to it",
                "Read the lines above, and run it on a terminal, or with `--yes`.",
            )
    return _signing(sign(place.ports))


def _check_holder(holder: str) -> None:
    """Raise UsageError if a text cannot be the name of a person's key."""
    if not _HOLDER.fullmatch(holder) or holder in _OURS:
        hint = "Write lower-case letters, digits and `-`, such as `ana` or `ana-laptop`."
        raise UsageError("USAGE", f"`{holder}` cannot be the name of a key", hint)


def _claim_row(claimed: Claimed) -> dict[str, Any]:
    claim = claimed.claim
    return {
        "name": claim.name,
        "changed": claimed.changed,
        "pending": claimed.pending,
        "threshold": claim.threshold,
        "since": claim.since,
        "owners": [
            {"account": account, "key": key.fingerprint} for key, account in claim.keys.items()
        ],
    }


def _claim_lines(claimed: Claimed) -> list[str]:
    claim = claimed.claim
    if not claimed.changed:
        return [f"{claim.name}: its owners are signed already"]
    keys = [f"  {account} {key.fingerprint}" for key, account in claim.keys.items()]
    needed = "one of them" if claim.threshold == 1 else f"{claim.threshold} of them"
    return [f"{claim.name}: {needed} must sign each release from now on", *keys]


def _signing(found: Sequence[Signing]) -> _Answer:
    rows = [
        {
            "path": f"registry/{each.draft.path}",
            "keys": [
                {"threshold": one.threshold, "signed": [*one.signed], "unsigned": [*one.unsigned]}
                for one in each.progress
            ],
        }
        for each in found
    ]
    return {"signing": rows}, [*_signing_lines(found)]


def _signing_lines(found: Sequence[Signing]) -> Iterator[str]:
    """Yield who must sign what: drafts that the same people sign are on one line."""
    if not found:
        yield "nothing waits for signatures"
        return
    said: dict[str, list[str]] = {}
    for each in found:
        open_ = [one for one in each.progress if one.missing]
        who = "; ".join(f"{one.missing} of {', '.join(sorted(one.unsigned))}" for one in open_)
        said.setdefault(who, []).append(each.draft.role)
    for who, roles in said.items():
        listed = ", ".join(roles[:_LISTED])
        more = f" and {len(roles) - _LISTED} more" if len(roles) > _LISTED else ""
        yield f"{listed}{more}: {f'missing {who}' if who else 'signed'}"
    if any(who for who in said):
        yield "  next: commit registry/signing, and let them run `psreg keys sign`"
    else:
        yield "  next: psreg publish"


_LISTED = 3
"""Roles that a line lists before it counts the rest."""
