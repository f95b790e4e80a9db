"""What this machine keeps of a registry, as the registry serves it.

`pkg/<name>.json` is the record of an installed name, `catalog/head.json` the catalogue, and a file
`.proof` beside them the metadata of the state in which each was verified: with the roots, it leads
to the pinned root without a network, whatever was read since. Nothing read here is trusted.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.trust.roles import (
    CHECKPOINT,
    METADATA_FOLDER,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP_PATH,
    Target,
    kind_and_name,
    metadata_path,
    owners_target,
    possible_bins,
    role_and_version,
    target_path,
)
from psreg.system.atomic import exclusive_once, write_own
from psreg.system.files import read_named, read_own

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the registry, or None."""

NOTHING: Mapping[str, bytes] = MappingProxyType({})

PACKAGES = "pkg"

SCHEMA = "psreg.proof/1"
_LARGEST = 64 * 1024 * 1024


def proof_place(folder: Path, target: str) -> Path:
    """Return where the proof of a target is kept; `folder` is that of its registry in the store."""
    return folder / f"{target.removesuffix('.json')}.proof"


def keep_proof(folder: Path, target: str, tiles: Mapping[str, bytes] = NOTHING) -> None:
    """Keep what leads from a stored target to the root, as it was verified just now.

    `tiles` are files of the log, by their path in the registry.

    Raises:
        UnavailableError: it cannot be written.
    """
    with exclusive_once(folder / "lock"):
        _keep_proof(folder, target, tiles)


def _keep_proof(folder: Path, target: str, tiles: Mapping[str, bytes]) -> None:
    read = newest_kept(folder)
    files = {TIMESTAMP_PATH: read(TIMESTAMP_PATH) or b""}
    snapshot = _file(folder.joinpath(METADATA_FOLDER, f"{SNAPSHOT}.json"))
    listed = {**_listed(files[TIMESTAMP_PATH]), **_listed(snapshot)}
    beside = _beside(target)
    for role in listed.keys() & _roles_of((target, *beside)):
        path = metadata_path(role, listed[role])
        if (data := read(path)) is not None:
            files[path] = data
    for path in beside:
        if data := _file(folder / path):
            files[target_path(path, Target.of(data).sha256)] = data
    document = {
        "schema": SCHEMA,
        "root": _version(read_named(folder / METADATA_FOLDER / f"{ROOT}.json")),
        "files": {path: data.decode("utf-8", "replace") for path, data in files.items()},
        "tiles": {path: base64.b64encode(data).decode() for path, data in tiles.items()},
    }
    place, data = proof_place(folder, target), json.dumps(document).encode()
    if _file(place) != data:
        write_own(place, data, folder, durable=False)


