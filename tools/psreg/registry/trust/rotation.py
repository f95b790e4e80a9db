"""The next version of the offline roles, in which other keys sign: what holders of keys agree to.

A root says which keys sign `root`, `targets`, `snapshot`, `timestamp` and the log; `targets` says
which sign `releases` and `owners`. Pure: returns drafts that nobody has signed yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psreg.registry.trust import plain_signers  # noqa: F401 - comes before `tuf`

# isort: split
from securesystemslib.signer import Key

from psreg.registry.trust.drafts import Draft, successor
from psreg.registry.trust.metadata import Document, MetadataSigner, delegation_to
from psreg.registry.trust.moved import Move
from psreg.registry.trust.roles import (
    BINDING,
    LOG,
    MOVED,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Bins,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """The keys that are to sign; None where they stay the same. Roles that share a key keep to it.

    `root` signs `root` and `targets`, `owners` that role and its bins, each with its threshold;
    `online` signs `snapshot` and `releases`. `log` is a further key of the log, as
    `log.checkpoint.NoteKey` writes it; former ones remain, because records have their checkpoints.
    `moved` is where the root is to say that the registry has moved, () for nowhere.
    """

    root: tuple[Key, ...] | None = None
    owners: tuple[Key, ...] | None = None
    threshold: int = 1
    online: Key | None = None
    timestamp: Key | None = None
    log: str | None = None
    mode: str | None = None
    moved: Move | tuple[()] | None = None


def rotated(
    documents: Mapping[str, Document],
    change: KeyChange,
    signer: MetadataSigner,
    bins: Bins | None,
) -> tuple[Draft, ...]:
    """Return drafts of the roles that a change of keys is about.

    `documents` are those in force, `bins` those of `owners`, None if there is no such role.
    `releases` and its bins are signed when the drafts become current (`issuing.issue`).
    """
    changed: dict[str, Any] = {}
    if change != KeyChange(owners=change.owners, threshold=change.threshold):
        changed[ROOT] = _root(documents[ROOT], change, signer)
    owners = change.owners if bins else None
    if change.root or change.online or owners:
        changed[TARGETS] = _targets(documents[TARGETS], change, signer)
    if bins and owners:
        changed |= {role: successor(documents[role], signer) for role in (OWNERS, *bins.roles)}
        changed[OWNERS].delegations = delegation_to(bins, changed[TARGETS])
    return tuple(Draft.of(role, signed) for role, signed in changed.items())


def _root(before: Document, change: KeyChange, signer: MetadataSigner) -> Any:
    root = successor(before, signer)
    named = root.unrecognized_fields[BINDING]
    named |= {"mode": change.mode} if change.mode else {}
    named |= {LOG: [*named.get(LOG, ()), change.log]} if change.log else {}
    if change.moved is not None:
        named.pop(MOVED, None)
        named |= {MOVED: change.moved.to_json()} if change.moved else {}
    online, timestamp = change.online, change.timestamp
    keys = {ROOT: change.root, TARGETS: change.root, SNAPSHOT: online and (online,)}
    for role, new in {**keys, TIMESTAMP: timestamp and (timestamp,)}.items():
        if new:
            _replace(root, role, new)
    for role in (ROOT, TARGETS) if change.root else ():
        root.roles[role].threshold = change.threshold
    return root


def _replace(root: Any, role: str, keys: tuple[Key, ...]) -> None:
    for keyid in list(root.roles[role].keyids):
        root.revoke_key(keyid, role)
    for key in keys:
        root.add_key(key, role)


def _targets(before: Document, change: KeyChange, signer: MetadataSigner) -> Any:
    targets = successor(before, signer)
    below = targets.delegations
    wanted: dict[str, tuple[Key, ...] | None] = {
        RELEASES: (change.online,) if change.online else None,
        OWNERS: change.owners,
    }
    for role, keys in wanted.items():
        if keys and role in below.roles:
            below.keys |= {key.keyid: key for key in keys}
            below.roles[role].keyids = [key.keyid for key in keys]
            below.roles[role].threshold = change.threshold if role == OWNERS else 1
    used = {keyid for role in below.roles.values() for keyid in role.keyids}
    below.keys = {keyid: key for keyid, key in below.keys.items() if keyid in used}
    return targets
