"""`psreg registry add|list|remove|move`: the registries that the user trusts."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.system import user_folders
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.trust_store import Anchor
    from psreg.system.credentials import Access

EXAMPLE = "psreg registry add https://prompts.example.org --root-sha256 HEX"
SCHEMA = "psreg.registry/1"


_ACCESS = (
    ("--token-env", "VARIABLE", "log in with a bearer token that is in a variable"),
    ("--credential-command", "COMMAND", "log in with the token that a command prints"),
    ("--ca-bundle", "FILE", "trust these authorities instead of those of the system"),
    ("--client-certificate", "FILE", "show this certificate, in PEM"),
    ("--client-key", "FILE", "its private key, if that is in another file"),
)


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", choices=("add", "list", "remove", "move"), help="what to do")
    parser.add_argument(
        "what",
        nargs="?",
        metavar="URL|PATH|NAME",
        help="add: its address or folder; remove and move: its name",
    )
    parser.add_argument(
        "--root-sha256",
        metavar="HEX",
        help="digest of 1.root.json, as published by the maintainers",
    )
    _add_options(parser)
    parser.add_argument("--name", help="name in your settings (default: from its address)")
    parser.add_argument(
        "--forget",
        action="store_true",
        help="remove: also delete its root and state (NAME may be a registry id)",
    )
    parser.add_argument(
        "--keep-login",
        action="store_true",
        help="move: log in at the new address as at the former one",
    )
    add_output_options(parser)


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--witness",
        action="append",
        default=[],
        metavar="KEY",
        help="add: key of a witness that must have cosigned its log; give several times for more",
    )
    parser.add_argument(
        "--witness-threshold",
        type=int,
        metavar="N",
        help="add: how many of the witnesses must have (default: all)",
    )
    parser.add_argument(
        "--header-env",
        action="append",
        default=[],
        metavar="HEADER=VARIABLE",
        help="add: send a header whose value is in a variable, to log in; repeat for more",
    )
    for option, metavar, text in _ACCESS:
        parser.add_argument(option, default="", metavar=metavar, help=f"add: {text}")
    parser.add_argument(
        "--netrc", action="store_true", help="add: log in with what ~/.netrc has for its host"
    )
    parser.add_argument(
        "--names",
        action="append",
        default=[],
        metavar="PATTERN",
        help="add: ask it for these names only, and no other registry for them: acme_*; repeat "
        "for more",
    )


def run(args: Namespace, console: Console) -> int:
    """Add, list or remove registries in the user's settings."""
    if (args.action == "list") == (args.what is not None):
        form = {"add": "add URL|PATH", "list": "list"}.get(args.action, f"{args.action} NAME")
        raise UsageError("USAGE", f"expected `psreg registry {form}`")
    actions = {"add": _add, "list": _list, "remove": _remove, "move": _move}
    return actions[args.action](args, console)


def _list(_args: Namespace, console: Console) -> int:
    from psreg.client.registry_choice import load_settings

    settings = load_settings(Path.cwd())
    default = settings.default()
    rows: list[dict[str, Any]] = [
        {
            "name": registry.name,
            "url": registry.location,
            "root_sha256": registry.root_sha256,
            "witnesses": [*registry.witnesses],
            "witness_threshold": registry.threshold,
            "names": [*registry.names],
            "default": default is not None and default.location == registry.location,
            "file": str(registry.file),
        }
        for registry in settings.registries()
    ]
    if console.machine:
        console.json({"schema": SCHEMA, "registries": rows})
        return 0
    if not rows:
        console.note("your settings have no registry; add one with `psreg registry add URL`")
    console.table(
        (f"{'*' if row['default'] else ' '} {row['name']}", _listed(str(row["url"]), row["names"]))
        for row in rows
    )
    return 0


def _listed(url: str, names: Sequence[str]) -> str:
    return f"{url} for {', '.join(names)}" if names else url


