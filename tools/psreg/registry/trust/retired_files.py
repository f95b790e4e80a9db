"""The list of files that no current state refers to, and when each may be removed.

It is a plain file beside the metadata with a line for each publish. It is not signed: a damaged
line keeps its files, and no line gets a file removed that is in force.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    METADATA_FOLDER,
    ROOT,
    TIMESTAMP,
    Bins,
    is_retirable,
    role_and_version,
)

RETIRED = "targets/retired.jsonl"
"""The path of the list in the registry."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """The files that the publish after the timestamp `after` retired, until the time `until`."""

    after: int
    paths: tuple[str, ...]
    until: str

    @classmethod
    def read(cls, line: bytes) -> Retired | None:
        """Return what a line says, or None if it is damaged."""
        try:
            value = json.loads(line)
            paths = tuple(filter(is_retirable, map(str, value["paths"])))
            return cls(after=int(value["after"]), paths=paths, until=str(value["until"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def line(self) -> bytes:
        """Return the line."""
        value = {"after": self.after, "until": self.until, "paths": self.paths}
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def read_retired(data: bytes | None, version: int) -> list[Retired]:
    """Return what a list says of the publishes before the timestamp `version`.

    A later line is of a publish that was interrupted.
    """
    lines = map(Retired.read, (data or b"").splitlines())
    return [each for each in lines if each and each.after < version]


def write_retired(lines: Iterable[Retired]) -> bytes:
    """Return the list with these lines."""
    return b"".join(each.line() for each in lines)


def retire(
    state: RegistryState, listed: Iterable[Retired], paths: Iterable[str], until: datetime
) -> list[Retired]:
    """Return the list after a publish over `state` that no longer refers to `paths`."""
    known = {path for each in listed for path in each.paths}
    new = tuple(path for path in paths if path not in known)
    after = state.versions[TIMESTAMP]
    return [*listed, Retired(after=after, paths=new, until=until.strftime(_TIME))]


def remove_due(
    state: RegistryState, listed: Iterable[Retired], live: Container[str], now: datetime
) -> tuple[list[Retired], list[str]]:
    """Return what is left of a list `now`, and the paths that may be removed.

    What `state` refers to is not removed, nor what is `live`.
    """
    at = now.strftime(_TIME)
    left = [each for each in listed if each.until > at]
    due = (path for each in listed if each.until <= at for path in each.paths)
    return left, [path for path in due if path not in live and not _is_in_force(path, state)]


def _is_in_force(path: str, state: RegistryState) -> bool:
    folder, _, name = path.rpartition("/")
    if folder == METADATA_FOLDER:
        return not _is_superseded(name, state)
    digest, _, target = name.partition(".")
    listed = state.targets.get(f"{folder.rpartition('/')[2]}/{target}")
    return listed is not None and listed.sha256 == digest


def superseded_metadata(state: RegistryState, names: Iterable[str]) -> Iterator[str]:
    """Yield the paths of those files of metadata that are older than the ones in force."""
    return (f"{METADATA_FOLDER}/{name}" for name in names if _is_superseded(name, state))


def _is_superseded(name: str, state: RegistryState) -> bool:
    role, version = role_and_version(name) or (ROOT, 0)
    former = Bins.with_role(role) not in (None, *state.bins_below.values())
    return role != ROOT and version < state.versions.get(role, 0) + former
