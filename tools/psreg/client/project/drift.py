"""Where a lock file is not what its project file asks for; nothing is asked of a registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from psreg.client.project.lockfile import NAME, Lock, LockedPrompt, line_of
from psreg.client.project.manifest import Manifest
from psreg.core.errors import FindingsError
from psreg.core.version import Range, parse_version

_LISTED = 20


def reached(manifest: Manifest, lock: Lock) -> set[str]:
    """Return the locked names that the project needs, directly or not."""
    return needed(manifest.prompts, lock)


def needed(names: Iterable[str], lock: Lock) -> set[str]:
    """Return those of some names that are locked, and what they require, directly or not."""
    seen: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in seen and name in lock.prompts:
            seen.add(name)
            waiting += lock.prompts[name].requires
    return seen


def drifts(
    manifest: Manifest,
    lock: Lock,
    data: bytes,
    registries: Mapping[str, str],
    required: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield, one sentence each, where the lock is not what the project file asks for.

    `data` are the bytes of the lock. `registries` are the ids of the registries that the project
    file binds names to, as far as they are known, and `required` of those of names that need not be
    of the registry of what requires them.
    """
    for wanted in manifest.prompts.values():
        locked = lock.prompts.get(wanted.name)
        asked = f"{wanted.origin}: {wanted.name} {wanted.range.text}"
        if locked is None:
            yield f"{asked} is not in {NAME}"
        elif not wanted.range.matches(parse_version(locked.version)):
            yield f"{asked} does not match {_title(locked, data)}"
        elif registries.get(wanted.name, locked.registry) != locked.registry:
            yield f"{asked} is from another registry than {_title(locked, data)}"
    used = reached(manifest, lock)
    for name, locked in lock.prompts.items():
        if name in used:
            yield from _unmet(locked, lock, _title(locked, data), required)
        else:
            yield f"{_title(locked, data)} is not needed"


def _unmet(
    locked: LockedPrompt, lock: Lock, title: str, required: Mapping[str, str]
) -> Iterator[str]:
    """Yield what a locked release requires and the lock does not have."""
    for name, text in locked.requires.items():
        found = lock.prompts.get(name)
        if found is None:
            yield f"{title} requires {name} {text}, which is not locked"
        elif not Range.parse(text).matches(parse_version(found.version)):
            yield f"{title} requires {name} {text}, but {found.version} is locked"
        elif found.registry != required.get(name, locked.registry):
            yield f"{title} requires {name}, which is locked from another registry"


def _title(locked: LockedPrompt, data: bytes) -> str:
    return f"{NAME}:{line_of(data, locked.name)}: {locked.name} {locked.version}"


def check_current(
    manifest: Manifest,
    lock: Lock,
    data: bytes,
    registries: Mapping[str, str],
    required: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Check that a lock file is what its project file asks for.

    Raises:
        FindingsError: `LOCK_DRIFT`.
    """
    found = [*drifts(manifest, lock, data, registries, required)]
    if not found:
        return
    more = len(found) - _LISTED
    first, *others = found
    details = (*others[: _LISTED - 1], *([f"and {more} more"] if more > 0 else []))
    raise FindingsError(
        "LOCK_DRIFT", first, f"Run `psreg lock`, and commit {NAME}.", tuple(details)
    )