def _address(text: str) -> str:
    """Return a location as it is meant: a host without a scheme is one behind https."""
    host = re.fullmatch(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?(?:/\S*)?", text, re.ASCII)
    return f"https://{text}" if host and not Path(text).exists() else text


def _add(args: Namespace, console: Console) -> int:
    from psreg.client.registry_choice import (
        check_pin,
        first_root,
        load_settings,
        open_source,
        trust_store,
    )
    from psreg.client.settings.editing import add_registry
    from psreg.http.address import is_url, normal_location

    pin = args.root_sha256.lower() if args.root_sha256 else None
    location = normal_location(_address(args.what))
    name = args.name or _name_of(location)
    _check_options(args, name, pin)
    settings = load_settings(Path.cwd())
    access = _access(args) or _known_access(settings, location)
    settings.check_lock("registries", by="psreg registry add")
    store = trust_store(lambda text: console.warn(f"psreg: {text}"))
    with closing(open_source(location, access=access)) as source:
        anchor = store.anchor(first_root(source, store))
    check_pin(anchor, pin)
    if pin is None and is_url(location):
        _ask(anchor, location, console)
    store.add(anchor)
    default = add_registry(
        user_folders.user_config_file(),
        name=name,
        location=location,
        root_sha256=anchor.sha256,
        witnesses=args.witness,
        threshold=args.witness_threshold,
        access=access,
        names=args.names,
    )
    row = {"name": name, "url": location, "root_sha256": anchor.sha256, "default": default}
    _told({**row, "id": anchor.id, "mode": anchor.mode}, console)
    return 0


def _told(added: Mapping[str, Any], console: Console) -> None:
    if console.machine:
        console.json({"schema": SCHEMA, "added": added})
    elif not console.quiet:
        console.line(f"added {added['name']}: {added['url']}")
        console.line(f"  root {added['root_sha256']}")
        option = "" if added["default"] else f" --registry {added['name']}"
        console.line(f"  next: psreg search{option}")


def _check_options(args: Namespace, name: str, pin: str | None) -> None:
    """Check what the options say, before anything is asked. Raises UsageError."""
    from psreg.client import config
    from psreg.core.identity import is_name_pattern
    from psreg.registry.log.checkpoint import Witnesses

    if pin is not None and not config.is_sha256(pin):
        raise UsageError("USAGE", "--root-sha256 must be 64 hexadecimal digits")
    if not config.is_registry_name(name):
        hint = "Use lower-case letters, digits, `.`, `_` and `-`."
        raise UsageError("USAGE", f"`{name}` is not a valid name for a registry", hint)
    for pattern in args.names:
        if not is_name_pattern(pattern):
            raise UsageError("USAGE", f"`--names {pattern}` is neither a name nor such as `acme_*`")
    threshold = args.witness_threshold
    if threshold is not None and not args.witness:
        raise UsageError("USAGE", "`--witness-threshold` counts witnesses; name them")
    try:
        Witnesses.parse(args.witness, len(args.witness) if threshold is None else threshold)
    except ValueError as error:
        raise UsageError("USAGE", f"invalid `--witness`: {error}") from error


def _access(args: Namespace) -> Access | None:
    """Return what options say of how it is reached. Raises UsageError, without any value."""
    from psreg.system.credentials import KEYS, Access

    values = {key: getattr(args, key) for key in KEYS}
    values["header_env"] = dict(text.partition("=")[::2] for text in args.header_env)
    values["credential_command"] = shlex.split(args.credential_command)
    try:
        return Access.of(values, Path.cwd())
    except ValueError as error:
        hint = "Write `--header-env Authorization=VARIABLE`, with the name of a variable."
        named = str(error).startswith("an invalid `header_env`")
        told = "invalid `--header-env`" if named else f"the options have {error}"
        raise UsageError("USAGE", told, hint if named else "") from error


def _known_access(settings: Settings, location: str) -> Access | None:
    """Return what the settings say of a registry that is added again."""
    same = (each for each in settings.registries() if each.location == location)
    return next((each.access for each in same), None)


def _ask(anchor: Anchor, location: str, console: Console) -> None:
    """Return after the user typed `yes`; raise if not, or if there is no terminal."""
    from psreg.client.config import SelectedRegistry
    from psreg.client.registry_choice import unpinned

    refusal = unpinned(anchor, SelectedRegistry(location=location, origin="psreg registry add"))
    if not console.can_ask():
        raise refusal
    console.warn(f"The registry {location} shows the root")
    console.warn(f"  {anchor.sha256}")
    if not console.typed_yes(
        "Compare it with the digest that the maintainers published. Type yes to trust it:"
    ):
        raise TrustError(refusal.code, "the registry was not trusted", refusal.hint)


def _remove(args: Namespace, console: Console) -> int:
    from psreg.client.registry_choice import load_settings, trust_store
    from psreg.client.settings.editing import remove_registry

    settings = load_settings(Path.cwd())
    registry = next((r for r in settings.registries() if r.name == args.what), None)
    store = trust_store(lambda text: console.warn(f"psreg: {text}"))
    removed = remove_registry(user_folders.user_config_file(), args.what)
    forgotten = False
    if args.forget:
        anchor = store.find(registry.root_sha256) if registry and registry.root_sha256 else None
        forgotten = store.forget(anchor.id if anchor else args.what)
    if not (removed or forgotten):
        where = f"; {registry.file} sets it" if registry else ""
        raise UnavailableError(
            "UNKNOWN_REGISTRY", f"your settings have no registry named `{args.what}`{where}"
        )
    if console.machine:
        console.json({"schema": SCHEMA, "removed": args.what, "forgotten": forgotten})
    elif not console.quiet:
        console.line(f"removed {args.what}")
    return 0


def _move(args: Namespace, console: Console) -> int:
    from psreg.cli.registry_move import move

    moved = move(args, console)
    if console.machine:
        console.json({"schema": SCHEMA, "moved": moved})
    elif not console.quiet:
        console.line(f"moved {moved['name']}: {moved['url']} (was {moved['from']})")
        console.line(f"  root {moved['root_sha256']}")
        if not moved["same"]:
            console.line("  it is another registry: what is locked and installed is of the former")
            console.line("  next: psreg update, in each project")
    return 0


def _name_of(location: str) -> str:
    """Return a name for a registry: the host of a URL, or the last folder of a path."""
    from urllib.parse import urlsplit

    text = (urlsplit(location).hostname if "://" in location else Path(location).name) or ""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text.lower())
    return kept.strip("._-") or "registry"
