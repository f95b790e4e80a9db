"""What this machine has seen revoked: it stays so, whatever a record says later.

Who holds the keys that publish can sign a record without a revocation. Once this machine has seen
one, only a lift in the record ends it, signed by the holders of the role `root`. The same holds for
keys of owners. A release is known by name, version and digest.

A lift ends what has a smaller number. The number that a record says counts until the keys that
publish are replaced: a thief may have counted to the end, or have purged what cannot be lifted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from psreg.client.kept import keys_replaced_since
from psreg.core.dataclass import replace
from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.actions.withdrawal import VoidKey, Withdrawal
from psreg.registry.records import PackageRecord
from psreg.system.atomic import DAMAGED, exclusive_once, real_folder, set_aside, write_own
from psreg.system.files import read_own

FILE = "withdrawals.json"
SCHEMA = "psreg.withdrawals/1"
_LARGEST = 16 * 1024 * 1024

UNNUMBERED = 0
"""The number of an action whose own says nothing: real ones count from 1."""

Key = tuple[str, str, str]
"""Name, version and SHA-256 of a release."""


class SeenWithdrawals:
    """The withdrawals of one registry, in the `folder` of what this machine knows about it.

    `root` returns the newest root of the registry, and `notify` tells the user what was damaged.
    """

    def __init__(
        self,
        folder: Path,
        registry_id: str,
        root: Callable[[], bytes],
        notify: Callable[[str], None],
    ) -> None:
        self._folder, self._registry_id, self._root, self._say = folder, registry_id, root, notify

    def check(self, record: PackageRecord) -> None:
        """Check that a verified record still says what it said before, and remember what it says.

        Raises:
            TrustError: `TRUST_ROLLBACK`: a revocation is gone, and nobody lifted it.
            UnavailableError: the state folder cannot be written.
        """
        if not self._concerns(record):
            return
        with exclusive_once(real_folder(self._folder) / "lock"):
            before = self._read()
            after = self._after(record, before)
            if after != before:
                data = _written(after, _version(self._root()))
                write_own(self._folder / FILE, data, self._folder)

    def with_void_keys(self, record: PackageRecord) -> PackageRecord:
        """Return a record that also says which keys this machine has seen revoked."""
        if not (self._folder / FILE).exists():
            return record
        seen = self._read()[1]
        return replace(record, void=(*record.void, *seen.values()))

    def _concerns(self, record: PackageRecord) -> bool:
        revoked = any(row.revoked for row in record.releases)
        return bool(revoked or record.void or (self._folder / FILE).exists())

    def _after(self, record: PackageRecord, before: Seen) -> Seen:
        releases, keys = dict(before[0]), dict(before[1])
        for key, seen in before[0].items():
            row = record.release(key[1]) if key[0] == record.name else None
            if key[0] != record.name or (row and row.sha256 == key[2] and row.revoked):
                continue
            for_good = seen.is_purge and seen.action != UNNUMBERED
            if for_good or not self._is_lifted(record, key, seen.action):
                raise _hidden(key, seen)
            del releases[key]
        for row in record.releases:
            if row.revoked:
                key = (record.name, row.version, row.sha256)
                releases[key] = max(releases.get(key, row.revoked), row.revoked, key=_number)
        named = {each.key for each in record.void}
        for fingerprint, key_seen in before[1].items():
            if fingerprint not in named and self._is_lifted(record, fingerprint, key_seen.action):
                del keys[fingerprint]
        for each in record.void:
            keys[each.key] = min(keys.get(each.key, each), each, key=_how_strict)
        return releases, keys

    def _is_lifted(self, record: PackageRecord, subject: Key | str, number: int) -> bool:
        """Tell whether a lift in the record, later than the action `number`, is about a subject."""
        if not record.lifts:
            return False
        from psreg.registry.actions.action import LIFT, Action  # noqa: PLC0415 - they are rare
        from psreg.registry.trust.metadata import is_signed, verified_root  # noqa: PLC0415
        from psreg.registry.trust.roles import ROOT  # noqa: PLC0415

        for value in record.lifts:
            try:
                lift = Action.from_json(value)
            except ValueError:
                continue
            of = lift.subject
            same = subject in (of.key, of.release) and lift.registry_id == self._registry_id
            if lift.kind == LIFT and same and lift.number > number:
                root = verified_root(self._root(), before=None)
                if is_signed(lift.message, ROOT, root, lift.signatures):
                    return True
        return False

    def _read(self) -> Seen:
        place = self._folder / FILE
        if not place.exists() and not place.is_symlink():
            return {}, {}
        try:
            seen, version = _parsed(read_own(place, _LARGEST))
        except UnavailableError:
            if set_aside(place):
                self._say(f"{place} was damaged; it is now {place.name}{DAMAGED}")
            return {}, {}
        replaced = keys_replaced_since(self._folder, version, self._root())
        return _unnumbered(seen) if replaced else seen


Seen = tuple[Mapping[Key, Withdrawal], Mapping[str, VoidKey]]
"""What was seen of releases, and of keys by fingerprint."""


def withdrawal_of(folder: Path, key: Key) -> Withdrawal | None:
    """Return why this machine knows a release as revoked, None if it does not."""
    place = folder / FILE
    if not place.exists():
        return None
    try:
        (releases, _), _ = _parsed(read_own(place, _LARGEST))
        return releases.get(key)
    except UnavailableError:
        return None


def _number(withdrawal: Withdrawal) -> int:
    return withdrawal.action


def _how_strict(key: VoidKey) -> tuple[int, int]:
    """Return what is least for the revocation that voids most, and of those for the last."""
    return key.after, -key.action


def _unnumbered(seen: Seen) -> Seen:
    """Return what was seen as former keys signed it: their numbers say nothing."""
    releases, keys = seen
    return (
        {key: replace(each, action=UNNUMBERED) for key, each in releases.items()},
        {key: replace(each, action=UNNUMBERED) for key, each in keys.items()},
    )


def _version(root: bytes) -> int:
    return int(json.loads(root)["signed"]["version"])


def _parsed(data: bytes) -> tuple[Seen, int]:
    """Return what a state file says, and the version of the root when it was written, 0 if unknown.

    Raises UnavailableError if it is damaged.
    """
    try:
        value = json.loads(data)
        releases = {_key(each): Withdrawal.from_json(each["revoked"]) for each in value["releases"]}
        keys = [VoidKey.from_json(each) for each in value["keys"]]
        version = int(value.get("root", 0))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnavailableError("STATE_UNUSABLE", f"{FILE} is damaged") from error
    return (releases, {each.key: each for each in keys}), version


def _key(value: Mapping[str, Any]) -> Key:
    return str(value["name"]), str(value["version"]), str(value["sha256"])


def _written(seen: Seen, root: int) -> bytes:
    releases, keys = seen
    value = {
        "schema": SCHEMA,
        "root": root,
        "releases": [*_rows(releases)],
        "keys": [keys[key].to_json() for key in sorted(keys)],
    }
    return json.dumps(value, indent=1).encode() + b"\n"


def _rows(releases: Mapping[Key, Withdrawal]) -> Iterator[dict[str, Any]]:
    for key in sorted(releases):
        name, version, sha256 = key
        yield {
            "name": name,
            "version": version,
            "sha256": sha256,
            "revoked": releases[key].to_json(),
        }


def _hidden(key: Key, seen: Withdrawal) -> TrustError:
    return TrustError(
        "TRUST_ROLLBACK",
        f"{seen.told(f'{key[0]} {key[1]}')}; the registry no longer says so, and nobody lifted it",
        "Tell the maintainers of the registry; do not install it.",
    )
