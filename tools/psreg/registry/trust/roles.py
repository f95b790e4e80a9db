"""The roles of a registry: which key signs what, file names, and how long signatures last.

```
root ─┬─ timestamp ── names the current snapshot
      ├─ snapshot ─── names the version of every role below
      └─ targets ─┬─ releases ─┬─ catalog/head.json
                  │            ├─ log/checkpoint
                  │            └─ hash bins ── pkg/<name>.json
                  └─ owners ──── hash bins ── owners/<name>.json
```
The head of the catalogue names its segments by their digest, and the checkpoint the log by its
root. A registry has the role `owners` from its first claimed name on; its key is needed only to
change who owns a name, so it can be kept elsewhere than the keys that publish.
A delegated file looks like any other one with the same version and key, so every file names its
registry and its role in its signed part: `"psreg": {"id": …, "role": "r-2f"}`. Pure names and
numbers: no signature is made or verified here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.core.identity import is_name
from psreg.core.regex import lazy

ROOT = "root"
TARGETS = "targets"
SNAPSHOT = "snapshot"
TIMESTAMP = "timestamp"
RELEASES = "releases"
OWNERS = "owners"

_LETTERS = {RELEASES: "r", OWNERS: "o"}
"""What the names of bins start with, by the role that delegates to them."""

BIN_BITS = tuple(range(4, 17, 2))
"""How many bits of a hash can choose a bin; 16 bits are enough for 4 billion names."""

_UNNUMBERED = 8
"""The bits of the bins that were the only ones before psreg 0.2: their names do not tell them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """The hash bins that share the targets of `above`, as many as `bits` bits can count (TAP 15).

    Bins of another number have other names, so that a role never gets another meaning.
    """

    bits: int
    above: str = RELEASES

    @classmethod
    def for_names(cls, count: int, above: str = RELEASES) -> Bins:
        """Return the fewest bins that have on average at most as many names as there are bins.

        A publish writes one bin and the snapshot, which lists all bins: neither outgrows the other.
        """
        bits = next((bits for bits in BIN_BITS if 4**bits >= count), BIN_BITS[-1])
        return cls(bits=bits, above=above)

    @classmethod
    def with_role(cls, role: str) -> Bins | None:
        """Return the bins of which `role` is one, or None if it is not a bin."""
        match = _BIN.fullmatch(role)
        if match is None:
            return None
        above = next(each for each, letter in _LETTERS.items() if letter == match[1])
        bins = cls(bits=int(match[2] or _UNNUMBERED), above=above)
        return bins if bins.bits in BIN_BITS and role in bins.roles else None

    @property
    def prefix(self) -> str:
        """What the names of the bins start with, before `-`."""
        unnumbered = (self.above, self.bits) == (RELEASES, _UNNUMBERED)
        return _LETTERS[self.above] + ("" if unnumbered else str(self.bits))

    @property
    def roles(self) -> Mapping[str, None]:
        """The names of the bins, in order."""
        return _bin_roles(self)

    def of(self, target: str) -> str:
        """Return the bin that is responsible for a target path."""
        start = hashlib.sha256(target.encode()).hexdigest()[:8]
        return self.role(int(start, 16) >> (32 - self.bits))

    def role(self, number: int) -> str:
        """Return the name of bin `number`, from 0."""
        return f"{self.prefix}-{number:0{(self.bits + 3) // 4}x}"


@cache
def _bin_roles(bins: Bins) -> Mapping[str, None]:
    return dict.fromkeys(bins.role(number) for number in range(2**bins.bits))


def is_in_releases(target: str) -> bool:
    """Return whether `releases` lists a target path itself; bins list the others."""
    return target.startswith(("catalog/", "log/"))


def above_bins_of(target: str) -> str:
    """Return the role whose bins are responsible for a target path: `owners` or `releases`."""
    return OWNERS if target.startswith(f"{OWNERS}/") else RELEASES


@lru_cache(maxsize=4096)
def possible_bins(target: str) -> tuple[str, ...]:
    """Return the bins that a target path may be in, one for each number of bins there may be."""
    above = above_bins_of(target)
    return tuple(Bins(bits=bits, above=above).of(target) for bits in BIN_BITS)


PATHS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {RELEASES: ("pkg/*", "catalog/*", "log/*"), OWNERS: (f"{OWNERS}/*",)}
)
"""The target paths that `targets` delegates, by role."""

KEY_OF: dict[str, str] = {
    ROOT: "root",
    TARGETS: "root",
    OWNERS: OWNERS,
    RELEASES: "online",
    SNAPSHOT: "online",
    TIMESTAMP: "timestamp",
}
"""Which of the keys of a development registry signs which role; bins as `releases`."""

