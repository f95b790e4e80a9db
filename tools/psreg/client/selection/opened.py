"""The registries of one command, each opened when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.registry_choice import select_registry, trust_store

if TYPE_CHECKING:
    from psreg.client.kept_registry import KeptRegistry
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.selection.choosing import Choosing

    AnyRegistry = OpenRegistry | KeptRegistry


class OpenedRegistries:
    """Opens registries; the `stack` closes them.

    `option` is what `--registry` says. `offline` opens those behind a URL as this machine keeps
    them, `stale_until` is a day, in words for that, `say` tells the user something, and `working`
    says what takes its time while it does.
    """

    def __init__(
        self,
        settings: Settings,
        stack: ExitStack,
        say: Callable[[str], None],
        *,
        option: str | None,
        offline: bool = False,
        stale_until: str = "",
        working: Callable[[str], AbstractContextManager[object]] | None = None,
    ) -> None:
        self._settings, self._stack, self._say = settings, stack, say
        self._option, self._offline, self._stale_until = option, offline, stale_until
        self._working = working
        self._store = trust_store(say)
        self._opened: dict[str, AnyRegistry] = {}
        self._wanted: list[SelectedRegistry] = []
        self.prepare: Callable[[AnyRegistry], None] = lambda _: None
        """Called with each registry that is opened."""

    def at(self, location: str) -> AnyRegistry:
        """Return the registry at a location, which was opened."""
        return self._opened[location]

    @cached_property
    def names(self) -> Choosing[AnyRegistry]:
        """Chooses the registry of a name."""
        from psreg.client.selection.choosing import Choosing  # noqa: PLC0415 - slow

        start = Path.cwd()
        return Choosing(self._option, self._settings, self._store, start, self.open, _has)

    def searched(self) -> list[AnyRegistry]:
        """Return all registries that a name may be of, the usual one first. Raises as `open`."""
        return [self.open(each) for each in self.names.searched()]

    def usual(self) -> AnyRegistry:
        """Return the registry that is usual for this command. Raises as `open`."""
        return self.open(select_registry(self._option, self._settings, Path.cwd()))

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

    def _kept(self, selected: SelectedRegistry) -> AnyRegistry | None:
        if not self._offline:
            return None
        from psreg.client.kept_registry import kept_registry  # noqa: PLC0415 - only offline

        return kept_registry(selected, self._settings, self._store, self._say)

    def _read(self, selected: SelectedRegistry) -> AnyRegistry:
        from psreg.client.open_registry import open_registry  # noqa: PLC0415 - not what is kept

        if self._working is not None:
            self._stack.enter_context(self._working(f"reading {selected.location}"))
        registry = self._stack.enter_context(open_registry(selected, self._store, self._say))
        registry.require_claimed = self._settings.require_claimed
        registry.accept_stale(self._stale_until)
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


def _has(registry: AnyRegistry, name: str) -> bool:
    return registry.record(name) is not None
