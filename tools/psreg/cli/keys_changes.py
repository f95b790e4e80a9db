"""`psreg keys rotate`, `add`, `remove` and `move`: other keys, other holders, another address."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from psreg.cli.keys_action import Action, Answer, Place, signing_answer
from psreg.cli.keys_holders import OURS, keys_of
from psreg.core.errors import UsageError
from psreg.system import clock

if TYPE_CHECKING:
    from psreg.registry.keys.key_services import ServiceKey
    from psreg.registry.keys.rotation import Wanted
    from psreg.registry.trust.moved import Move


def _configure_rotate(parser: ArgumentParser) -> None:
    parser.add_argument(
        "keys",
        nargs="+",
        metavar="WHAT",
        help=f"{', '.join(OURS[1:])}, root, or HOLDER=KEY with the new key of a person; "
        "online=URI and timestamp=URI name a key that a KMS has",
    )


def _rotate(args: Namespace, place: Place) -> Answer:
    from psreg.registry.keys.rotation import Wanted

    given = [each.partition("=")[::2] for each in dict.fromkeys(args.keys)]
    new = [name for name, _ in given if name in OURS]
    services = {name: _at_service(name, uri) for name, uri in given if name in OURS and uri}
    held = keys_of(each for each in args.keys if each.partition("=")[0] not in OURS)
    return _changed(Wanted(new=new, services=services, replaced=held), place)


def _at_service(name: str, uri: str) -> ServiceKey:
    from psreg.registry.keys.key_services import ServiceKey
    from psreg.registry.trust.roles import PUBLISHING

    if name not in PUBLISHING:
        told = f"the key `{name}` must be a file; a KMS can have {' and '.join(PUBLISHING)}"
        raise UsageError("CANNOT_ROTATE", told, f"Run `psreg keys rotate {name}`.")
    return ServiceKey.imported(uri)


def _changed(wanted: Wanted, place: Place) -> Answer:
    """Make a change of keys, and say who must sign it, or that it is in force."""
    from psreg.registry.keys.rotation import rotate

    found = rotate(wanted, clock.now(), place.ports, place.lifetimes())
    document, lines = signing_answer(found)
    return (document, lines) if found else (document, ["the new keys are in force", _DELETE])


_DELETE = "  next: back them up, put them where you publish, and delete the former ones"

ROTATE = Action(
    name="rotate",
    does="replace keys that are lost, stolen or old",
    example="psreg keys rotate online timestamp",
    configure=_configure_rotate,
    act=_rotate,
)


def _configure_add(parser: ArgumentParser) -> None:
    parser.add_argument(
        "holders", nargs="+", metavar="HOLDER=KEY", help="keys, as `psreg keys create` prints them"
    )
    _add_threshold(parser)


def _add_threshold(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--threshold", type=int, metavar="N", help="how many must sign (as many as before)"
    )


def _add(args: Namespace, place: Place) -> Answer:
    from psreg.registry.keys.rotation import Wanted

    return _changed(Wanted(added=keys_of(args.holders), threshold=args.threshold), place)


ADD = Action(
    name="add",
    does="let more people hold the offline roles",
    example="psreg keys add dan=KEY",
    configure=_configure_add,
    act=_add,
)


def _configure_remove(parser: ArgumentParser) -> None:
    parser.add_argument("holders", nargs="+", metavar="HOLDER", help="whose key no longer counts")
    _add_threshold(parser)


def _remove(args: Namespace, place: Place) -> Answer:
    from psreg.registry.keys.rotation import Wanted

    return _changed(Wanted(removed=args.holders, threshold=args.threshold), place)


REMOVE = Action(
    name="remove",
    does="take the offline roles from some of their holders",
    example="psreg keys remove cem",
    configure=_configure_remove,
    act=_remove,
)


def _configure_move(parser: ArgumentParser) -> None:
    parser.add_argument("url", nargs="?", metavar="URL", help="the new address of the registry")
    parser.add_argument(
        "--root-sha256",
        metavar="HEX",
        help="digest of 1.root.json there (default: that of this registry, which stays the same)",
    )
    parser.add_argument("--withdraw", action="store_true", help="announce no move any more")


def _move(args: Namespace, place: Place) -> Answer:
    """Announce another address, which the holders of the root sign."""
    from psreg.registry.keys.rotation import announce

    found = announce(_moved(args, place), clock.now(), place.ports, place.lifetimes())
    document, lines = signing_answer(found)
    told = "clients are told of no move any more" if args.withdraw else _TOLD
    return (document, lines) if found else (document, [told])


_TOLD = "clients are told of the new address; leave this registry where it is until they have moved"


def _moved(args: Namespace, place: Place) -> Move | None:
    """Return what the options announce. Raises UsageError."""
    from psreg.client.config import is_sha256
    from psreg.registry.ceremony import published
    from psreg.registry.trust.moved import Move, normal_url

    if args.withdraw is (args.url is not None) or (args.withdraw and args.root_sha256):
        raise UsageError("USAGE", "expected `psreg keys move URL` or `psreg keys move --withdraw`")
    if args.withdraw:
        return None
    pin = args.root_sha256.lower() if args.root_sha256 else published(place.ports).root_sha256
    if not is_sha256(pin):
        raise UsageError("USAGE", "--root-sha256 must be 64 hexadecimal digits")
    return Move(url=normal_url(args.url), root_sha256=pin)


MOVE = Action(
    name="move",
    does="announce that the registry has moved to another address",
    example="psreg keys move https://prompts.example.org",
    configure=_configure_move,
    act=_move,
)
