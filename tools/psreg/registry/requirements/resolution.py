"""Resolution: one version of each name, so that everything that is required is there.

The newest version that fits is chosen, a kept one before it: a lock changes only where it must. A
yanked version is chosen only if it was kept or is named exactly, a revoked one never. The same
requirements and releases give the same result.

Nearly always the first choices fit together; `_first_choices` finds them without a search. Else
resolvelib searches, and what it cannot solve is explained by who requires what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, Protocol

from psreg.core.dataclass import dataclass
from psreg.core.errors import FindingsError, PsregError
from psreg.core.version import Range, Version

_PASSES = 20
"""How often first choices are revised before resolvelib searches."""

_ROUNDS = 20_000
"""The steps after which a search ends: hostile requirements could make it endless."""

_LISTED = 8
"""The versions, and the requirements of one name, that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A published version. `refusal` is the error if it must not be used: it was revoked."""

    version: str
    semver: Version
    yanked: bool = False
    refusal: PsregError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A range of versions of a name; `origin` says where it is written: `psreg.toml:4`."""

    name: str
    range: Range
    origin: str = ""


class Releases(Protocol):
    """What is published. Both methods are called once for what is asked."""

    def offers(self, name: str, *, required_by: str) -> Sequence[Offer]:
        """Return the versions of a name, in any order. Raises PsregError if there is no such name.

        `required_by` is who requires it, `NAME VERSION`; "" if the user does.
        """

    def requires(self, name: str, version: str) -> Sequence[Requirement]:
        """Return what a version requires, by name."""


