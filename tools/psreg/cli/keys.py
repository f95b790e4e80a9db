"""`psreg keys owners NAME…`: sign who owns a name, so that only its owners can release it.

entry.toml asks for it, and the key `owners.pem` signs it. That key is needed for nothing else, and
can be kept away from the machine that publishes.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.authoring.bump import entry_called
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.user_folders import journal_dir, keys_dir

if TYPE_CHECKING:
    from psreg.registry.claiming import Claimed

EXAMPLE = "psreg keys owners quiz_master"
SCHEMA = "psreg.keys/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", choices=("owners",), help="owners: sign who owns names")
    parser.add_argument("names", nargs="+", metavar="NAME", help="names whose entry.toml is signed")
    parser.add_argument(
        "--checkout", default=".", metavar="DIR", help="checkout of the registry (.)"
    )
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="the published registry (registry/ of the checkout)"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Sign the owners of the names, and say what that accepts and requires."""
    from psreg.formats.tree import Tree
    from psreg.git.history import FolderHistory
    from psreg.registry.baseline import Ports
    from psreg.registry.claiming import claim_names
    from psreg.registry.journal import PublishJournal
    from psreg.registry.keystore import KeyStore
    from psreg.registry.store_folder import RegistryFolder

    root = required_checkout(args.checkout)
    registry = Path(args.registry_dir) if args.registry_dir else root / "registry"
    keys = KeyStore(keys_dir())
    for place in (root, registry):
        keys.keep_out_of(place)
    history = FolderHistory(registry)
    journal = PublishJournal(journal_dir(), registry, history)
    ports = Ports(store=RegistryFolder(registry), keys=keys, journal=journal, history=history)
    tree = Tree(read_tree(root))
    entries = [entry_called(tree, name) for name in dict.fromkeys(args.names)]
    with journal.lock():
        found = claim_names(entries, clock.now(), ports, tree.policy.lifetimes)
    if console.machine:
        console.json({"schema": SCHEMA, "names": [_row(each) for each in found]})
    elif not console.quiet:
        for each in found:
            for line in _lines(each):
                console.line(line)
    return 0


def _row(claimed: Claimed) -> dict[str, Any]:
    claim = claimed.claim
    return {
        "name": claim.name,
        "changed": claimed.changed,
        "threshold": claim.threshold,
        "since": claim.since,
        "owners": [
            {"account": account, "key": key.fingerprint} for key, account in claim.keys.items()
        ],
    }


def _lines(claimed: Claimed) -> list[str]:
    claim = claimed.claim
    if not claimed.changed:
        return [f"{claim.name}: its owners are signed already"]
    keys = [f"  {account} {key.fingerprint}" for key, account in claim.keys.items()]
    needed = "one of them" if claim.threshold == 1 else f"{claim.threshold} of them"
    return [
        f"{claim.name}: {needed} must sign each release from now on",
        *keys,
    ]
