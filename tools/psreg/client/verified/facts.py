"""What python-tuf verified of the state of a registry, so that the same state is verified once.

The file `verified.json` beside the metadata of a registry says which bytes that metadata is, when
the first of it expires, what it lists, and which releases passed all other checks. It is believed
only with the code of authentication (HMAC-SHA-256) of a key beside the user's settings, where the
pin of the registry is, too: who can write that key can also write the pin (ADR 0045).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hmac import compare_digest
from hmac import digest as code_of
from pathlib import Path
from typing import Any

from psreg import __version__
from psreg.client.metadata_cache import LISTED, MAX_METADATA, signed_in
from psreg.core.dataclass import dataclass
from psreg.core.errors import UnavailableError
from psreg.registry.trust.roles import (
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Target,
    possible_bins,
)
from psreg.system.atomic import clear_unfinished, exclusive, write_file, write_own
from psreg.system.files import read_named, read_own

FILE = "verified.json"
KEY = "verified.key"
SCHEMA = "psreg.verified/1"

TOP = (ROOT, TIMESTAMP, SNAPSHOT, TARGETS)
MOST = 4_096
"""How many targets, and releases, are remembered; the last ones are kept."""

_LARGEST = 8 * 1024 * 1024
_LARGEST_KEPT = 64 * 1024 * 1024
_KEY_BYTES = 32
_DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What the roles say of a target path until `expires`; `target` is None if none lists it."""

    target: Target | None
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """A release that passed all checks. `digest` is of all that they depended on."""

    digest: str
    claimed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was verified of one state of the registry with an id and a pinned root.

    `files` are the SHA-256 of the cached metadata by role, "" for what there is not; `versions` and
    `expires`, the first date such as `2026-11-21T05:00:00Z`, are those of root, timestamp, snapshot
    and targets. `listings` are by target path, `accepted` by name and version, as `quiz 1.0.0`.
    """

    registry: str
    pin: str
    files: Mapping[str, str]
    versions: Mapping[str, int]
    expires: str
    listings: Mapping[str, Listing]
    accepted: Mapping[str, Acceptance]

    def to_bytes(self, key: bytes) -> bytes:
        """Return the facts with their code: it in the first line, JSON in the second."""
        value = {
            "schema": SCHEMA,
            "psreg": __version__,
            "registry": self.registry,
            "pin": self.pin,
            "files": self.files,
            "versions": self.versions,
            "expires": self.expires,
            "listings": {
                path: [each.target and [each.target.length, each.target.sha256], each.expires]
                for path, each in self.listings.items()
            },
            "accepted": {name: [each.digest, each.claimed] for name, each in self.accepted.items()},
        }
        body = json.dumps(value, separators=(",", ":")).encode()
        return code_of(key, body, "sha256").hex().encode() + b"\n" + body

    @classmethod
    def from_bytes(cls, data: bytes, key: bytes) -> Facts | None:
        """Return the facts that `to_bytes` wrote with this key; None for anything else."""
        code, _, body = data.partition(b"\n")
        if not compare_digest(code, code_of(key, body, "sha256").hex().encode()):
            return None
        value: dict[str, Any] = json.loads(body)
        if (value["schema"], value["psreg"]) != (SCHEMA, __version__):
            return None
        return cls(
            registry=value["registry"],
            pin=value["pin"],
            files=value["files"],
            versions=value["versions"],
            expires=value["expires"],
            listings={
                path: Listing(
                    target=target and Target(length=target[0], sha256=target[1]), expires=expires
                )
                for path, (target, expires) in value["listings"].items()
            },
            accepted={
                name: Acceptance(digest=digest, claimed=claimed)
                for name, (digest, claimed) in value["accepted"].items()
            },
        )

    def with_more(self, before: Facts | None) -> Facts:
        """Return these facts and those `before` them, if they are of the same state."""
        same = before is not None and (before.registry, before.pin, before.files) == (
            self.registry,
            self.pin,
            self.files,
        )
        if before is None or not same:
            return self
        return Facts(
            registry=self.registry,
            pin=self.pin,
            files=self.files,
            versions=self.versions,
            expires=self.expires,
            listings=_last({**before.listings, **self.listings}),
            accepted=_last({**before.accepted, **self.accepted}),
        )


def _last(values: dict[str, Any]) -> dict[str, Any]:
    return dict([*values.items()][-MOST:])


def state_key(folder: Path, *, make: bool = False) -> bytes | None:
    """Return the key in the folder of the user's settings; None if there is none of this user's.

    It counts only if nobody else can read or write it. `make` makes one if there is none that does.
    """
    place = folder / KEY
    with suppress(UnavailableError, OSError):
        status = place.lstat()
        owner = getattr(os, "geteuid", lambda: status.st_uid)()
        private = os.name == "nt" or not stat.S_IMODE(status.st_mode) & 0o077
        data = read_own(place, _KEY_BYTES)
        if private and status.st_uid == owner and len(data) == _KEY_BYTES:
            return data
    if not make:
        return None
    data = os.urandom(_KEY_BYTES)
    try:
        with exclusive(folder / ".psreg.lock"):  # that of the settings
            clear_unfinished(folder)
            write_file(place, data, mode=0o600)
    except UnavailableError:
        return None
    return data


def read_facts(folder: Path, key: bytes) -> Facts | None:
    """Return the facts that are kept in the state folder of a registry, None if there are none."""
    try:
        return Facts.from_bytes(read_own(folder / FILE, _LARGEST), key)
    except UnavailableError:
        return None


def write_facts(folder: Path, facts: Facts, key: bytes) -> None:
    """Keep facts in the state folder of their registry. Raises UnavailableError."""
    write_own(folder / FILE, facts.to_bytes(key), folder, durable=False)


def cached(metadata: Path, roles: Iterable[str] = (ROOT, *LISTED)) -> dict[str, bytes]:
    """Return the cached file of each role, b"" for one that is not there."""
    found = dict.fromkeys(roles, b"")
    for role in found:
        with suppress(UnavailableError):
            found[role] = read_named(metadata / f"{role}.json", MAX_METADATA)
    return found


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of some files, "" for an empty one."""
    return {role: (data and hashlib.sha256(data).hexdigest()) or "" for role, data in files.items()}