def resolve(
    roots: Sequence[Requirement], releases: Releases, kept: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the chosen version of each name that `roots` need, by name.

    `kept` are versions to prefer: those of a lock.

    Raises:
        FindingsError: `REQUIREMENTS_CONFLICT`: no versions fit together; `REQUIRES_CYCLE`.
        PsregError: a name is unknown, or everything that fits was revoked.
    """
    known = _Known(releases, kept or {})
    chosen = _first_choices(roots, known) or _searched(roots, known)
    reached = dict.fromkeys(_reached(roots, chosen, known))
    found = {name: chosen[name] for name in sorted(reached)}
    if cycle := cycle_in(
        {name: [each.name for each in known.requires(name, v)] for name, v in found.items()}
    ):
        steps = " requires ".join(f"{name} {found[name]}" for name in cycle)
        raise FindingsError(
            "REQUIRES_CYCLE", f"entries require each other: {steps}", "Tell their authors."
        )
    return found


def cycle_in(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names on a cycle, the first again at its end; [] if there is none."""
    done: set[str] = set()
    for start in graph:
        path: dict[str, Iterator[str]] = {}
        names = iter([start])
        while True:
            name = next(names, None)
            if name is None:
                if not path:
                    break
                done.add(path.popitem()[0])
                names = next(reversed(path.values())) if path else iter(())
            elif name in path:
                return [*list(path)[list(path).index(name) :], name]
            elif name not in done:
                names = path[name] = iter(graph.get(name, ()))
    return []


class _Known:
    """The releases, asked once for each name and version, and what is preferred among them."""

    def __init__(self, releases: Releases, kept: Mapping[str, str]) -> None:
        self._releases = releases
        self._kept = kept
        self._offers: dict[str, tuple[Offer, ...]] = {}
        self._requires: dict[tuple[str, str], Sequence[Requirement]] = {}
        self._fitting: dict[tuple[str, str], frozenset[str]] = {}
        self.required_by: dict[str, tuple[str, str]] = {}
        """The release that required a name first."""

    def offers(self, name: str) -> tuple[Offer, ...]:
        """Return the versions of a name, the preferred one first."""
        if name not in self._offers:
            kept, by = self._kept.get(name), " ".join(self.required_by.get(name, ()))
            self._offers[name] = tuple(
                sorted(
                    self._releases.offers(name, required_by=by),
                    key=lambda each: (each.version == kept, each.semver, each.version),
                    reverse=True,
                )
            )
        return self._offers[name]

    def fitting(self, wanted: Requirement) -> frozenset[str]:
        """Return the versions that satisfy a requirement and may be used."""
        key = wanted.name, wanted.range.text
        if key not in self._fitting:
            kept, exact = self._kept.get(wanted.name), wanted.range.exact is not None
            self._fitting[key] = frozenset(
                each.version
                for each in self.offers(wanted.name)
                if each.refusal is None
                and (not each.yanked or exact or each.version == kept)
                and wanted.range.matches(each.semver)
            )
        return self._fitting[key]

    def requires(self, name: str, version: str) -> Sequence[Requirement]:
        """Return what a version requires."""
        key = name, version
        if key not in self._requires:
            self._requires[key] = self._releases.requires(name, version)
            for each in self._requires[key]:
                self.required_by.setdefault(each.name, key)
        return self._requires[key]

    def usable(self, name: str, wishes: Iterable[Requirement]) -> Iterator[str]:
        """Yield the versions of a name that satisfy all wishes, the preferred one first."""
        sets = [self.fitting(wish) for wish in wishes]
        return (
            each.version
            for each in self.offers(name)
            if all(each.version in fitting for fitting in sets)
        )


def _first_choices(roots: Sequence[Requirement], known: _Known) -> dict[str, str] | None:
    """Return the preferred version of each name, if they fit together; else None."""
    chosen: dict[str, str] = {}
    for _ in range(_PASSES):
        wishes: dict[str, list[Requirement]] = {}
        for each in _wishes(roots, chosen, known):
            wishes.setdefault(each.name, []).append(each)
        best = {name: next(known.usable(name, of), None) for name, of in wishes.items()}
        found = {name: version for name, version in best.items() if version is not None}
        if len(found) < len(best):
            return None
        if found == chosen:
            return chosen
        chosen = found
    return None


def _wishes(
    roots: Sequence[Requirement], chosen: Mapping[str, str], known: _Known
) -> Iterator[Requirement]:
    yield from roots
    for name in _reached(roots, chosen, known):
        yield from known.requires(name, chosen[name])


def _reached(
    roots: Sequence[Requirement], chosen: Mapping[str, str], known: _Known
) -> Iterator[str]:
    """Yield the chosen names that are needed, each once."""
    seen: set[str] = set()
    waiting = [each.name for each in reversed(roots)]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in chosen:
            continue
        seen.add(name)
        yield name
        waiting += [each.name for each in reversed(known.requires(name, chosen[name]))]


class _Pin:
    """A version of a name, for resolvelib."""

    __slots__ = ("name", "version")

    def __init__(self, name: str, version: str) -> None:
        self.name, self.version = name, version


class _Wish:
    """A requirement and the versions that satisfy it, for resolvelib."""

    __slots__ = ("fitting", "name", "wanted")

    def __init__(self, wanted: Requirement, fitting: frozenset[str]) -> None:
        self.name, self.wanted, self.fitting = wanted.name, wanted, fitting


class _Provider:
    """What resolvelib asks: the part of `resolvelib.AbstractProvider` that it uses here."""

    def __init__(self, known: _Known) -> None:
        self._known = known

    def identify(self, requirement_or_candidate: _Wish | _Pin) -> str:
        """Return the name of either."""
        return requirement_or_candidate.name

    def narrow_requirement_selection(
        self, identifiers: Iterable[str], *_: Any, backtrack_causes: Sequence[Cause], **_named: Any
    ) -> Iterable[str]:
        """Return the one name to choose a version of next: those of a conflict come first."""
        names = {*identifiers}
        blamed = {each.requirement.name for each in backtrack_causes}
        blamed |= {each.parent.name for each in backtrack_causes if each.parent}
        return [min(names & blamed or names)]

    def find_matches(
        self,
        identifier: str,
        requirements: Mapping[str, Iterator[_Wish]],
        incompatibilities: Mapping[str, Iterator[_Pin]],
    ) -> Iterable[_Pin]:
        """Return the versions of a name that satisfy what is known, the preferred one first."""
        refused = {each.version for each in incompatibilities[identifier]}
        usable = self._known.usable(identifier, [each.wanted for each in requirements[identifier]])
        return [_Pin(identifier, each) for each in usable if each not in refused]

    def is_satisfied_by(self, requirement: _Wish, candidate: _Pin) -> bool:
        """Return whether a version satisfies a requirement."""
        return candidate.version in requirement.fitting

    def get_dependencies(self, candidate: _Pin) -> Iterable[_Wish]:
        """Return what a version requires."""
        wanted = self._known.requires(candidate.name, candidate.version)
        return [_Wish(each, self._known.fitting(each)) for each in wanted]


def _searched(roots: Sequence[Requirement], known: _Known) -> dict[str, str]:
    """Return a version of each name as resolvelib finds it. Raises as `resolve`."""
    import resolvelib  # noqa: PLC0415 - only what does not fit at once needs a search

    provider: Any = _Provider(known)
    resolver: Any = resolvelib.Resolver(provider, resolvelib.BaseReporter())
    try:
        wishes = [_Wish(each, known.fitting(each)) for each in roots]
        mapping = resolver.resolve(wishes, max_rounds=_ROUNDS).mapping
    except resolvelib.ResolutionImpossible as error:
        causes: Any = error.causes
        raise _Conflict(causes, roots, known).error from error
    except resolvelib.ResolutionTooDeep as error:
        raise FindingsError(
            "REQUIREMENTS_CONFLICT",
            f"no versions that fit together were found in {_ROUNDS:,} steps",
            "Name exact versions of some entries.",
        ) from error
    return {name: pin.version for name, pin in mapping.items()}


class Cause(Protocol):
    """A `RequirementInformation` of resolvelib: what is required, and by which release."""

    requirement: _Wish
    parent: _Pin | None


class _Conflict:
    """Why no versions fit together, in sentences."""

    def __init__(
        self, causes: Iterable[Cause], roots: Sequence[Requirement], known: _Known
    ) -> None:
        self._causes = sorted(causes, key=_place)
        self._roots = {each.name: each for each in reversed(roots)}
        self._known = known

    @cached_property
    def error(self) -> PsregError:
        """The error to raise."""
        groups = [
            (name, [*group])
            for name, group in groupby(self._causes, key=lambda cause: cause.requirement.name)
        ]
        for name, group in groups:
            if refusal := self._refusal(name, group):
                return refusal
        details: list[str] = []
        for name, group in groups:
            told = [*dict.fromkeys(map(self._told, group))]
            more = len(told) - _LISTED
            details += told[:_LISTED] + ([f"and {more} more"] if more > 0 else [])
            details.append(self._versions(name))
        names = " and ".join(f"`{name}`" for name, _ in groups)
        return FindingsError(
            "REQUIREMENTS_CONFLICT",
            f"no version of {names} fits all that is required:",
            "Change one of these ranges.",
            tuple(details),
        )

    def _refusal(self, name: str, group: Sequence[Cause]) -> PsregError | None:
        """Return why the last version that is wanted must not be used."""
        ranges = [cause.requirement.wanted.range for cause in group]
        for each in self._known.offers(name):
            if all(wanted.matches(each.semver) for wanted in ranges) and each.refusal:
                return each.refusal
        return None

    def _told(self, cause: Cause) -> str:
        wanted = cause.requirement.wanted
        if cause.parent is None:
            return _asked(wanted)
        parent = cause.parent
        required = f"{parent.name} {parent.version} requires {wanted.name} {wanted.range.text}"
        return f"{required}, and {self._reason(parent.name)}"

    def _reason(self, name: str) -> str:
        """Return why a name is needed: who asks for it, over all between."""
        steps: list[str] = []
        seen: set[str] = set()
        while name not in self._roots and name in self._known.required_by and name not in seen:
            seen.add(name)
            name, version = self._known.required_by[name]
            steps.append(f"{name} {version} requires it")
        root = self._roots.get(name)
        return ", and ".join([*steps, *([_asked(root)] if root else [])])

    def _versions(self, name: str) -> str:
        offers = sorted(self._known.offers(name), key=lambda each: each.semver)
        told = [
            each.version + (" (yanked)" if each.yanked else " (revoked)" if each.refusal else "")
            for each in offers
        ]
        first = ["…"] if len(told) > _LISTED else []
        return f"{name} has {', '.join([*first, *told[-_LISTED:]]) or 'no versions'}"


def _asked(wanted: Requirement) -> str:
    return f"{wanted.origin} asks for {wanted.name} {wanted.range.text}"


def _place(cause: Cause) -> tuple[str, str, str, str]:
    parent, wanted = cause.parent, cause.requirement.wanted
    by = (parent.name, parent.version) if parent else ("", "")
    return wanted.name, *by, wanted.range.text
