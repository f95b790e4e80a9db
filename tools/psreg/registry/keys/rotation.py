"""Changing keys: who holds the offline roles, and other keys where some are lost, stolen or old.

Each change is the next version of the root, and of what depends on it, as drafts for the holders
to sign (`ceremony`). Keys that are replaced stay where they are; nothing is signed with them after
the root is in force, but what it takes to get there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from psreg.core.diagnostics import Report
from psreg.core.errors import UsageError
from psreg.registry.baseline import Ports, read_baseline
from psreg.registry.ceremony import Signing, begin, check_none_pending, published
from psreg.registry.current_state import make_current, ready_to_sign
from psreg.registry.log.checkpoint import ORIGIN, NoteKey
from psreg.registry.publish import Change, publish
from psreg.registry.trust.drafts import Draft, holder_of, public_key_of, successor
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import MetadataSigner, info_of, public_of
from psreg.registry.trust.moved import Move, moved_to
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    BINDING,
    DEVELOPMENT,
    KEY_OF,
    LIFETIMES,
    LOG,
    OWNERS,
    PRODUCTION,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    key_number,
)
from psreg.registry.trust.rotation import KeyChange, rotated
from psreg.registry.trust.signing_keys import public_key

if TYPE_CHECKING:
    from securesystemslib.signer import Key

    from psreg.registry.keys.key_services import ServiceKey

ONLINE = KEY_OF[SNAPSHOT]
PSREGS = (ONLINE, TIMESTAMP, LOG, OWNERS, ROOT)
"""The keys that psreg makes by itself; those of people have other names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to change: `new` names keys of `PSREGS`, the last three are about holders.

    Of the new keys, `services` are those that a service has, by name. `replaced` are the new public
    keys of holders, `added` those of others, `removed` are holders whose keys no longer count, and
    `threshold` is how many must sign, None for as many as before.
    """

    new: Collection[str] = ()
    services: Mapping[str, ServiceKey] = field(default_factory=dict)
    replaced: Mapping[str, bytes] = field(default_factory=dict)
    added: Mapping[str, bytes] = field(default_factory=dict)
    removed: Collection[str] = ()
    threshold: int | None = None

    @property
    def is_about_holders(self) -> bool:
        """Whether other people, or other keys of people, hold the offline roles."""
        return bool(self.replaced or self.added or self.removed or self.threshold)


def harden(
    holders: Mapping[str, bytes],
    threshold: int,
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta] = LIFETIMES,
) -> tuple[Signing, ...]:
    """Begin to give the offline roles to the `holders` of keys, so many of whom must sign.

    `holders` are public keys (`drafts.public_key_of`) by who has each. The keys at hand sign at
    once. The role `owners` begins first, if there is none: later it would need drafts of its own.

    Raises:
        FindingsError: SIGNING_PENDING: other drafts are not in force yet.
        ValueError: something is not a public key, two holders have the same one, or the threshold
            cannot be reached.
        UnavailableError: NOT_PUBLISHED; files cannot be read or written.
    """
    if len({*holders.values()}) < len(holders) or not 0 < threshold <= len(holders):
        raise ValueError(f"{threshold} of {len(holders)} keys cannot sign, or two are the same")
    keys = tuple(public_key_of(holder, public) for holder, public in holders.items())
    state = published(ports)
    check_none_pending(ports.store, state)
    if OWNERS not in state.bins_below:
        state = _with_owners(now, ports, lifetimes)
    change = KeyChange(root=keys, owners=keys, threshold=threshold, mode=PRODUCTION)
    return _begin(change, state, now, ports, lifetimes)


def _with_owners(now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta]) -> RegistryState:
    """Let the role `owners` begin without a claim, and return the state then."""
    baseline = read_baseline(ports)
    root, signer, pems = ready_to_sign(baseline, now, lifetimes, ports)
    registry_id, state = info_of(root).id, published(ports)
    key = pems.get(OWNERS) or ports.keys.create(registry_id, OWNERS)
    names = baseline.head.count if baseline.head else 0
    documents = issue(state, {}, signer.with_key(key), names, key)
    make_current(baseline, registry_id, {}, documents, ports)
    return published(ports)


def rotate(
    wanted: Wanted, now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> tuple[Signing, ...]:
    """Begin to replace keys, add holders or remove them; return the drafts that then wait.

    New keys are made, and the keys at hand sign at once. In a development registry whose keys are
    all here, the change is in force then, and nothing waits.

    Raises:
        FindingsError: SIGNING_PENDING: other drafts are not in force yet.
        UsageError: CANNOT_ROTATE: a role or holder is not there, or a threshold cannot be reached.
        TrustError: KEY_MISSING.
        UnavailableError: NOT_PUBLISHED; files cannot be read or written.
    """
    state = published(ports)
    check_none_pending(ports.store, state)
    change = KeyChange()
    if wanted.is_about_holders:
        change = _other_holders(wanted, state)
    change = _with_new_keys(change, wanted, state, ports)
    found = _begin(change, state, now, ports, lifetimes)
    return _current(found, state, now, ports, lifetimes)


def renew(
    now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> tuple[Signing, ...] | None:
    """Begin to renew the signatures of the offline roles that are due; None if none is.

    Returns the drafts that wait. In a development registry they are in force at once, as `rotate`.

    Raises:
        FindingsError, TrustError, UnavailableError: as `rotate`.
    """
    state = published(ports)
    check_none_pending(ports.store, state)
    signer = _unsigned(state, now, lifetimes)
    owners = state.bins_below.get(OWNERS)
    roles = (ROOT, TARGETS, *([OWNERS, *owners.roles] if owners else []))
    due = [state.documents[role] for role in roles if signer.is_due(state.documents[role])]
    if not due:
        return None
    drafts = [Draft.of(each.role, successor(each, signer)) for each in due]
    return _current(begin(drafts, state, ports), state, now, ports, lifetimes)


def announce(
    moved: Move | None,
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta] = LIFETIMES,
) -> tuple[Signing, ...]:
    """Begin to announce that the registry has moved; None withdraws what was announced.

    Returns the drafts that wait. In a development registry they are in force at once, as `rotate`.

    Raises:
        FindingsError: SIGNING_PENDING: other drafts are not in force yet.
        UsageError: CANNOT_ROTATE: the root in force says just that.
        TrustError, UnavailableError: as `rotate`.
    """
    state = published(ports)
    check_none_pending(ports.store, state)
    if moved == moved_to(state.root.signed.unrecognized_fields[BINDING]):
        told = "the root announces this move already" if moved else "the root announces no move"
        raise _refused(told)
    found = _begin(KeyChange(moved=moved or ()), state, now, ports, lifetimes)
    return _current(found, state, now, ports, lifetimes)


def _current(
    found: tuple[Signing, ...],
    state: RegistryState,
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta],
) -> tuple[Signing, ...]:
    """Make drafts current if this is a development registry whose keys are here."""
    if state.mode == DEVELOPMENT and all(each.complete for each in found):
        make_signed_current(now, ports, lifetimes)
        return ()
    return found


def make_signed_current(
    now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> None:
    """Make current what enough people have signed, and release nothing.

    Raises:
        TrustError: KEY_MISSING, of the keys that publish; the registry is not as it was signed.
    """
    baseline = read_baseline(ports)
    inputs = (baseline.head.inputs if baseline.head else None) or {}
    change = Change(names=(), inputs=inputs, baseline=baseline)
    publish({}, Report(checked=0), now, ports, lifetimes=lifetimes, change=change)


def _begin(
    change: KeyChange,
    state: RegistryState,
    now: datetime,
    ports: Ports,
    lifetimes: Mapping[str, timedelta],
) -> tuple[Signing, ...]:
    signer = _unsigned(state, now, lifetimes)
    drafts = rotated(state.documents, change, signer, state.bins_below.get(OWNERS))
    return begin(drafts, state, ports)


def _unsigned(
    state: RegistryState, now: datetime, lifetimes: Mapping[str, timedelta]
) -> MetadataSigner:
    """Return what knows how long drafts are valid, and signs nothing."""
    return MetadataSigner(
        keys={}, source="", now=now, registry_id=state.registry_id, lifetimes=lifetimes
    )


def _other_holders(wanted: Wanted, state: RegistryState) -> KeyChange:
    """Return the holders of the offline roles after a change of some."""
    role = state.root.signed.roles[ROOT]
    keys = {holder_of(key): key for key in map(state.root.signed.get_key, role.keyids)}
    if state.mode == DEVELOPMENT:
        raise _refused("the registry has no holders yet", _HARDEN)
    if unknown := sorted({*wanted.removed, *wanted.replaced} - keys.keys()):
        raise _refused(f"{unknown[0]} holds no key; {', '.join(sorted(keys))} do", _ADD)
    if known := sorted(wanted.added.keys() & keys.keys()):
        raise _refused(f"{known[0]} holds a key already", _REPLACE)
    new = {**wanted.replaced, **wanted.added}
    keys |= {holder: public_key_of(holder, public) for holder, public in new.items()}
    left = {holder: key for holder, key in keys.items() if holder not in wanted.removed}
    threshold = wanted.threshold or role.threshold
    if len({key.keyid for key in left.values()}) < max(threshold, len(left)):
        raise _refused(f"{threshold} of {', '.join(sorted(left))} cannot sign", _ENOUGH)
    chosen = tuple(left.values())
    return KeyChange(root=chosen, owners=chosen, threshold=threshold)


_HARDEN = "Run `psreg keys harden HOLDER=KEY…` first."
_ADD = "Add a holder with `psreg keys add HOLDER=KEY`."
_REPLACE = "Replace the key of a holder with `psreg keys rotate HOLDER=KEY`."
_ENOUGH = "Each holder needs a key of their own; lower the threshold with `--threshold N`."


def _with_new_keys(
    change: KeyChange, wanted: Wanted, state: RegistryState, ports: Ports
) -> KeyChange:
    """Return a change with new keys that psreg makes or finds, which are then at hand."""
    held = sorted({ROOT, OWNERS}.intersection(wanted.new))
    if held and state.mode != DEVELOPMENT:
        raise _refused(f"people hold the key of `{held[0]}`", _HOLDER)
    if OWNERS in wanted.new and OWNERS not in state.bins_below:
        raise _refused("the registry has no role `owners` yet", _CLAIM)
    for name in wanted.new:
        if name in wanted.services:
            key: Any = _enlisted(name, wanted.services[name], state, ports)
        else:
            pem = _next_key(name, state, ports)
            note_key = NoteKey(name=f"{ORIGIN}/{state.registry_id}", public=public_key(pem))
            key = str(note_key) if name == LOG else public_of(pem)
        new: dict[str, Any] = {name: (key,) if name in (ROOT, OWNERS) else key}
        change = replace(change, **new)
    return change


_CLAIM = "It begins with the first claim: `psreg keys owners NAME`."
_HOLDER = "Let the holder make another key, and run `psreg keys rotate HOLDER=KEY`."


def _next_key(name: str, state: RegistryState, ports: Ports) -> bytes:
    """Return the key that follows the one in use, from an interrupted run if it made one."""
    here = ports.keys.load(state.registry_id)
    stem = _next_name(name, here, state, ports)
    return here.get(stem) or ports.keys.create(state.registry_id, stem)


def _enlisted(name: str, found: ServiceKey, state: RegistryState, ports: Ports) -> Key:
    """Return the key of a service, after noting where it is, unless an interrupted run did."""
    if found.key.keyid in _keyids(state):
        raise _refused(f"{found.uri} is a key that the registry uses already")
    here = ports.keys.services(state.registry_id).items()
    same = [stem for stem, each in here if each.public_key.keyid == found.key.keyid]
    stem = _next_name(name, same, state, ports)
    if stem not in same:
        ports.keys.enlist(state.registry_id, stem, found.to_bytes())
    return found.key


def _next_name(name: str, waiting: Collection[str], state: RegistryState, ports: Ports) -> str:
    """Return the name of the next key: of one waiting since the key in use, or a free one."""
    pems, services = ports.keys.load(state.registry_id), ports.keys.services(state.registry_id)
    known = {each: public_of(pem).keyid for each, pem in pems.items()}
    known |= {each: signer.public_key.keyid for each, signer in services.items()}
    log = {NoteKey.parse(each).public for each in info_of(state.root).log}
    used = {each for each, keyid in known.items() if keyid in _keyids(state)}
    used |= {each for each, pem in pems.items() if public_key(pem) in log}
    numbers = {each: n for each in known if (n := key_number(each, name))}
    last = max((numbers[each] for each in used & numbers.keys()), default=None)
    after = (n for each, n in numbers.items() if each in waiting and last and n > last)
    return f"{name}-{min(after, default=max(numbers.values(), default=1) + 1)}"


def _keyids(state: RegistryState) -> set[str]:
    """Return the ids of the keys that sign metadata of a registry."""
    return {*state.root.signed.keys, *state.documents[TARGETS].signed.delegations.keys}


def _refused(message: str, hint: str = "") -> UsageError:
    return UsageError("CANNOT_ROTATE", message, hint)
