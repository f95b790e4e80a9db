"""Why a release is locked, and the tree of what requires what."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.client.project.lockfile import Lock
from psreg.client.project.manifest import Manifest

Row = tuple[int, str, str, bool]
"""How deep a release is in the tree, its name, its version, and whether it was shown before."""


def tree(manifest: Manifest, lock: Lock) -> Iterator[Row]:
    """Yield the locked releases below those that the project file asks for.

    What a release requires is shown where it is met first.
    """
    seen: set[str] = set()
    waiting = [(0, name) for name in sorted(manifest.prompts, reverse=True)]
    while waiting:
        depth, name = waiting.pop()
        if name not in lock.prompts:
            continue
        locked = lock.prompts[name]
        yield depth, name, locked.version, name in seen
        if name not in seen:
            seen.add(name)
            waiting += [(depth + 1, each) for each in sorted(locked.requires, reverse=True)]


def reasons(manifest: Manifest, lock: Lock, name: str) -> list[list[str]]:
    """Return why a name is locked: shortest first, the steps from the project file to it.

    Each step is a sentence; of several ways to a release, the shortest is taken.
    """
    found: list[list[str]] = []
    if wanted := manifest.prompts.get(name):
        found.append([f"{wanted.origin} asks for {name} {wanted.range.text}"])
    for other, locked in lock.prompts.items():
        if name in locked.requires and (above := _way(manifest, lock, other)) is not None:
            said = f"{other} {locked.version} requires {name} {locked.requires[name]}"
            found.append([*above, said])
    return sorted(found, key=lambda steps: (len(steps), steps))


def _way(manifest: Manifest, lock: Lock, name: str) -> list[str] | None:
    """Return the steps from the project file to a name, None if there are none."""
    ways = {
        each: [f"{wanted.origin} asks for {each} {wanted.range.text}"]
        for each, wanted in manifest.prompts.items()
        if each in lock.prompts
    }
    waiting = [*ways]
    for at in waiting:  # it grows
        locked = lock.prompts[at]
        for other, text in locked.requires.items():
            if other not in ways and other in lock.prompts:
                ways[other] = [*ways[at], f"{at} {locked.version} requires {other} {text}"]
                waiting.append(other)
    return ways.get(name)
