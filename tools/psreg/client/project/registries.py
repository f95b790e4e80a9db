"""The registries of a project: which one each name is of, each opened when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from psreg.client.install import Registry, required_record
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.manifest import Manifest
from psreg.client.project.verified import VerifiedRelease
from psreg.client.resolve import Request, refusal
from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.core.version import Range
from psreg.registry.requirements.installable import requires_of
from psreg.registry.requirements.resolution import Offer, Requirement

if TYPE_CHECKING:
    from psreg.client.open_registry import Lacks
    from psreg.registry.owners.claim import Claim
    from psreg.registry.records import PackageRecord, ReleaseRecord


class ProjectRegistry(Registry, Protocol):
    """A registry with an identity, which tells who owns a name."""

    id: str
    location: str

    def expect(self, requests: Iterable[Request], lacks: Lacks) -> None:
        """Say what will be requested, so that it can be fetched ahead, if something lacks it."""

    def claim(self, record: PackageRecord) -> Claim | None:
        """Return who owns a name, None if it is not claimed."""

    def is_claimed(self, name: str) -> bool:
        """Return whether a release that `check_release` accepted is of a claimed name."""

    def with_void_keys(self, record: PackageRecord) -> PackageRecord:
        """Return a record that also says which keys this machine has seen revoked."""


Opener = Callable[[str | None], ProjectRegistry]
"""Returns the registry that a project file spells so, the usual one for None, opened once."""


class Names(Protocol):
    """Which registry a name is of that the project file does not spell one for."""

    def of(self, name: str, locked: str | None = None) -> ProjectRegistry:
        """Return the registry of a name; `locked` is the id that a lock says."""

    def required(self, name: str, by: str, locked: str | None = None) -> ProjectRegistry | None:
        """Return the registry of a name that an entry of the registry at `by` requires.

        None means that it is the same registry.
        """


class _UsualNames:
    """Every name is of the usual registry, or of that which requires it."""

    def __init__(self, opened: Opener) -> None:
        self._opened = opened

    def of(self, name: str, locked: str | None = None) -> ProjectRegistry:  # noqa: ARG002
        return self._opened(None)

    def required(self, name: str, by: str, locked: str | None = None) -> None: ...


class Published:
    """What the registries of a project publish; implements `registry.requirements`'s `Releases`.

    A name is of the registry that the project file says, else of the one that `names` says: that
    which it is bound to, or that of the entry which requires it, never of another one that has a
    newer version.
    """

    def __init__(self, manifest: Manifest, opened: Opener, names: Names | None = None) -> None:
        self._manifest = manifest
        self._open = opened
        self._names = names or _UsualNames(opened)
        self._locked: dict[str, str] = {}
        self._registries: dict[str, ProjectRegistry] = {}
        self._records: dict[str, PackageRecord] = {}
        self._verified: dict[tuple[str, str], VerifiedRelease] = {}

    def registry(self, name: str) -> ProjectRegistry:
        """Return the registry that a name is of."""
        if name not in self._registries:
            wanted = self._manifest.prompts.get(name)
            if wanted is not None and wanted.registry is not None:
                self._registries[name] = self._open(wanted.registry)
            else:
                self._registries[name] = self._names.of(name, self._locked.get(name))
        return self._registries[name]

    def bind(self, lock: Lock) -> None:
        """Bind what is locked only because another entry requires it to the registry of that.

        What is not bound otherwise is of the registry that the lock says.
        """
        self._locked |= {name: each.registry for name, each in lock.prompts.items()}
        waiting = [name for name in self._manifest.prompts if name in lock.prompts]
        seen = {*waiting}
        while waiting:
            name = waiting.pop()
            for other in lock.prompts[name].requires:
                if other in lock.prompts and other not in seen:
                    seen.add(other)
                    waiting.append(other)
                    self._registries.setdefault(other, self._required(other, by=name))

    def _required(self, name: str, *, by: str) -> ProjectRegistry:
        registry = self.registry(by)
        return self._names.required(name, registry.location, self._locked.get(name)) or registry

    def record(self, name: str, required_by: str = "") -> PackageRecord:
        """Return the verified record of a name.

        Raises:
            UnavailableError: `UNKNOWN_NAME`.
            TrustError: it is refused.
        """
        if name not in self._records:
            try:
                self._records[name] = required_record(name, self.registry(name))
            except UnavailableError as error:
                if error.code != "UNKNOWN_NAME" or not required_by:
                    raise
                told = f"{error.message}, which {required_by} requires"
                raise UnavailableError(error.code, told, error.hint) from error
        return self._records[name]

    def expect(self, prompts: Iterable[LockedPrompt], has: Callable[[str], bool]) -> None:
        """Say which locked releases will be asked for, so that they can be fetched ahead.

        `has` returns whether an artifact, by its SHA-256, is at hand. Raises as `registry`.
        """
        groups: dict[str, tuple[ProjectRegistry, dict[str, LockedPrompt]]] = {}
        for prompt in prompts:
            registry = self.registry(prompt.name)
            groups.setdefault(registry.location, (registry, {}))[1][prompt.name] = prompt
        for registry, group in groups.values():

            def lacks(
                request: Request, _: bytes, group: Mapping[str, LockedPrompt] = group
            ) -> Iterator[tuple[str, int]]:
                prompt = group[request.name]
                if not has(prompt.sha256):
                    yield str(prompt.release.artifact), prompt.size

            registry.expect(map(_exactly, group.values()), lacks)

    def offers(self, name: str, *, required_by: str = "") -> list[Offer]:
        """Return the versions of a name."""
        return [
            Offer(
                version=row.version,
                semver=row.semver,
                yanked=row.yanked is not None,
                refusal=refusal(f"{name} {row.version}", row.revoked) if row.revoked else None,
            )
            for row in self.record(name, required_by).releases
        ]

    def requires(self, name: str, version: str) -> list[Requirement]:
        """Return what a release requires, after it was verified."""
        verified = self.verified(name, version)
        return [self.required(name, other, text) for other, text in verified.requires.items()]

    def required(self, by: str, name: str, text: str) -> Requirement:
        """Return the requirement of an entry, whose name is of the same registry unless bound.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`: the project has it from another one.
        """
        registry = self._required(name, by=by)
        if name not in self._manifest.prompts:
            self._registries.setdefault(name, registry)
        if self.registry(name).id != registry.id:
            raise _two_registries(name, by, registry, self.registry(name))
        return Requirement(name=name, range=Range.parse(text))

    def row(self, name: str, version: str) -> ReleaseRecord:
        """Return the row of a version. Raises UnavailableError if the record has none."""
        row = self.record(name).release(version)
        if row is None:
            raise UnavailableError(
                "NO_MATCHING_VERSION",
                f"the registry has no {name} {version}, which psreg.lock has",
                f"Run `psreg update {name}`.",
            )
        return row

    def verified(self, name: str, version: str) -> VerifiedRelease:
        """Return a release, verified up to its owners and the log.

        Raises:
            TrustError: it is refused, or was revoked.
        """
        key = name, version
        if key not in self._verified:
            registry, record, row = self.registry(name), self.record(name), self.row(name, version)
            if row.revoked is not None:
                raise refusal(f"{name} {version}", row.revoked)
            requires_of(name, row)
            registry.check_release(record, row)
            self._verified[key] = VerifiedRelease.of(
                record,
                row,
                registry.id,
                claimed=registry.is_claimed(name),
                owners=_signers(record, row, registry),
            )
        return self._verified[key]

    def locked(self, prompt: LockedPrompt) -> VerifiedRelease:
        """Return a locked release, verified, if its registry signed what the lock says of it.

        Raises:
            TrustError: `TRUST_LOCK`; `TRUST_OTHER_REGISTRY`; as `verified`.
        """
        registry = self.registry(prompt.name)
        if registry.id != prompt.registry:
            raise TrustError(
                "TRUST_OTHER_REGISTRY",
                f"psreg.lock has {prompt.name} from the registry {prompt.registry}, and "
                f"{registry.location} is {registry.id}",
                'Write `registry = "…"` into psreg.toml, so that everyone uses the same one.',
            )
        verified = self.verified(prompt.name, prompt.version)
        verified.check(prompt)
        return verified


def _exactly(prompt: LockedPrompt) -> Request:
    return Request(name=prompt.name, range=Range.parse(prompt.version))


def _signers(
    record: PackageRecord, row: ReleaseRecord, registry: ProjectRegistry
) -> tuple[str, ...]:
    """Return the fingerprints of the keys that signed a release for its owners."""
    if row.statement is None:
        return ()
    from psreg.registry.owners.claim import signed_by  # noqa: PLC0415 - few releases are signed

    signed = signed_by(registry.with_void_keys(record), row, registry.id, registry.claim(record))
    return tuple(each.key.fingerprint for _, each in signed)


def _two_registries(
    name: str, by: str, one: ProjectRegistry, other: ProjectRegistry
) -> FindingsError:
    return FindingsError(
        "NAME_OF_TWO_REGISTRIES",
        f"{by} from {one.location} requires `{name}`, and psreg.toml has `{name}` from "
        f"{other.location}",
        "A name is of one registry. Ask the author of one of them for another name.",
    )
