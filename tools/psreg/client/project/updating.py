"""What an update changes, before anything is written: versions, notes and the semantic diff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from psreg.client.project.lockfile import Lock, LockedPrompt, moved
from psreg.client.project.manifest import Manifest
from psreg.client.project.registries import Published
from psreg.compatibility.diff import Diff, compare_named, file_operand
from psreg.core.dataclass import dataclass
from psreg.core.errors import PsregError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.core.version import Range, Step, parse_version
from psreg.registry.records import PackageRecord, ReleaseRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A locked release that another one replaces; either is None where there is none.

    `notes` are the `changes` of the releases on the way, newest first, each with its version.
    `diff` is None if the two cannot be compared.
    """

    name: str
    before: LockedPrompt | None
    after: LockedPrompt | None
    notes: tuple[tuple[str, str], ...] = ()
    diff: Diff | None = None


def changes_between(
    before: Lock,
    after: Lock,
    published: Published,
    content: Callable[[LockedPrompt], bytes],
) -> Iterator[Change]:
    """Yield what changes from one lock to another, by name; `content` returns an artifact."""
    for name in sorted({*before.prompts, *after.prompts}):
        old, new = before.prompts.get(name), after.prompts.get(name)
        if old == new:
            continue
        if old is None or new is None:
            yield Change(name=name, before=old, after=new)
        else:
            releases = published.record(name).releases
            notes = tuple(notes_between(old.version, new.version, releases))
            yield Change(
                name=name, before=old, after=new, notes=notes, diff=_diff(old, new, content)
            )


def notes_between(
    old: str, new: str, releases: Iterable[ReleaseRecord]
) -> Iterator[tuple[str, str]]:
    """Yield what changed in each release after the older of two versions, up to the newer."""
    low, high = sorted((parse_version(old), parse_version(new)))
    for row in sorted(releases, key=lambda row: row.semver, reverse=True):
        final = not row.semver.prerelease or row.version == new
        if low < row.semver <= high and final and (text := row.text("changes")):
            yield row.version, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """An installed version that another one replaces; `notes` and `diff` as in `Change`."""

    name: str
    before: str
    after: str
    notes: tuple[tuple[str, str], ...] = ()
    diff: Diff | None = None

    @property
    def is_major(self) -> bool:
        """Whether what worked with the version before may not work with this one.

        The versions say so, or what changed does. Before 1.0.0 the second number counts.
        """
        lines = {
            (version.major, 0 if version.major else version.minor)
            for version in map(parse_version, (self.before, self.after))
        }
        return len(lines) > 1 or (self.diff is not None and self.diff.floor is Step.MAJOR)


def replacement(
    release: ReleaseId, data: bytes, before: ReleaseId, old: bytes | None, record: PackageRecord
) -> Replacement:
    """Return what replacing a release by another one changes; `old` is None if it is damaged."""
    diff = None
    with suppress(PsregError):
        if old is not None:
            diff = compare_named(
                file_operand(old, before.filename, before.version),
                file_operand(data, release.filename, release.version),
            )
    return Replacement(
        name=release.name,
        before=before.version,
        after=release.version,
        notes=tuple(notes_between(before.version, release.version, record.releases)),
        diff=diff,
    )


def _diff(
    old: LockedPrompt, new: LockedPrompt, content: Callable[[LockedPrompt], bytes]
) -> Diff | None:
    """Return the semantic diff, None if one of the artifacts is gone or cannot be parsed."""
    try:
        return compare_named(
            *(
                file_operand(content(each), each.release.filename, each.version)
                for each in (old, new)
            )
        )
    except PsregError:
        return None


def outdated(
    manifest: Manifest, lock: Lock, published: Published
) -> Iterator[dict[str, str | None]]:
    """Yield the locked releases that are not the newest, by name.

    `wanted` is the newest version that the project file, or those that require the name, allow:
    what `psreg update` would lock, if nothing else is in the way. `latest` is the newest of all.
    """
    published.bind(lock)
    ranges = {name: [each.range] for name, each in manifest.prompts.items()}
    for each in lock.prompts.values():
        for name, text in each.requires.items():
            ranges.setdefault(name, []).append(Range.parse(text))
    for name, locked in lock.prompts.items():
        rows = [row for row in published.record(name).releases if not (row.revoked or row.yanked)]
        final = [row for row in rows if not row.semver.prerelease]
        fitting = [row for row in rows if all(r.matches(row.semver) for r in ranges.get(name, ()))]
        wanted, latest = _newest(fitting), _newest(final)
        if locked.version not in (wanted, latest) or wanted != latest:
            yield {"name": name, "current": locked.version, "wanted": wanted, "latest": latest}


def newer_changes(
    rows: Iterable[Mapping[str, str | None]],
    lock: Lock,
    published: Published,
    content: Callable[[LockedPrompt], bytes],
) -> Iterator[Change]:
    """Yield what changes in the newer releases that `outdated` yielded, by name.

    That is up to the wanted version, or to the latest if no newer one is wanted. What this machine
    does not keep, if nobody else is asked, is left out.

    Raises:
        PsregError: see `Published.verified`.
    """
    before, after = {}, {}
    for row in rows:
        name, locked = str(row["name"]), lock.prompts[str(row["name"])]
        newer = [
            version
            for version in (row["wanted"], row["latest"])
            if version and parse_version(version) > parse_version(locked.version)
        ]
        if not newer:
            continue
        try:
            after[name] = published.verified(name, newer[0]).locked()
        except UnavailableError as error:
            if error.code != "NOT_KEPT":
                raise
        else:
            before[name] = locked
    yield from changes_between(Lock(prompts=before), Lock(prompts=after), published, content)


def _newest(rows: Sequence[ReleaseRecord]) -> str | None:
    return max(rows, key=lambda row: (row.semver, row.version)).version if rows else None


def described(replaced: Replacement) -> dict[str, Any]:
    """Return what a replacement changes as JSON data, without its differences."""
    return {
        "floor": str(replaced.diff.floor) if replaced.diff else None,
        "behaviour": replaced.diff.behaviour if replaced.diff else None,
        "major": replaced.is_major,
        "notes": [{"version": version, "text": text} for version, text in replaced.notes],
    }


def to_json(change: Change) -> dict[str, Any]:
    """Return a change as JSON data, without its differences."""
    diff = change.diff
    return {
        "name": change.name,
        "before": change.before.version if change.before else None,
        "after": change.after.version if change.after else None,
        "registry": moved(change.before, change.after),
        "floor": str(diff.floor) if diff else None,
        "behaviour": diff.behaviour if diff else None,
        "notes": [{"version": version, "text": text} for version, text in change.notes],
    }
