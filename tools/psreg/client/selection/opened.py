"""The registries of one command, each opened when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.registry_choice import select_registry, trust_store
from psreg.core.errors import UnavailableError

if TYPE_CHECKING:
    from psreg.client.offline.kept_registry import KeptRegistry
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.selection.choosing import Choosing

    AnyRegistry = OpenRegistry | KeptRegistry


class OpenedRegistries:
    """Opens registries; the `stack` closes them.

    `option` is what `--registry` says. With `kind`, those behind a URL are opened as this machine
    keeps them, and `kept` lists them; `online` are the others. `stale_until` is a day, in words for
    that, `say` tells the user something, and `working` says what takes its time while it does.
    `start` is the folder from which a registry is looked for, by default the working directory.
    """

    def __init__(
        self,
        settings: Settings,
        stack: ExitStack,
        say: Callable[[str], None],
        *,
        option: str | None,
        kind: type[KeptRegistry] | None = None,
        stale_until: str = "",
        working: Callable[[str], AbstractContextManager[object]] | None = None,
        start: Path | None = None,
    ) -> None:
        self._settings, self._stack, self._say = settings, stack, say
        self._option, self._kind, self._stale_until = option, kind, stale_until
        self._working, self._start = working, start
        self._store = trust_store(say)
        self._opened: dict[str, AnyRegistry] = {}
        self._wanted: list[SelectedRegistry] = []
        self.kept: list[KeptRegistry] = []
        self.online: list[OpenRegistry] = []
        self.prepare: Callable[[AnyRegistry], None] = lambda _: None
        """Called with each registry that is opened."""

    def at(self, location: str) -> AnyRegistry:
        """Return the registry at a location, which was opened."""
        return self._opened[location]

    @property
    def ids(self) -> dict[str, str]:
        """The ids of the registries that were opened, by location."""
        return {location: each.id for location, each in self._opened.items()}

    @cached_property
    def names(self) -> Choosing[AnyRegistry]:
        """Chooses the registry of a name."""
        from psreg.client.selection.choosing import Choosing  # noqa: PLC0415 - slow

        start = self._start or Path.cwd()
        return Choosing(self._option, self._settings, self._store, start, self.open, has_record)

    def searched(self) -> list[AnyRegistry]:
        """Return all registries that a name may be of, the usual one first. Raises as `open`."""
        return [self.open(each) for each in self.names.searched()]

    def usual(self) -> AnyRegistry:
        """Return the registry that is usual for this command. Raises as `open`."""
        return self.open(self.usual_one())

    def usual_one(self) -> SelectedRegistry:
        """Return what is opened as the usual registry. Raises as `select_registry`."""
        return select_registry(self._option, self._settings, self._start or Path.cwd())

    def open(self, selected: SelectedRegistry) -> AnyRegistry:
        """Return a registry, opened once.

        Raises:
            PsregError: see `open_registry`; UnavailableError `NOT_KEPT`.
        """
        if selected.location not in self._opened:
            self._wanted.append(selected)
            registry = self._kept(selected) or self._read(selected)
            self.prepare(registry)
            self._opened[selected.location] = registry
        return self._opened[selected.location]

    def _kept(self, selected: SelectedRegistry) -> KeptRegistry | None:
        if self._kind is None:
            return None
        from psreg.client.offline.kept_registry import kept_registry  # noqa: PLC0415 - only offline

        kept = kept_registry(selected, self._settings, self._store, self._say, self._kind)
        if kept is not None:
            self.kept.append(kept)
        return kept

    def _read(self, selected: SelectedRegistry) -> OpenRegistry:
        from psreg.client.open_registry import open_registry  # noqa: PLC0415 - not what is kept

        if self._working is not None:
            self._stack.enter_context(self._working(f"reading {selected.location}"))
        registry = self._stack.enter_context(open_registry(selected, self._store, self._say))
        registry.require_claimed = self._settings.require_claimed
        registry.accept_stale(self._stale_until)
        self.online.append(registry)
        return registry

    def keep(self, targets: Iterable[str]) -> bool:
        """Return whether this machine keeps what proves some targets, each of one registry."""
        from psreg.client.kept import proof_place  # noqa: PLC0415 - only if the network fails

        pins = [each.root_sha256 for each in self._wanted if each.root_sha256]
        anchors = [anchor for pin in pins if (anchor := self._store.find(pin))]
        return bool(anchors) and all(
            any(proof_place(anchor.folder, target).exists() for anchor in anchors)
            for target in targets
        )


def has_record(registry: AnyRegistry, name: str) -> bool:
    """Return whether a registry has a name.

    Raises:
        PsregError: see `record`.
    """
    try:
        return registry.record(name) is not None
    except UnavailableError as error:
        from psreg.client.offline.last_state import unknown  # noqa: PLC0415 - only if one is away

        raise unknown(registry, error) from error
