"""The registries of one command, each opened when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.registry_choice import select_registry, trust_store
from psreg.core.errors import UnavailableError
from psreg.http.registry_source import UNREACHED

if TYPE_CHECKING:
    from psreg.client.offline.kept_registry import KeptRegistry
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.selection.choosing import Choosing

    AnyRegistry = OpenRegistry | KeptRegistry
    KindAt = Callable[[str], type[KeptRegistry] | None]
    """As what the registry at a location is opened; None for what it says now."""

C = TypeVar("C")
T = TypeVar("T")


class OpenedRegistries:
    """Opens registries; the `stack` closes them.

    `option` is what `--registry` says. `kind` says which of those behind a URL are opened as this
    machine keeps them, and `kept` lists them; `online` are the others. `stale_until` is a day, in
    words for that, `say` tells the user something, and `working` says what takes its time while it
    does. `start` is the folder from which a registry is looked for, by default the working
    directory.
    """

    def __init__(
        self,
        settings: Settings,
        stack: ExitStack,
        say: Callable[[str], None],
        *,
        option: str | None,
        kind: KindAt | None = None,
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
        self._lost: set[str] = set()
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
        kind = self._kind(selected.location) if self._kind is not None else None
        if kind is None:
            return None
        from psreg.client.offline.kept_registry import kept_registry  # noqa: PLC0415 - only offline

        kept = kept_registry(selected, self._settings, self._store, self._say, kind)
        if kept is not None:
            self.kept.append(kept)
        return kept

    def _read(self, selected: SelectedRegistry) -> OpenRegistry:
        from psreg.client.open_registry import open_registry  # noqa: PLC0415 - not what is kept

        if self._working is not None:
            self._stack.enter_context(self._working(f"reading {selected.location}"))
        try:
            registry = self._stack.enter_context(open_registry(selected, self._store, self._say))
        except UnavailableError as error:
            self._lost |= {selected.location} if error.code in UNREACHED else set()
            raise
        registry.require_claimed = self._settings.require_claimed
        registry.accept_stale(self._stale_until)
        self.online.append(registry)
        return registry

    @property
    def unreached(self) -> frozenset[str]:
        """The locations of the registries that did not answer when they were asked last."""
        return frozenset(self._lost) | {each.location for each in self.online if each.unreached}

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


def asked(
    begin: Callable[[KindAt | None], AbstractContextManager[C]],
    ask: Callable[[C], T],
    opener: Callable[[C], OpenedRegistries],
    say: Callable[[str], None],
    kind: KindAt | None = None,
) -> T:
    """Return what `ask`, which may be called again, returns of what `begin` opens.

    `begin` is told as what registries are opened: as `kind` says, or what they say now. Those that
    cannot be reached answer as they were verified last, until that expires; `say` gets a line for
    each of them. `opener` returns what opens the registries.

    Raises:
        PsregError: as `begin` and `ask`.
    """
    away: dict[str, UnavailableError] = {}
    while True:
        found: C | None = None
        try:
            with begin(_away(away) if away else kind) as found:
                answer = ask(found)
        except UnavailableError as error:
            lost = opener(found).unreached if found is not None and error.code in UNREACHED else ()
            if new := [each for each in lost if each not in away]:
                away |= dict.fromkeys(new, error)
                continue
            if found is None or not away:
                raise
            raise _lacking(away, error, opener(found)) from error
        _tell(away, opener(found), say)
        return answer


def _away(away: Mapping[str, UnavailableError]) -> KindAt:
    from psreg.client.offline.last_state import LastState  # noqa: PLC0415 - only if one is away

    return lambda location: LastState if location in away else None


def _lacking(
    away: Mapping[str, UnavailableError], lack: UnavailableError, opened: OpenedRegistries
) -> UnavailableError:
    from psreg.client.offline.last_state import lacking  # noqa: PLC0415 - as above

    if opened.online and lack.code == "NO_MATCHING_VERSION":
        return lack  # a registry that answers says so
    return lacking([*away.values()], lack) or lack


def _tell(
    away: Mapping[str, UnavailableError], opened: OpenedRegistries, say: Callable[[str], None]
) -> None:
    for each in opened.kept if away else ():
        from psreg.client.offline.last_state import told_of  # noqa: PLC0415 - as above

        if told := told_of(each, away[each.location]):
            say(told)
