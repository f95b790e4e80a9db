"""One command in a project: its files, its registries, the cache, and the policies that apply."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.install import MAX_ARTIFACT, fetch, matches_digest
from psreg.client.project.cache import user_cache
from psreg.client.project.folder import Plan, PromptFolder
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.manifest import Manifest
from psreg.client.project.policy import check_policies, known_registries, policies_of
from psreg.client.project.registries import Published
from psreg.client.project.syncing import Sync
from psreg.client.project.verified import VerifiedRelease
from psreg.client.project.workspace import Workspace
from psreg.client.registry_choice import trust_store
from psreg.client.resolve import refusal
from psreg.client.selection.opened import OpenedRegistries
from psreg.client.withdrawals import withdrawal_of
from psreg.core.dataclass import dataclass
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.http.address import is_url
from psreg.system.files import read_own

if TYPE_CHECKING:
    from psreg.client.project.exporting import ProjectExports
    from psreg.client.selection.opened import AnyRegistry, KindAt


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a lock needs, fetched and verified, and what `apply` does to the folder."""

    folder: PromptFolder
    releases: tuple[VerifiedRelease, ...]
    plan: Plan
    data: Mapping[str, bytes]
    warnings: tuple[str, ...]

    def apply(self) -> None:
        """Write and remove files. Raises UnavailableError `CANNOT_WRITE`."""
        self.folder.apply(self.plan, self.data)


