"""Makes the lock of a project: what its project file asks for, changed only where it must."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from psreg.client.install import required_record
from psreg.client.project.drift import needed
from psreg.client.project.lockfile import Lock, LockedPrompt, moved
from psreg.client.project.manifest import Manifest
from psreg.client.project.registries import ProjectRegistry, Published
from psreg.client.resolve import Request, pick
from psreg.core.errors import FindingsError, TrustError
from psreg.core.version import ANY, Range, parse_version
from psreg.registry.requirements.resolution import Offer, Requirement, resolve

_LISTED = 20


def relocked(
    manifest: Manifest,
    lock: Lock,
    published: Published,
    *,
    update: Collection[str] = (),
    precise: Mapping[str, str] | None = None,
    accept_owners: Collection[str] = (),
    elsewhere: Collection[str] = (),
) -> Lock:
    """Return the lock that fits the project file.

    What is locked stays, but for the names to `update`; `precise` are exact versions of some of
    them. Other locked releases change only if nothing else fits. Releases of the names in
    `accept_owners` need no signature although the locked ones have one. Only the names in
    `elsewhere`, and what they require, may be of another registry than what is locked.

    Raises:
        FindingsError: see `resolve`.
        PsregError: see `Published`; TrustError `TRUST_OWNER_CHANGED`, `TRUST_OTHER_REGISTRY`.
    """
    exact = [
        Requirement(name=name, range=Range.parse(version), origin="`--precise`")
        for name, version in (precise or {}).items()
    ]
    asked = [
        Requirement(name=each.name, range=each.range, origin=each.origin)
        for each in manifest.prompts.values()
    ]
    published.bind(lock)
    kept = {
        name: each
        for name, each in lock.prompts.items()
        if name not in update and _fits(each, manifest, published)
    }
    versions = {name: each.version for name, each in kept.items()}
    try:
        chosen = resolve([*asked, *exact], _MostlyKept(published, kept), versions)
    except FindingsError:
        chosen = resolve([*asked, *exact], published, versions)
    entries = {
        name: _entry(name, chosen[name], lock.prompts.get(name), published)
        for name in sorted(chosen)
    }
    for name, entry in entries.items():
        if name not in accept_owners:
            _check_owners(entry, lock.prompts.get(name))
    after = Lock(prompts=entries)
    _check_registries(after, lock, needed(elsewhere, after))
    return after


Entry = str | dict[str, str]
"""What a project file says of a prompt: a range, or a table with `version` and `registry`."""


def entries_for(
    requests: Iterable[Request],
    manifest: Manifest,
    registry: str | None,
    of_name: Callable[[str, str | None], ProjectRegistry],
) -> dict[str, Entry]:
    """Return what a project file says when prompts of a `registry` are added to it.

    Where a request has no range, it is what is compatible with the newest version. `of_name`
    returns the registry of a name, for which one may be spelled.

    Raises:
        PsregError: a name is unknown, or has no version to use; as `of_name`.
    """
    entries: dict[str, Entry] = {}
    for request in requests:
        before = manifest.prompts.get(request.name)
        spelled = registry or (before.registry if before else None)
        text = request.range.text
        if request.range is ANY:
            record = required_record(request.name, of_name(request.name, spelled))
            text = f"^{pick(record, request).semver.without_build()}"
        entries[request.name] = {"version": text, "registry": spelled} if spelled else text
    return entries


def _fits(locked: LockedPrompt, manifest: Manifest, published: Published) -> bool:
    """Return whether a locked release is what the project file asks for."""
    wanted = manifest.prompts.get(locked.name)
    if wanted is not None and not wanted.range.matches(parse_version(locked.version)):
        return False
    return published.registry(locked.name).id == locked.registry


def _entry(
    name: str, version: str, before: LockedPrompt | None, published: Published
) -> LockedPrompt:
    """Return the entry of a chosen release; the one before stays if it is of the same release."""
    same = before is not None and before.version == version
    if before is not None and same and before.registry == published.registry(name).id:
        return before
    return published.verified(name, version).locked()


def _check_owners(entry: LockedPrompt, before: LockedPrompt | None) -> None:
    """Check that a release of a name is signed if the locked one was.

    Raises:
        TrustError: `TRUST_OWNER_CHANGED`.
    """
    if before is None or before.registry != entry.registry or entry.owners or not before.owners:
        return
    raise TrustError(
        "TRUST_OWNER_CHANGED",
        f"{entry.name} {before.version} is signed by its owners, and {entry.version} is not",
        f"Keep the locked version, or run the command with `--accept-owners {entry.name}`.",
    )


def _check_registries(after: Lock, before: Lock, accepted: Collection[str]) -> None:
    """Check that no other names than the accepted ones change their registry.

    Raises:
        TrustError: `TRUST_OTHER_REGISTRY`.
    """
    changes = {n: moved(before.prompts.get(n), each) for n, each in after.prompts.items()}
    found = [(name, ids) for name, ids in changes.items() if ids and name not in accepted]
    if not found:
        return
    names = " ".join(name for name, _ in found) if len(found) <= _LISTED else "NAME…"
    more = [f"and {len(found) - _LISTED} more"] if len(found) > _LISTED else []
    first, *others = [
        f"{name} is locked from the registry {ids['before']}, and would be from {ids['after']}"
        for name, ids in found[:_LISTED]
    ]
    raise TrustError(
        "TRUST_OTHER_REGISTRY",
        first,
        'Write `registry = "…"` into psreg.toml to keep it, or run '
        f"`psreg update {names}` to see what changes and lock it from there.",
        (*others, *more),
    )


class _MostlyKept:
    """What is published, where each kept release is the only one of its name."""

    def __init__(self, published: Published, kept: Mapping[str, LockedPrompt]) -> None:
        self._published, self._kept = published, kept

    def offers(self, name: str, *, required_by: str) -> Sequence[Offer]:
        if name not in self._kept:
            return self._published.offers(name, required_by=required_by)
        version = self._kept[name].version
        return [Offer(version=version, semver=parse_version(version))]

    def requires(self, name: str, version: str) -> Sequence[Requirement]:
        kept = self._kept.get(name)
        if kept is None:
            return self._published.requires(name, version)
        return [self._published.required(name, *each) for each in kept.requires.items()]
