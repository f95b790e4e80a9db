"""The library as if it were a project: what is installed is what is locked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from psreg.client.config import SelectedRegistry
from psreg.client.install import MAX_ARTIFACT, matches_digest
from psreg.client.library import Receipt, user_library
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.manifest import Manifest, Wanted
from psreg.client.project.registries import Published
from psreg.client.project.session import Session
from psreg.core.errors import UnavailableError
from psreg.core.version import ANY
from psreg.system.files import read_own


class InstalledSession(Session):
    """A command that works on the library instead of a project; nothing of it is changed."""

    def selected(self, spelled: str | None) -> SelectedRegistry:
        """Return the registry at the address that `registries` returned.

        Raises:
            PsregError: see `Settings.select`.
        """
        if spelled is None:
            return super().selected(None)
        return self._settings.select(spelled, origin="your library", start=Path.cwd())

    def registries(self, receipts: Iterable[Receipt]) -> Iterator[tuple[Receipt, str | None]]:
        """Yield where the registry of each receipt is now; None if it is not one of the user's.

        That is the one with its identity in the settings, whatever its address was then, or the
        folder from which something was installed.
        """
        known = {identity: location for location, identity in self._known().items()}
        for receipt in receipts:
            was = receipt.registry["url"]
            place = was if Path(was).is_dir() else None
            yield receipt, known.get(receipt.registry["id"], place)

    def content(self, published: Published) -> Callable[[LockedPrompt], bytes]:
        """Return what reads the artifact of a release: installed, cached or in its registry."""
        library, read = user_library(), super().content(published)

        def content(prompt: LockedPrompt) -> bytes:
            receipt = library.receipt(prompt.name)
            if receipt is not None and receipt.sha256 == prompt.sha256:
                with suppress(UnavailableError):
                    data = read_own(library.path(receipt), MAX_ARTIFACT)
                    if matches_digest(data, prompt.sha256):
                        return data
            return read(prompt)

        return content


def as_project(receipts: Iterable[tuple[Receipt, str]]) -> tuple[Manifest, Lock]:
    """Return a project that asks for any version of what is installed, each from its registry."""
    found = {receipt.release.name: (receipt, place) for receipt, place in receipts}
    prompts = {
        name: Wanted(name=name, range=ANY, registry=place, origin="your library")
        for name, (_, place) in found.items()
    }
    locked = {
        name: LockedPrompt(
            release=receipt.release,
            registry=receipt.registry["id"],
            sha256=receipt.sha256,
            size=receipt.size,
            requires=receipt.requires or {},
        )
        for name, (receipt, _) in found.items()
    }
    return Manifest(prompts=prompts), Lock(prompts=locked)
