"""`psreg registry add|list|remove`: which registries this person trusts."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.trust_store import Anchor

EXAMPLE = "psreg registry add https://prompts.example.org --root-sha256 HEX"
SCHEMA = "psreg.registry/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", choices=("add", "list", "remove"), help="what to do")
    parser.add_argument(
        "what", nargs="?", metavar="URL|PATH|NAME", help="add: where it is; remove: its name"
    )
    parser.add_argument(
        "--root-sha256", metavar="HEX", help="the digest of 1.root.json its keepers published"
    )
    parser.add_argument("--name", help="what to call it (default: from its address)")
    parser.add_argument(
        "--forget",
        action="store_true",
        help="remove: forget its root and versions, too (NAME may be a registry id)",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Add, list or remove registries in the user's settings."""
    if (args.action == "list") == (args.what is not None):
        form = {"add": "add URL|PATH", "list": "list", "remove": "remove NAME"}[args.action]
        raise UsageError("USAGE", f"the form is 'psreg registry {form}'")
    return {"add": _add, "list": _list, "remove": _remove}[args.action](args, console)


def _list(_args: Namespace, console: Console) -> int:
    from psreg.client.registries import load_settings

    settings = load_settings(Path.cwd())
    default = settings.default()
    rows = [
        {
            "name": remote.name,
            "url": remote.location,
            "root_sha256": remote.root_sha256,
            "default": default is not None and default.location == remote.location,
            "file": str(remote.file),
        }
        for remote in settings.remotes()
    ]
    if console.machine:
        console.json({"schema": SCHEMA, "registries": rows})
        return 0
    if not rows:
        console.note("no registry was added; see 'psreg registry --help'")
    for row in rows:
        console.line(f"{'*' if row['default'] else ' '} {row['name']}  {row['url']}")
    return 0


def _add(args: Namespace, console: Console) -> int:
    from psreg.client import config, config_edit, registries
    from psreg.http.address import is_url, normal_location

    pin = args.root_sha256.lower() if args.root_sha256 else None
    location = normal_location(args.what)
    name = args.name or _name_of(location)
    if not config.is_remote_name(name) or (pin is not None and not config.is_sha256(pin)):
        wrong = f"the name {name!r}" if pin is None or config.is_sha256(pin) else "--root-sha256"
        raise UsageError("USAGE", f"{wrong} is not of the form it must have")
    settings = registries.load_settings(Path.cwd())
    settings.check_lock("registries", by="psreg registry add")
    store = registries.trust_store()
    with closing(registries.open_source(location)) as source:
        anchor = store.anchor(registries.first_root(source, store))
    registries.check_pin(anchor, pin)
    if pin is None and is_url(location):
        _ask(anchor, location, console)
    store.keep(anchor)
    default = config_edit.set_remote(
        registries.user_config(), name=name, location=location, root_sha256=anchor.sha256
    )
    if console.machine:
        row = {"name": name, "url": location, "root_sha256": anchor.sha256, "default": default}
        console.json({"schema": SCHEMA, "added": {**row, "id": anchor.id, "mode": anchor.mode}})
    elif not console.quiet:
        console.line(f"added {name}: {location}")
        console.line(f"  root {anchor.sha256}")
        console.line("  next: psreg search" + ("" if default else f" --registry {name}"))
    return 0


def _ask(anchor: Anchor, location: str, console: Console) -> None:
    """Return once a person typed `yes`; anything else, or nobody there to type, refuses."""
    from psreg.client.config import Wanted
    from psreg.client.registries import unpinned

    refusal = unpinned(anchor, Wanted(location=location, origin="psreg registry add"))
    if console.machine or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise refusal
    console.warn(f"The registry {location} shows the root\n  {anchor.sha256}")
    console.warn("Compare it with the digest its keepers published. Type yes to trust it:")
    if sys.stdin.readline().strip() != "yes":
        raise TrustError(refusal.code, "the registry was not trusted", refusal.hint)


def _remove(args: Namespace, console: Console) -> int:
    from psreg.client import config_edit, registries

    settings = registries.load_settings(Path.cwd())
    remote = next((r for r in settings.remotes() if r.name == args.what), None)
    store = registries.trust_store()
    removed = config_edit.drop_remote(registries.user_config(), args.what)
    forgotten = False
    if args.forget:
        anchor = store.find(remote.root_sha256) if remote and remote.root_sha256 else None
        forgotten = store.forget(anchor.id if anchor else args.what)
    if not (removed or forgotten):
        where = f"; {remote.file} sets it" if remote else ""
        raise UnavailableError(
            "UNKNOWN_REGISTRY", f"your settings have no registry named {args.what!r}{where}"
        )
    if console.machine:
        console.json({"schema": SCHEMA, "removed": args.what, "forgotten": forgotten})
    elif not console.quiet:
        console.line(f"removed {args.what}")
    return 0


def _name_of(location: str) -> str:
    """Return a name for a registry: the host of a URL, or the last folder of a path."""
    from urllib.parse import urlsplit

    text = (urlsplit(location).hostname if "://" in location else Path(location).name) or ""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text.lower())
    return kept.strip("._-") or "registry"
