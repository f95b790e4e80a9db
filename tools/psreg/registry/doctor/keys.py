"""Checks of who holds which keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.log.checkpoint import NoteKey
from psreg.registry.trust.drafts import public_key_of
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    DEVELOPMENT,
    KEY_OF,
    LOG,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
)

_ENOUGH = 2
"""How many people must agree, at least, about what the offline keys sign (SECURITY 2.2)."""

OFFLINE, ONLINE = "offline", KEY_OF[SNAPSHOT]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """The ids of the keys of a role, and how many of them must sign."""

    keys: frozenset[str]
    threshold: int


def holders(state: RegistryState) -> dict[str, Holders]:
    """Return who signs each role above the bins."""
    above = state.root.signed.roles
    roles = {role: above[role] for role in (ROOT, TARGETS, SNAPSHOT, TIMESTAMP)}
    roles |= state.documents[TARGETS].signed.delegations.roles
    return {
        role: Holders(keys=frozenset(each.keyids), threshold=each.threshold)
        for role, each in roles.items()
    }


def purposes(state: RegistryState) -> dict[str, frozenset[str]]:
    """Return the ids of the keys in use by what they are for: offline, online, timestamp, log."""
    by_role = holders(state)
    offline = [by_role[role].keys for role in (ROOT, TARGETS, OWNERS) if role in by_role]
    return {
        OFFLINE: frozenset().union(*offline),
        ONLINE: by_role[SNAPSHOT].keys | by_role[RELEASES].keys,
        TIMESTAMP: by_role[TIMESTAMP].keys,
        LOG: frozenset(map(_keyid, info_of(state.root).log)),
    }


def _keyid(note_key: str) -> str:
    """Return the id of a key of the log, as metadata would have it."""
    return public_key_of(LOG, NoteKey.parse(note_key).public).keyid


def mode(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether the root says that several people have the keys."""
    if state.mode == DEVELOPMENT:
        found = "the registry is in development mode: one person has all keys"
        return Diagnosis(id="mode", status=facts.grave, found=found, advice=_HARDEN)
    return Diagnosis(id="mode", status=Status.OK, found="the registry is in production mode")


_HARDEN = "Let people make keys with `psreg keys create`, and run `psreg keys harden`."


def thresholds(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether two people must agree about the offline roles, and one may lose a key."""
    offline = {
        role: each for role, each in holders(state).items() if role in (ROOT, TARGETS, OWNERS)
    }
    alone = sorted(role for role, each in offline.items() if each.threshold < _ENOUGH)
    if alone:
        found = f"one key is enough to sign {', '.join(alone)}"
        return Diagnosis(id="thresholds", status=facts.grave, found=found, advice=_HARDEN)
    brittle = sorted(role for role, each in offline.items() if len(each.keys) <= each.threshold)
    if brittle:
        found = f"if one key is lost, nobody can sign {', '.join(brittle)} any more"
        advice = "Add a holder with `psreg keys add HOLDER=KEY`."
        return Diagnosis(id="thresholds", status=Status.WARNING, found=found, advice=advice)
    told = f"{offline[ROOT].threshold} of {len(offline[ROOT].keys)} people sign the root"
    return Diagnosis(id="thresholds", status=Status.OK, found=told)


def separate_keys(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether no key has two purposes."""
    used = purposes(state)
    shared = [f"{one} and {two}" for one, two in combinations(used, 2) if used[one] & used[two]]
    if shared:
        found = f"one key is used for {'; one for '.join(shared)}"
        advice = "Replace one of them: `psreg keys rotate online`, `timestamp` or `log`."
        return Diagnosis(id="separate-keys", status=facts.grave, found=found, advice=advice)
    found = "offline roles, releases, the timestamp and the log have keys of their own"
    return Diagnosis(id="separate-keys", status=Status.OK, found=found)


def key_permissions(facts: Facts) -> Diagnosis:
    """Whether nobody else can read the keys on this machine."""
    if facts.exposed:
        advice = "Then replace the keys that others may have read: `psreg keys rotate`."
        return Diagnosis(
            id="key-permissions", status=Status.ERROR, found=facts.exposed, advice=advice
        )
    found = f"only you can read the keys on this machine ({_listed(facts.keys)})"
    return Diagnosis(id="key-permissions", status=Status.OK, found=found)


def offline_keys(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether this machine cannot sign the offline roles by itself."""
    used = purposes(state)
    here = sorted(name for name, keyid in facts.keys.items() if keyid in used[OFFLINE])
    publishes = any(keyid in used[ONLINE] for keyid in facts.keys.values())
    enough = len({facts.keys[name] for name in here}) >= holders(state)[ROOT].threshold
    if enough or (here and publishes):
        can = "can sign the offline roles alone" if enough else "also has keys that publish"
        found = f"this machine has {_listed(here)} and {can}"
        status = facts.grave if enough else Status.WARNING
        advice = "Move offline keys to machines of their holders that publish nothing."
        return Diagnosis(id="offline-keys", status=status, found=found, advice=advice)
    found = f"of the offline keys, this machine has {_listed(here)}"
    return Diagnosis(id="offline-keys", status=Status.OK, found=found)


def former_keys(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether this machine has no keys that sign nothing any more."""
    used = frozenset[str]().union(*purposes(state).values())
    waiting = {keyid for each in facts.signing for keyid in _drafted(each.draft.signed)}
    former = sorted(name for name, keyid in facts.keys.items() if keyid not in used | waiting)
    if former:
        found = f"{_listed(former)} sign nothing that is in force"
        advice = (
            "Delete them; a person who was not added yet waits for `psreg keys harden` or `add`."
        )
        return Diagnosis(id="former-keys", status=Status.WARNING, found=found, advice=advice)
    return Diagnosis(id="former-keys", status=Status.OK, found="there are no former keys here")


def _drafted(signed: Any) -> list[str]:
    """Return the ids of the keys that a draft names."""
    below = getattr(signed, "delegations", None)
    return [*getattr(signed, "keys", ()), *(below.keys if below else ())]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