class Session:
    """A project that a command works on.

    The options are those of `OpenedRegistries`.

    Raises:
        UsageError: `CONFIG_INVALID`, of a `[policy]`.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings,
        stack: ExitStack,
        *,
        option: str | None,
        stale_until: str,
        say: Callable[[str], None],
        kind: KindAt | None = None,
    ) -> None:
        self.workspace = workspace
        self.cache = user_cache()
        self._settings = settings
        self._policies = policies_of(settings)
        self._store = trust_store(say)
        self.opener = OpenedRegistries(
            settings,
            stack,
            say,
            option=option,
            kind=kind,
            stale_until=stale_until,
            start=workspace.root,
        )
        self._names = self.opener.names

    def selected(self, spelled: str | None) -> SelectedRegistry:
        """Return the registry that the project file spells so, the usual one for None."""
        if spelled is None:
            return self.opener.usual_one()
        return self._settings.of_project(spelled, self.workspace.file)

    def opened(self, spelled: str | None) -> AnyRegistry:
        """Return that registry, opened once.

        Raises:
            PsregError: see `OpenedRegistries.open`.
        """
        return self.opener.open(self.selected(spelled))

    def of_name(self, name: str, spelled: str | None) -> AnyRegistry:
        """Return the registry of a name, for which the project file may spell one.

        Raises:
            PsregError: see `Choosing`.
        """
        if spelled is None:
            return self._names.of(name)
        selected = self.selected(spelled)
        self._names.check(name, selected)
        return self.opener.open(selected)

    def ids(self, manifest: Manifest, lock: Lock) -> dict[str, str]:
        """Return the ids of the registries of the prompts, as far as this machine knows them.

        A name that two registries may have is of the one that the lock says.
        """
        found = {}
        for name, wanted in manifest.prompts.items():
            locked = lock.prompts.get(name)
            found[name] = self._id(name, wanted.registry, locked.registry if locked else "")
        return {name: identity for name, identity in found.items() if identity is not None}

    def required_ids(self, lock: Lock) -> dict[str, str]:
        """Return the ids of the registries of locked names that need not be of what requires them.

        That are the names that are bound, or all if a registry has other `names` only.
        """
        found = {}
        for name, locked in lock.prompts.items():
            if self._names.limited or self._names.bound(name) is not None:
                found[name] = self._id(name, None, locked.registry)
        return {name: identity for name, identity in found.items() if identity is not None}

    def _id(self, name: str, spelled: str | None, locked: str) -> str | None:
        """Return the id of the registry of a name without a network, None if it is not known."""
        try:
            if spelled is not None:
                selected = self.selected(spelled)
                self._names.check(name, selected)
                return self._names.known_id(selected)
            if (bound := self._names.bound(name)) is not None:
                return self._names.known_id(bound)
            ids = [self._names.known_id(each) for each in self._names.candidates()]
        except PsregError as error:
            if error.code in ("POLICY_LOCKED", "NAME_OF_TWO_REGISTRIES"):
                raise
            return None
        return locked if locked in ids else next(iter(ids), None)

    def published(self, manifest: Manifest) -> Published:
        """Return what the registries of the project publish.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`: the project file spells another registry than
                a name is bound to.
        """
        for name, wanted in manifest.prompts.items():
            if wanted.registry is not None:
                self._names.check(name, self.selected(wanted.registry))
        return Published(manifest, self.opened, self._names)

    def prepared(
        self,
        manifest: Manifest,
        lock: Lock,
        published: Published,
        *,
        fresh: bool,
        offline: bool = False,
        overwrite: bool = False,
    ) -> Prepared:
        """Return what the lock needs, fetched and verified; nothing but the cache is written.

        Raises:
            PsregError: see `Sync`, `check_policies` and `PromptFolder.plan`.
        """
        sync = Sync(published, self.cache, self._withdrawn, fresh=fresh, offline=offline)
        releases = sync.releases(lock)
        check_policies(self._policies, releases, self._known())
        folder = self.workspace.folder(manifest)
        wanted = {each.release.filename: each.row.sha256 for each in releases}
        plan = folder.plan(wanted, overwrite=overwrite)
        data, warnings = sync.files(releases, plan.write, plan.had)
        told = [line for each in releases for line in each.warnings]
        return Prepared(
            folder=folder,
            releases=releases,
            plan=plan,
            data=data,
            warnings=(*warnings, *told, *_left(folder, plan)),
        )

    def exports(
        self, manifest: Manifest, prepared: Prepared, published: Published, *, overwrite: bool
    ) -> ProjectExports | None:
        """Return what `[[targets]]` need, None if there are none. Raises as `project_exports`."""
        if not manifest.targets:
            return None
        from psreg.client.project.exporting import project_exports  # noqa: PLC0415 - few have them

        read = self.content(published)
        return project_exports(
            manifest,
            {each.release.name: each for each in prepared.releases},
            lambda release: read(release.locked()),
            self.workspace.root,
            overwrite=overwrite,
        )

    def content(self, published: Published) -> Callable[[LockedPrompt], bytes]:
        """Return what reads the artifact of a locked release, from the cache or its registry."""

        def read(prompt: LockedPrompt) -> bytes:
            with suppress(TrustError):
                if (data := self.cache.artifact(prompt.sha256)) is not None:
                    return data
            record, row = published.record(prompt.name), published.row(prompt.name, prompt.version)
            verified = VerifiedRelease.of(record, row, prompt.registry)
            return fetch(verified.choice, published.registry(prompt.name))

        return read

    def locked_file(
        self, manifest: Manifest, lock: Lock, name: str, *, offline: bool
    ) -> tuple[Path, VerifiedRelease, bytes]:
        """Return the path in the folder, the release and the bytes of a locked prompt.

        What is not in the folder is read from the cache, or from its registry.

        Raises:
            PsregError: see `Sync` and `check_policies`; `TRUST_DIGEST`: the file in the folder is
                not what the lock says.
        """
        published = self.published(manifest)
        sync = Sync(published, self.cache, self._withdrawn, fresh=False, offline=offline)
        (verified,) = sync.releases(lock, [name])
        check_policies(self._policies, [verified], self._known())
        filename = verified.release.filename
        path = self.workspace.folder(manifest).folder / filename
        if os.path.lexists(path):
            return path, verified, _intact(path, verified.row.sha256)
        data, _ = sync.files([verified], {filename})
        return path, verified, data[filename]

    def removal(self, manifest: Manifest, lock: Lock) -> Prepared:
        """Return what removes the files that are not locked any more; nothing else is changed."""
        folder = self.workspace.folder(manifest)
        plan = folder.removal({each.release.filename for each in lock.prompts.values()})
        left = _left(folder, plan)
        return Prepared(folder=folder, releases=(), plan=plan, data={}, warnings=left)

    def spelled(self, option: str) -> str | None:
        """Return how a project file names the registry of an option; None for the usual one."""
        start = Path.cwd()
        selected = self._settings.select(option, origin="--registry", start=start)
        with suppress(PsregError):
            if self.selected(None).location == selected.location:
                return None
        for each in self._settings.registries():
            if each.location == selected.location:
                return each.name
        if is_url(selected.location):
            return selected.location
        return Path(os.path.relpath(selected.location, self.workspace.root)).as_posix()

    def _known(self) -> dict[str, str]:
        known = known_registries(self._settings, self._store)
        return known | self.opener.ids

    def _withdrawn(self, prompt: LockedPrompt) -> PsregError | None:
        anchor = self._store.with_id(prompt.registry)
        if anchor is None:
            return None
        key = (prompt.name, prompt.version, prompt.sha256)
        seen = withdrawal_of(anchor.folder, key)
        return refusal(f"{prompt.name} {prompt.version}", seen) if seen else None


def _intact(path: Path, sha256: str) -> bytes:
    problem = f"{path} is not what psreg.lock says"
    try:
        data = read_own(path, MAX_ARTIFACT)
        if matches_digest(data, sha256):
            return data
    except UnavailableError as error:
        problem = error.message
    raise TrustError(
        "TRUST_DIGEST",
        problem,
        "Run `psreg sync --overwrite` to restore it. To use a changed file, name its path.",
    )


def _left(folder: PromptFolder, plan: Plan) -> tuple[str, ...]:
    """Return the warnings about files that are not wanted any more, and were changed by hand."""
    return tuple(f"{folder.folder / name} was changed by hand and is kept" for name in plan.left)