LOG = "log"
"""The key that signs the checkpoints of the transparency log, and the member that names it."""

MOVED = "moved_to"
"""The member of a root that announces another address of the registry (`trust.moved`)."""

KEYS: tuple[str, ...] = ("root", "online", "timestamp", LOG)

PUBLISHING = (KEY_OF[SNAPSHOT], KEY_OF[TIMESTAMP])
"""The keys that sign metadata with every publish; a service may have them."""


def key_number(stem: str, name: str) -> int:
    """Return which key of a name the file `stem` has: 1 for `online`, 2 for `online-2`; else 0."""
    rest = stem.removeprefix(name)
    if rest == stem:
        return 0
    return 1 if not rest else int(rest[1:]) if rest[:1] == "-" and rest[1:].isdecimal() else 0


LIFETIME = timedelta(days=365)
"""How long a signature lasts, of the roles that `LIFETIMES` does not name."""

LIFETIMES: Mapping[str, timedelta] = MappingProxyType(
    dict.fromkeys((SNAPSHOT, TIMESTAMP), timedelta(days=14))
)
"""How long the signatures of the roles last that say which state is current, by default.

Until they expire, a mirror can show an old state as the current one.
"""

METADATA_FOLDER = "metadata"
TIMESTAMP_PATH = "metadata/timestamp.json"
SEGMENT_FOLDER = "targets/segments"
TARGET_FOLDERS: tuple[str, ...] = (
    "targets/pkg",
    "targets/catalog",
    SEGMENT_FOLDER,
    "targets/log",
    f"targets/{OWNERS}",
)

SIGNING_FOLDER = "signing"
"""Where metadata is that waits for the signatures of people (`trust.drafts`)."""

CHECKPOINT = "log/checkpoint"
"""The target path of the log's checkpoint; a copy for monitors is at this path in the registry."""

