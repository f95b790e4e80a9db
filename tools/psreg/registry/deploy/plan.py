"""What a deployment writes and removes, and in which order.

Content-addressed files and artifacts come first, then metadata, then what pages refer to, then
pages, then roots, and the timestamp last: each stage refers only to those before it, and until the
timestamp is written the old state is in force, and all of it is still there. Roots follow the
timestamp if clients that do not have them accept it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from psreg.registry.deploy.deployable import Deployable
from psreg.registry.deploy.deployed import Deployed, RetiredObjects
from psreg.registry.deploy.headers import TIMESTAMP_FILE
from psreg.registry.deploy.place import Place, is_final
from psreg.registry.trust.roles import ROOT, role_and_version

_ROOTS = 4
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The stages to write, whether the timestamp follows, the roots after it, what is then removed.

    `after` is what `deploy.json` says at the end.
    """

    stages: tuple[tuple[str, ...], ...]
    timestamp: bool
    roots: tuple[str, ...]
    removed: tuple[str, ...]
    after: Deployed

    @property
    def written(self) -> tuple[str, ...]:
        """Everything that is written, in order."""
        last = (TIMESTAMP_FILE,) if self.timestamp else ()
        return (*(path for stage in self.stages for path in stage), *last, *self.roots)


def plan(source: Deployable, place: Place, now: datetime, keep: timedelta | None) -> Plan:
    """Return what to do; what the site no longer has is removed after `keep`, None for never.

    What is left of purged releases is removed at once.
    """
    changed = sorted(path for path, mark in source.marks.items() if place.marks.get(path) != mark)
    stages = [tuple(path for path in changed if _stage(path) == at) for at in range(_ROOTS)]
    # One after the other: a client asks for the next root until there is none.
    found = (path for path in changed if _stage(path) == _ROOTS)
    roots = tuple(sorted(found, key=lambda path: (len(path), path)))
    follow = bool(roots) and _may_follow(roots[0], source, place)
    stages += [(path,) for path in roots if not follow]
    retired = _retired(source, place, now)
    due = {path for each in retired if _is_due(each, now, keep) for path in each.paths}
    due |= {path for each in retired for path in each.paths if source.is_purged(path)}
    ours = source.timestamp.data
    return Plan(
        stages=tuple(filter(None, stages)),
        timestamp=place.timestamp is None or place.timestamp.data != ours,
        roots=roots if follow else (),
        removed=tuple(sorted(due)),
        after=Deployed(
            registry_id=place.deployed.registry_id,
            timestamps=(hashlib.sha256(ours).hexdigest(),),
            files=source.marks,
            retired=_without(retired, due),
        ),
    )


def _may_follow(first: str, source: Deployable, place: Place) -> bool:
    """Return whether the new roots, of which one is the `first`, may come after the timestamp."""
    _, version = role_and_version(first.rpartition("/")[2]) or (ROOT, 1)
    return place.timestamp is not None and version > 1 and source.state.roots_may_follow(version)


def _stage(path: str) -> int:
    """Return when a file is written; a root comes at the end, because it may replace any key."""
    if path.startswith(("registry/targets/", "registry/log/tile/", "pbes/")):
        return 0
    if path.startswith("registry/metadata/"):
        return _ROOTS if path.endswith(".root.json") else 1
    return 3 if path.endswith(".html") else 2


def _retired(source: Deployable, place: Place, now: datetime) -> tuple[RetiredObjects, ...]:
    """Return all objects that the site no longer has.

    As long as the timestamp in force has not expired, a client may read through it.
    """
    before = _without(place.deployed.retired, source.marks.keys())
    listed = {path for each in before for path in each.paths}
    gone = place.deployed.marks.keys() - source.marks.keys() - listed
    expires = max(now, place.timestamp.expires) if place.timestamp else now
    new = (
        RetiredObjects(
            since=now.strftime(_TIME), until=until.strftime(_TIME), paths=tuple(sorted(paths))
        )
        for paths, until in (
            (filter(is_final, gone), expires),
            ((path for path in gone if not is_final(path)), now),
        )
    )
    return (*before, *(each for each in new if each.paths))


def _is_due(retired: RetiredObjects, now: datetime, keep: timedelta | None) -> bool:
    if keep is None:
        return False
    at = (now - keep).strftime(_TIME)
    return retired.since <= at and retired.until <= now.strftime(_TIME)


def _without(retired: Iterable[RetiredObjects], paths: Iterable[str]) -> tuple[RetiredObjects, ...]:
    out = frozenset(paths)
    left = (
        replace(each, paths=tuple(path for path in each.paths if path not in out))
        for each in retired
    )
    return tuple(each for each in left if each.paths)
