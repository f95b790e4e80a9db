"""Which registry a name is looked for in: the one it is bound to, else the only one that has it.

Dependency confusion is a name that one registry means and another one answers. So a bound name is
never asked of another registry, and a name that is not bound and that two of the user's registries
have is an error: neither order nor version decides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from psreg.client.config import NamedRegistry, SelectedRegistry, Settings
from psreg.client.registry_choice import known_anchor, select_registry
from psreg.client.selection.bindings import bound_to, two_registries
from psreg.client.trust_store import TrustStore
from psreg.core.errors import FindingsError, UnavailableError
from psreg.system import user_folders


class Named(Protocol):
    """A registry with an identity and a location."""

    id: str
    location: str


R = TypeVar("R", bound=Named)


class Choosing(Generic[R]):
    """Chooses registries by name. `option` is what `--registry` says, and `start` the folder.

    `opened` opens a registry once, and `has` returns whether a registry has a name.
    """

    def __init__(  # noqa: PLR0917 - what a choice depends on
        self,
        option: str | None,
        settings: Settings,
        store: TrustStore,
        start: Path,
        opened: Callable[[SelectedRegistry], R],
        has: Callable[[R, str], bool],
    ) -> None:
        self._option, self._settings, self._store = option, settings, store
        self._start, self._opened, self._has = start, opened, has
        self._found: dict[str, R] = {}

    @cached_property
    def _ours(self) -> Sequence[NamedRegistry]:
        return self._settings.registries()

    @cached_property
    def _theirs(self) -> Sequence[NamedRegistry]:
        return self._settings.of_clone()

    @cached_property
    def limited(self) -> frozenset[str]:
        """The locations of the user's registries that have `names`."""
        return frozenset(each.location for each in self._ours if each.names)

    @property
    def _named(self) -> str | None:
        """What a person named for this run."""
        return self._option or os.environ.get("PSREG_REGISTRY") or None

    def bound(self, name: str) -> SelectedRegistry | None:
        """Return the registry that a name is bound to, None if it is not bound.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`.
            TrustError: `POLICY_LOCKED`.
        """
        ours = bound_to(name, self._ours)
        theirs = bound_to(name, self._theirs)
        found = self._of_ours(ours) if ours else None
        if theirs is None:
            return found
        other = self._settings.of_project(theirs.name, theirs.file)
        if found is None:
            return other
        if not self._same(found, other):
            places = [f"{found.location}, in {found.origin}", f"{other.location}, in {theirs.file}"]
            raise two_registries(f"`names` bind `{name}` to two registries", places)
        return found

    def _of_ours(self, registry: NamedRegistry) -> SelectedRegistry:
        origin = str(registry.file)
        lock = self._settings.locks.get("registry")
        find = self._settings.find
        if lock is not None and lock.path != registry.file:
            find = self._settings.select
        return find(registry.name, origin=origin, start=self._start)

    def _or_named(self, bound: SelectedRegistry) -> SelectedRegistry:
        """Return the registry that a person named if it is a mirror of the bound one."""
        if not self._named:
            return bound
        usual = self._usual()
        return usual if self._same(bound, usual) else bound

    def _usual(self) -> SelectedRegistry:
        return select_registry(self._option, self._settings, self._start)

    def candidates(self) -> list[SelectedRegistry]:
        """Return where a name that is not bound is looked for, the usual registry first.

        Raises:
            PsregError: as `select_registry`.
        """
        return [each for each in self.searched() if self._asked_for_all(each)]

    def _asked_for_all(self, selected: SelectedRegistry) -> bool:
        return selected.location not in self.limited or not self._is_usual_of_user(self._usual())

    def searched(self) -> list[SelectedRegistry]:
        """Return where names are looked for, bound ones included. Raises as `candidates`."""
        usual = self._usual()
        if not self._is_usual_of_user(usual):
            return [usual]
        others = [each for each in self._ours if each.location != usual.location]
        find = self._settings.find
        return [
            usual,
            *(find(each.name, origin=str(each.file), start=self._start) for each in others),
        ]

    def _is_usual_of_user(self, usual: SelectedRegistry) -> bool:
        """Return whether nothing but the order of the user's settings selects a registry."""
        settings = {str(user_folders.user_config_file()), str(user_folders.system_config_file())}
        locked = "registry" in self._settings.locks
        return not self._named and not locked and usual.origin in settings

    def answers(self, registry: R, name: str) -> bool:
        """Return whether a registry in which a person searches may answer for a name."""
        try:
            bound = self.bound(name)
        except FindingsError:
            return True  # who uses the name is told of it
        if bound is None:
            return bool(self._named) or registry.location not in self.limited
        return self._opened(self._or_named(bound)).id == registry.id

    def of(self, name: str, locked: str | None = None) -> R:
        """Return the registry that a name is of; `locked` is the id that a lock says.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`: two registries have it.
            UnavailableError: `NO_REGISTRY`: every registry has `names`, and none matches.
            PsregError: a registry cannot be opened.
        """
        if name not in self._found:
            self._found[name] = self._of(name, locked)
        return self._found[name]

    def _of(self, name: str, locked: str | None) -> R:
        if (bound := self.bound(name)) is not None:
            return self._opened(self._or_named(bound))
        candidates = self.candidates()
        if not candidates:
            raise UnavailableError(
                "NO_REGISTRY",
                f"no registry is bound to `{name}`, and all of yours have `names`",
                "Add the name to `names` of one in your settings, or name one with --registry.",
            )
        if locked is not None:
            fitting = [each for each in candidates if self.known_id(each) == locked]
            candidates = fitting or candidates
        if len(candidates) == 1:
            return self._opened(candidates[0])
        return self._only(name, candidates)

    def _only(self, name: str, candidates: Sequence[SelectedRegistry]) -> R:
        """Return the one candidate that has a name, the usual one if none has."""
        having = [self._opened(each) for each in candidates if self._asked(each, name)]
        if len({registry.id for registry in having}) > 1:
            raise two_registries(
                f"two registries have `{name}`",
                [each.location for each in having],
                f'Choose one with --registry, or bind it in your settings: `names = ["{name}"]` '
                "in the table of its registry.",
            )
        return having[0] if having else self._opened(candidates[0])

    def _asked(self, candidate: SelectedRegistry, name: str) -> bool:
        """Return whether a candidate has a name; it has nothing if nothing of it is kept."""
        try:
            return self._has(self._opened(candidate), name)
        except UnavailableError as error:
            if error.code == "NOT_KEPT":
                return False
            hint = f"It may have `{name}`: bind the name with `names` in your settings."
            told = f"{error.hint} {hint}".strip()
            raise UnavailableError(error.code, error.message, told) from error

    def named(self, name: str) -> R:
        """Return the registry of a name for a command that is about this name.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`: another registry is named than it is bound to.
            PsregError: as `of`.
        """
        if not self._named:
            return self.of(name)
        usual = self._usual()
        self.check(name, usual)
        return self._opened(usual)

    def required(self, name: str, by: str, locked: str | None = None) -> R | None:
        """Return the registry of a name that an entry of the registry at `by` requires.

        None means the same one: unless the name is bound, or that registry has other `names` only.

        Raises:
            PsregError: as `of`.
        """
        if (bound := self.bound(name)) is not None:
            return self._opened(self._or_named(bound))
        return self.of(name, locked) if by in self.limited and not self._named else None

    def check(self, name: str, selected: SelectedRegistry) -> None:
        """Check that a name is not bound to another registry than the selected one.

        Raises:
            FindingsError: `NAME_OF_TWO_REGISTRIES`.
        """
        bound = self.bound(name)
        if bound is not None and not self._same(bound, selected):
            raise FindingsError(
                "NAME_OF_TWO_REGISTRIES",
                f"`{name}` is bound to {bound.location}, and {selected.origin} names "
                f"{selected.location}",
                f"Use the one that it is bound to, or change `names` in {bound.origin}.",
            )

    def _same(self, one: SelectedRegistry, other: SelectedRegistry) -> bool:
        """Return whether two are the same registry: one of them may be a mirror."""
        if one.location == other.location:
            return True
        root = self._root(one)
        return root is not None and root == self._root(other)

    def _root(self, selected: SelectedRegistry) -> str | None:
        if selected.root_sha256:
            return selected.root_sha256
        anchor = known_anchor(selected, self._store)
        return anchor.sha256 if anchor else None

    def known_id(self, selected: SelectedRegistry) -> str | None:
        """Return the id of a registry without a network, None if this machine does not know it."""
        anchor = known_anchor(selected, self._store)
        return anchor.id if anchor else None
