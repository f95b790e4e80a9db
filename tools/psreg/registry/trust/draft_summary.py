"""What drafts change, so that the holders of keys can compare it, by telephone if need be.

Keys and who signs what are told in words; all other members that change are named one by one, so
that nothing is hidden. Version and expiry are told with the role.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from psreg.registry.trust.drafts import HOLDER, Draft, flat
from psreg.registry.trust.metadata import Document

_PLAIN = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)
_ID = 12
"""Digits of an id that stand for a key without a name, as in `drafts.holder_of`."""
_GROUP = 4
_KEY_DIGITS = 20
"""80 bits of a digest: nobody finds another key with the same ones."""
_ALL_DIGITS = 32
"""128 bits: who writes a draft might look for two drafts with the same digits."""
_SHOWN = 3


def fingerprint(public: str) -> str:
    """Return the first 20 hexadecimal digits of the SHA-256 of a public key, in groups of four.

    `public` is the key as metadata have it: hexadecimal digits of Ed25519, or PEM.
    """
    return _grouped(hashlib.sha256(public.encode()).hexdigest()[:_KEY_DIGITS])


def digest_of(drafts: Iterable[Draft]) -> str:
    """Return 32 hexadecimal digits, in groups of four, of what all these drafts have to be signed.

    They are the same for all who see the same drafts, with any number of signatures.
    """
    digest = hashlib.sha256()
    for draft in sorted(drafts, key=lambda each: each.path):
        digest.update(hashlib.sha256(draft.path.encode()).digest())
        digest.update(hashlib.sha256(draft.signed_bytes).digest())
    return _grouped(digest.hexdigest()[:_ALL_DIGITS])


def summary(pairs: Sequence[tuple[Draft, Document]]) -> Iterator[str]:
    """Yield what drafts change, each with the document in force: a line for each change."""
    bumps: dict[str, list[str]] = {}
    for draft, before in pairs:
        yield from (f"{draft.role}: {line}" for line in _changes(before.signed, draft.signed))
        versions = f"version {before.signed.version} to {draft.version}"
        until, was = (_day(each.expires) for each in (draft.signed, before.signed))
        told = f"{versions}, valid until {until} (was {was})"
        bumps.setdefault(told, []).append(draft.role)
    for bump, roles in bumps.items():
        yield f"{listed(roles)}: {bump}"


def listed(roles: Sequence[str]) -> str:
    """Return the first of some roles, and how many more there are."""
    more = len(roles) - _SHOWN
    return ", ".join(roles[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _changes(before: Any, after: Any) -> Iterator[str]:
    old, new = before.to_dict(), after.to_dict()
    old_keys, new_keys = _keys(old), _keys(new)
    was = {keyid: _key_line(keyid, key) for keyid, key in old_keys.items()}
    now = {keyid: _key_line(keyid, key) for keyid, key in new_keys.items()}
    yield from (f"key removed: {line}" for line in sorted(was[each] for each in was.keys() - now))
    yield from (f"key added:   {line}" for line in sorted(now[each] for each in now.keys() - was))
    for keyid in sorted(was.keys() & now.keys()):
        if old_keys[keyid] != new_keys[keyid]:
            yield f"key changed: {was[keyid]} becomes {now[keyid]}"
    yield from _role_changes(_roles(old, old_keys), _roles(new, new_keys))
    for member in ("expires", "version"):
        old.pop(member), new.pop(member)
    sides = [dict(flat(side)) for side in (old, new)]
    for path in sorted({*sides[0], *sides[1]}):
        texts = [json.dumps(side[path]) if path in side else "nothing" for side in sides]
        if texts[0] != texts[1]:
            yield f"{path}: {' becomes '.join(texts)}"


def _role_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Yield who signs what; roles that the same people sign are on one line."""
    told: dict[str, list[str]] = {}
    for role in sorted({**old, **new}):
        if old.get(role) != new.get(role):
            line = f"{new.get(role, 'nobody')} (was {old.get(role, 'nobody')})"
            told.setdefault(line, []).append(role)
    for line, names in told.items():
        yield f"who signs {', '.join(names)}: {line}"


def _keys(signed: dict[str, Any]) -> dict[str, Any]:
    """Take the keys out of a signed part, and return them by id."""
    holder = signed if "keys" in signed else signed.get("delegations") or {}
    keys: dict[str, Any] = holder.pop("keys", {})
    return keys


def _roles(signed: dict[str, Any], keys: Mapping[str, Any]) -> dict[str, str]:
    """Take who signs each role out of a signed part, and return it by role."""
    delegations = signed.get("delegations") or {}
    rows = dict(signed.get("roles") or {})
    rows |= {row["name"]: row for row in delegations.get("roles") or ()}
    if bins := delegations.get("succinct_roles"):
        rows[f"{bins['name_prefix']}-…"] = bins
    found = {}
    for role, row in rows.items():
        who = ", ".join(sorted(_name(keyid, keys[keyid]) for keyid in row.pop("keyids")))
        found[role] = f"{row.pop('threshold')} of {who}"
    return found


def _key_line(keyid: str, key: Mapping[str, Any]) -> str:
    kind = " ".join(dict.fromkeys((key["keytype"], key["scheme"])))
    other = [f"{path} {json.dumps(value)}" for path, value in flat(dict(key)) if path not in _TOLD]
    public = str(key["keyval"]["public"])
    return ", ".join([_name(keyid, key), kind, fingerprint(public), *other])


_TOLD = ("keytype", "scheme", "keyval.public", HOLDER)


def _name(keyid: str, key: Mapping[str, Any]) -> str:
    """Return who has a key, as it says, or how its id begins; other than plain names in quotes."""
    label = key.get(HOLDER) or keyid[:_ID]
    return label if isinstance(label, str) and _PLAIN.fullmatch(label) else json.dumps(label)


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _grouped(digits: str) -> str:
    return " ".join(digits[at : at + _GROUP] for at in range(0, len(digits), _GROUP))