_BIN = lazy(r"([ro])([0-9]{0,2})-[0-9a-f]+", re.ASCII)
_TARGET = lazy(r"(pkg|catalog|owners)/([a-z0-9_]+)\.json", re.ASCII)
_CONTENT = lazy(r"[0-9a-f]{64}((\.[a-z0-9_]+)?\.json|\.checkpoint)", re.ASCII)
_TILE = lazy(r"log/tile/([0-5]|entries)/(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?", re.ASCII)
_VERSIONED = lazy(r"([1-9][0-9]{0,15})\.([a-z0-9-]+)\.json", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What signed metadata says about a target file: size in bytes and lower-case hex SHA-256."""

    length: int
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> Target:
        """Return the description of `data`."""
        return cls(length=len(data), sha256=hashlib.sha256(data).hexdigest())


@dataclass(frozen=True, slots=True, kw_only=True)
class RootInfo:
    """What a root says about its registry; `sha256` is of exactly these bytes, in hex.

    `log` are the keys of its log, as `log.checkpoint.NoteKey` reads them; () if it has none.
    """

    id: str
    mode: str
    sha256: str
    version: int
    log: tuple[str, ...] = ()


_ID = lazy(r"[0-9a-f]{32}", re.ASCII)


def is_registry_id(text: str) -> bool:
    """Return whether `text` can be the id of a registry."""
    return _ID.fullmatch(text) is not None


DEVELOPMENT, PRODUCTION = MODES = ("dev", "production")
"""What a root says about the keys of its registry: one person has all of them, or several do."""

HEAD = "head"
"""The part of the catalogue that lists its segments."""

BINDING = "psreg"
"""The member of the signed part that names registry and role; in a root also the mode."""


def is_bound(signed: Any) -> bool:
    """Return whether the signed part of metadata, as JSON data, names its role."""
    binding = signed.get(BINDING) if isinstance(signed, dict) else None
    return isinstance(binding, dict) and "role" in binding


def check_binding(signed: Any, role: str, registry_id: str | None, *, required: bool) -> None:
    """Check that the signed part of metadata is that of `role` in the registry `registry_id`.

    Files of older registries name nothing, which is accepted unless a binding is `required`; a root
    is known by its type and id. `registry_id` is None where it is not known.

    Raises:
        TrustError: TRUST_ROLE; TRUST_PIN for the root of another registry.
    """
    binding = signed.get(BINDING) if isinstance(signed, dict) else None
    if binding is None and not required and (role != ROOT or registry_id is None):
        return
    found = binding if isinstance(binding, dict) else {}
    if role == ROOT and registry_id not in (None, found.get("id")):
        raise TrustError(
            "TRUST_PIN", f"the registry {registry_id} now claims the id {found.get('id')}"
        )
    if found.get("role", role if role == ROOT else None) != role:
        told = f"names the role {found['role']!r}" if "role" in found else "does not name its role"
        raise TrustError("TRUST_ROLE", f"the metadata of {role} {told}", _HIDING)
    if registry_id not in (None, found.get("id")):
        raise TrustError(
            "TRUST_ROLE", f"the metadata of {role} is of the registry {found.get('id')!r}", _HIDING
        )


def check_keys(signed: Any) -> None:
    """Check that no key of a root or a delegation has two ids: it would count twice.

    Raises:
        TrustError: TRUST_KEY_TWICE.
    """
    fields = signed if isinstance(signed, dict) else {}
    for holder in (fields, fields.get("delegations")):
        keys = holder.get("keys") if isinstance(holder, dict) else None
        each = keys.values() if isinstance(keys, dict) else ()
        found = [public for public in map(_public, each) if public is not None]
        if len(found) != len(set(found)):
            raise TrustError(
                "TRUST_KEY_TWICE",
                "one key has two ids, so that its signature would count twice",
                "Tell the maintainers of the registry; do not use it.",
            )


def _public(key: Any) -> str | None:
    """Return the public key, the same for the same key in other letters and line breaks."""
    value = key.get("keyval") if isinstance(key, dict) else None
    public = value.get("public") if isinstance(value, dict) else None
    if not isinstance(public, str):
        return None  # not a key, which python-tuf refuses
    text = "".join(public.split())
    return text.lower() if _HEX.fullmatch(text) else text


_HEX = lazy(r"[0-9a-fA-F]+", re.ASCII)

_HIDING = "Use another mirror: this one shows a signed file in place of another one."


def metadata_path(role: str, version: int) -> str:
    """Return the path of a version of a role's metadata, relative to the registry."""
    return f"{METADATA_FOLDER}/{version}.{role}.json"


def role_and_version(filename: str) -> tuple[str, int] | None:
    """Return the role and version in the name of a metadata file, or None."""
    match = _VERSIONED.fullmatch(filename)
    return (match[2], int(match[1])) if match else None


def package_target(name: str) -> str:
    """Return the target path of the record of entry `name`."""
    return f"pkg/{name}.json"


def catalog_target(part: str) -> str:
    """Return the target path of the catalogue's head, or of a shard of the former layout."""
    return f"catalog/{part}.json"


def owners_target(name: str) -> str:
    """Return the target path of what says who owns entry `name`."""
    return f"{OWNERS}/{name}.json"


def kind_and_name(target: str) -> tuple[str, str] | None:
    """Return (kind, name) of a target path; None if it is none of a registry.

    The kinds are "pkg", "catalog", "owners" and "log".
    """
    if target == CHECKPOINT:
        return (LOG, "checkpoint")
    match = _TARGET.fullmatch(target)
    return (match[1], match[2]) if match and is_name(match[2]) else None


def target_path(target: str, sha256: str) -> str:
    """Return the path of a target file: `targets/pkg/<sha256>.<name>.json`."""
    folder, _, name = target.rpartition("/")
    return f"targets/{folder}/{sha256}.{name}"


def is_retirable(path: str) -> bool:
    """Return whether `path` in the registry can be a file of a former state; no root is one."""
    folder, _, name = path.rpartition("/")
    if folder == METADATA_FOLDER:
        role = role_and_version(name)
        return role is not None and role[0] != ROOT
    if (tile := _TILE.fullmatch(path)) is not None:
        return tile[3] is not None  # a full one is never superseded
    return folder in TARGET_FOLDERS and _CONTENT.fullmatch(name) is not None


def is_tile(path: str) -> bool:
    """Return whether `path` in the registry can be a file of the log, its checkpoint excepted."""
    return _TILE.fullmatch(path) is not None


WARNING = timedelta(weeks=3)
"""How long before a signature expires people are told, if nothing renews it by itself."""


def is_offline(role: str) -> bool:
    """Return whether people hold the keys of a role, in production: bins of `owners`, too."""
    bins = Bins.with_role(role)
    return role in (ROOT, TARGETS, OWNERS) or (bins is not None and bins.above == OWNERS)


def is_due(expires: datetime, now: datetime, lifetime: timedelta) -> bool:
    """Return whether a signature that expires at `expires` should be renewed at `now`.

    That is when less than 30 % of its `lifetime` is left.
    """
    return expires - now < lifetime * 3 // 10