def proof_of(folder: Path, target: str) -> Read:
    """Return how the state of a registry is read in which a stored target was verified.

    Raises:
        TrustError: TRUST_UNPROVEN: it is not kept, or unreadable.
    """
    try:
        value = _proof(folder, target)
        files = {path: text.encode() for path, text in value["files"].items()}
        files |= {path: base64.b64decode(text) for path, text in value["tiles"].items()}
        newest = int(value["root"])
    except (UnavailableError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise unproven(kept_name(target)) from None

    def read(path: str) -> bytes | None:
        found = role_and_version(path.rpartition("/")[2])
        if found is not None and found[0] == ROOT:
            return _root(folder, found[1]) if found[1] <= newest else None
        return files[path] if path in files else _target(folder, path)

    return read


def newest_kept(folder: Path) -> Read:
    """Return how the state of a registry is read that this machine has read last."""

    def read(path: str) -> bytes | None:
        found = role_and_version(path.rpartition("/")[2])
        if path in (TIMESTAMP_PATH, CHECKPOINT):
            return _file(folder / path)
        if found is None:
            return _target(folder, path)
        if found[0] == ROOT:
            return _root(folder, found[1])
        data = _file(folder.joinpath(METADATA_FOLDER, f"{found[0]}.json"))
        return data if data is not None and _version(data) == found[1] else None

    return read


def seen_on(folder: Path, target: str) -> str:
    """Return the day on which this machine last saw that a kept target is listed: `2026-11-21`."""
    places = (folder / target, proof_place(folder, target))
    seconds = max(place.lstat().st_mtime for place in places if os.path.lexists(place))
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def keys_replaced(folder: Path, target: str) -> bool:
    """Return whether a key that may have signed a stored target signs nothing any more.

    Then what it counted says nothing: a thief of that key may have counted to the end. TUF
    forgets the versions of metadata in the same case (5.3.11).
    """
    try:
        then = int(_proof(folder, target)["root"])
    except (UnavailableError, ValueError, KeyError, TypeError, RecursionError):
        return False  # nobody can tell with which keys it was signed
    return keys_replaced_since(folder, then, read_named(folder / METADATA_FOLDER / f"{ROOT}.json"))


def keys_replaced_since(folder: Path, version: int, newest: bytes) -> bool:
    """Return whether a key that the root `version` lists for publishing signs nothing any more.

    `newest` is the newest root. A root that this machine does not have lists none.
    """
    return drops_keys(_root(folder, version), newest, SNAPSHOT)


def drops_keys(before: bytes | None, now: bytes, role: str) -> bool:
    """Return whether a verified root has no more a key of `role` that one `before` had."""
    return not _keys_of(before, role) <= _keys_of(now, role)


def _keys_of(root: bytes | None, role: str) -> set[str]:
    return {*_signed(root).get("roles", {}).get(role, {}).get("keyids", ())}


def unproven(name: str) -> TrustError:
    """Return the error for an installed name of which this machine has nothing to verify it by."""
    return TrustError(
        "TRUST_UNPROVEN",
        f"what proves {name} is not on this machine, or is damaged",
        f"Run `psreg install {name}` while the registry can be reached.",
    )


def _proof(folder: Path, target: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(read_own(proof_place(folder, target), _LARGEST))
    return value


def _root(folder: Path, version: int) -> bytes | None:
    if version == 1:
        return _file(folder / f"1.{ROOT}.json")
    return _file(folder / METADATA_FOLDER / "root_history" / f"{version}.{ROOT}.json")


def _target(folder: Path, path: str) -> bytes | None:
    """Return the stored copy of the target at `targets/<folder>/<sha256>.<name>`, or a segment."""
    if not path.startswith("targets/"):
        return None
    above, _, name = path.removeprefix("targets/").rpartition("/")
    found = _file(folder / above / name.partition(".")[2])
    return found if found is not None else _file(folder / path)


def _file(place: Path) -> bytes | None:
    with suppress(UnavailableError):
        return read_own(place, _LARGEST)
    return None


def kept_name(target: str) -> str:
    """Return the name whose record a target is, else the target itself."""
    kind, name = kind_and_name(target) or ("", "")
    return name if kind == PACKAGES else target


def _beside(target: str) -> tuple[str, ...]:
    """Return the targets that are verified with one: of a record, the log and who owns its name."""
    kind, name = kind_and_name(target) or ("", "")
    return (CHECKPOINT, owners_target(name)) if kind == PACKAGES else ()


def _roles_of(targets: tuple[str, ...]) -> set[str]:
    """Return the roles that say something about targets, however many bins the registry has."""
    bins = {role for path in targets for role in possible_bins(path)}
    return {SNAPSHOT, TARGETS, RELEASES, OWNERS, *bins}


@lru_cache(maxsize=4)  # as for `_signed`
def _listed(data: bytes | None) -> Mapping[str, int]:
    """Return the roles that a timestamp or a snapshot lists, each with its version."""
    meta = _signed(data).get("meta", {})
    return {name.removesuffix(".json"): int(each["version"]) for name, each in meta.items()}


def _version(data: bytes | None) -> int:
    return int(_signed(data).get("version", 0))


@lru_cache(maxsize=32)
def _signed(data: bytes | None) -> Mapping[str, Any]:
    """Return the signed part of metadata, {} if it has none; the same is read for many targets."""
    try:
        signed = json.loads(data or b"")["signed"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return signed if isinstance(signed, dict) else {}