def digest_of(place: Path) -> str:
    """Return the SHA-256 of a file of our own state, "" if it cannot be read."""
    if not os.path.lexists(place):
        return ""  # what is often so should not take the time of an error
    try:
        return hashlib.sha256(read_own(place, _LARGEST_KEPT)).hexdigest()
    except UnavailableError:
        return ""


def collected(
    metadata: Path,
    registry: str,
    pin: str,
    targets: Mapping[str, Target | None],
    accepted: Mapping[str, Acceptance],
) -> Facts | None:
    """Return the facts of the verified state in `metadata`, with what it lists for some paths.

    None if it has a date that is not written as usual.
    """
    files = cached(metadata)
    signed = {role: json.loads(files[role])["signed"] for role in TOP}
    top = {str(each["expires"]) for each in signed.values()}
    read = cache(lambda role: signed_in(metadata / f"{role}.json"))
    dates = {path: {*top, *_dates_of(read, path, signed[SNAPSHOT])} for path in targets}
    if not all(re.fullmatch(_DATE, date, re.ASCII) for date in top.union(*dates.values())):
        return None
    return Facts(
        registry=registry,
        pin=pin,
        files=digests(files),
        versions={role: int(each["version"]) for role, each in signed.items()},
        expires=min(top),
        listings={
            path: Listing(target=target, expires=min(dates[path]))
            for path, target in targets.items()
        },
        accepted=accepted,
    )


def _dates_of(read: Callable[[str], Any], path: str, snapshot: Mapping[str, Any]) -> Iterable[str]:
    """Yield when the delegated roles expire that may say something about a target path."""
    for role in (RELEASES, OWNERS, *possible_bins(path)):
        listed = snapshot["meta"].get(f"{role}.json")
        signed = read(role) if listed else None
        if listed and signed and signed["version"] == listed["version"]:
            yield str(signed["expires"])
