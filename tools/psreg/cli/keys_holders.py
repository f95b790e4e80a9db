"""`psreg keys create`, `harden` and `sign`: several people hold the offline keys."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from base64 import b64decode, b64encode
from collections.abc import Iterable

from psreg.cli.keys_action import Action, Answer, Place, signing_answer
from psreg.core.errors import TrustError, UsageError
from psreg.system import clock

_HOLDER = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_NUMBER = re.compile(r"-[0-9]+")
_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_LONG_KEY = re.compile(r"[A-Za-z0-9+/]{80,2000}={0,2}", re.ASCII)
OURS = ("root", "online", "timestamp", "log", "owners")
"""The keys that psreg makes by itself."""


def _configure_create(parser: ArgumentParser) -> None:
    parser.add_argument("holder", metavar="HOLDER", help="who has the key, such as `ana`")
    parser.add_argument(
        "--at",
        metavar="URI",
        help="a key that a token or a KMS already has, such as hsm: or awskms:alias/ana; needs the "
        "extra of that name, such as `psreg[hsm]`",
    )


def _create(args: Namespace, place: Place) -> Answer:
    from psreg.registry.ceremony import published
    from psreg.registry.trust.draft_summary import fingerprint
    from psreg.registry.trust.signing_keys import public_key

    holder: str = args.holder
    _check_holder(holder)
    registry_id = published(place.ports).registry_id
    if args.at is not None:
        public, where = _enlisted(args.at, holder, registry_id, place)
    else:
        public = public_key(place.ports.keys.create(registry_id, holder)).hex()
        folder = place.ports.keys.folder(registry_id)
        where = f"the private key is {folder}/{holder}.pem; back it up, and give it to nobody"
    shown = fingerprint(_as_in_metadata(public))
    return (
        {"keys": [{"holder": holder, "key": public, "fingerprint": shown}]},
        [f"{holder}={public}", f"  {where}", f"  fingerprint {shown}"],
    )


def _as_in_metadata(public: str) -> str:
    """Return a key, as `psreg keys create` prints it, as metadata have it."""
    from psreg.registry.trust.drafts import public_key_of

    decoded = _decoded(public)
    return str(public_key_of("", decoded).keyval["public"]) if decoded else public


def _enlisted(uri: str, holder: str, registry_id: str, place: Place) -> tuple[str, str]:
    """Note where a key is that a device or service has; return its public key, and what to say."""
    from psreg.registry.keys.key_services import ServiceKey
    from psreg.registry.trust.signing_keys import ED25519_SIZE, encoded_public_key

    found = ServiceKey.imported(uri)
    value = found.key.keyval["public"]
    ed25519 = found.key.keytype == "ed25519"
    public = bytes.fromhex(value) if ed25519 else encoded_public_key(value.encode())
    place.ports.keys.enlist(registry_id, holder, found.to_bytes())
    text = public.hex() if len(public) == ED25519_SIZE else b64encode(public).decode()
    return text, f"{found.uri} signs with it; the private key stays there"


CREATE = Action(
    name="create",
    does="make a key for a person",
    example="psreg keys create ana",
    configure=_configure_create,
    act=_create,
)


def _configure_harden(parser: ArgumentParser) -> None:
    parser.add_argument(
        "holders", nargs="+", metavar="HOLDER=KEY", help="keys, as `psreg keys create` prints them"
    )
    parser.add_argument(
        "--threshold", type=int, default=2, metavar="N", help="how many must sign (2)"
    )


def _harden(args: Namespace, place: Place) -> Answer:
    from psreg.registry.keys.rotation import harden

    holders = keys_of(args.holders)
    if len({*holders.values()}) < len(holders):
        hint = "Each holder needs a key of their own."
        raise UsageError("USAGE", "two holders have the same key", hint)
    if not 0 < args.threshold <= len(holders):
        raise UsageError("USAGE", f"{args.threshold} of {len(holders)} keys cannot sign")
    found = harden(holders, args.threshold, clock.now(), place.ports, place.lifetimes())
    return signing_answer(found)


HARDEN = Action(
    name="harden",
    does="give the offline roles to the holders of keys",
    example="psreg keys harden ana=KEY ben=KEY cem=KEY --threshold 2",
    configure=_configure_harden,
    act=_harden,
)


def _configure_sign(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--raw", action="store_true", help="show every member of the metadata that changes"
    )


def _sign(args: Namespace, place: Place) -> Answer:
    """Sign what waits, after a person has seen it. Raises TrustError NOT_AGREED."""
    from psreg.cli.maintained_registry import taken_row
    from psreg.registry.ceremony import review, sign
    from psreg.registry.withdrawing.taking import sign_lifts, summary, waiting_lifts

    lines = [*review(place.ports, raw=args.raw), *summary(waiting_lifts(place.ports))]
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
    lifts, found = sign_lifts(place.ports), sign(place.ports)
    if found and not lines:
        place.console.warn("none of this waits for a key on this machine; nothing was signed")
    document, told = signing_answer(found)
    return {**document, "actions": [*map(taken_row, lifts)]}, [*summary(lifts), *told]


SIGN = Action(
    name="sign",
    does="add signatures to what waits for them",
    example="psreg keys sign",
    configure=_configure_sign,
    act=_sign,
)


def _configure_renew(parser: ArgumentParser) -> None:
    del parser  # it has no options of its own


def _renew(_args: Namespace, place: Place) -> Answer:
    from psreg.registry.keys.rotation import renew

    found = renew(clock.now(), place.ports, place.lifetimes())
    if found:
        return signing_answer(found)
    told = "nothing is due" if found is None else "what was due is renewed"
    return {"signing": []}, [told]


RENEW = Action(
    name="renew",
    does="renew the signatures of the offline roles that are due",
    example="psreg keys renew",
    configure=_configure_renew,
    act=_renew,
)


def keys_of(texts: Iterable[str]) -> dict[str, bytes]:
    """Return public keys by their holder. Raises UsageError if a text is not HOLDER=KEY."""
    holders: dict[str, bytes] = {}
    for text in texts:
        holder, _, key = text.partition("=")
        _check_holder(holder)
        public = _decoded(key)
        if public is None or holder in holders:
            hint = "Write each holder once, as `psreg keys create` prints it."
            raise UsageError("USAGE", f"`{text}` is not HOLDER=KEY", hint)
        holders[holder] = public
    return holders


def _decoded(key: str) -> bytes | None:
    """Return the public key that a text says, None if it says none."""
    from psreg.registry.trust.signing_keys import loaded_public_key

    try:
        if _KEY.fullmatch(key):
            return bytes.fromhex(key)
        public = b64decode(key, validate=True) if _LONG_KEY.fullmatch(key) else b""
        loaded_public_key(public)
    except ValueError:
        return None
    return public


def _check_holder(holder: str) -> None:
    """Raise UsageError if a text cannot be the name of a person's key."""
    if not _HOLDER.fullmatch(holder) or _NUMBER.sub("", holder) in OURS:
        hint = "Write lower-case letters, digits and `-`, such as `ana` or `ana-laptop`."
        raise UsageError("USAGE", f"`{holder}` cannot be the name of a key", hint)
