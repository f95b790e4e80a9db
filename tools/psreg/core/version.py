"""Versions (SemVer 2.0.0), version ranges (Cargo's `^ ~ *`, comma = and, bare = exact) and steps.

A `Version` is read, ordered and raised as semver.org says; ranges say which versions fit, and the
rest which version may follow which.

Versions follow each other one step at a time. A step is counted from a *final* release (one
without a pre-release tag); build metadata does not count. A candidate `-rc.n` may precede any final
version that may come next.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache, total_ordering
from typing import Final

from psreg.core.dataclass import dataclass
from psreg.core.regex import lazy

FIRST_PSREG = "0.1.0"
"""The version of psreg that has the first rules, and whose records do not state a version."""

MAX_LENGTH = 128
"""The maximum length of a version; a version is also a folder name."""

_OPERATORS = ("^", "~", ">=", "<=", ">", "<", "=")


@total_ordering
class Version:
    """MAJOR.MINOR.PATCH[-prerelease][+build].

    Versions that differ in their build metadata only are equal: it has no precedence (§10).
    """

    __slots__ = ("_key", "build", "major", "minor", "patch", "prerelease")

    def __init__(
        self,
        major: int,
        minor: int = 0,
        patch: int = 0,
        prerelease: str | None = None,
        build: str | None = None,
    ) -> None:
        self.major: Final = major
        self.minor: Final = minor
        self.patch: Final = patch
        self.prerelease: Final = prerelease
        self.build: Final = build
        self._key: Final = (major, minor, patch, prerelease is None, _identifiers(prerelease))

    @classmethod
    def parse(cls, text: str) -> Version:
        """Return the version that `text` is.

        Raises:
            ValueError: it is not one (§2, §9, §10).
        """
        rest, plus, build = text.partition("+")
        core, dash, prerelease = rest.partition("-")
        numbers, identifiers, builds = (part.split(".") for part in (core, prerelease, build))
        if (
            len(numbers) != _NUMBERS
            or not all(map(_is_number, numbers))
            or (dash and not all(map(_is_identifier, identifiers)))
            or (plus and not all(map(_is_word, builds)))
        ):
            raise ValueError(f"{text!r} is not MAJOR.MINOR.PATCH")
        major, minor, patch = map(int, numbers)
        return cls(major, minor, patch, prerelease if dash else None, build if plus else None)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """MAJOR, MINOR and PATCH."""
        return self.major, self.minor, self.patch

    @property
    def final(self) -> Version:
        """The version of the same numbers that is neither a pre-release nor a build."""
        return Version(*self.numbers)

    def without_build(self) -> Version:
        """Return this version without its build metadata."""
        return Version(*self.numbers, self.prerelease)

    def bump_major(self) -> Version:
        """Return the next MAJOR.0.0 (§8)."""
        return Version(self.major + 1)

    def bump_minor(self) -> Version:
        """Return the next MAJOR.MINOR.0 (§7)."""
        return Version(self.major, self.minor + 1)

    def bump_patch(self) -> Version:
        """Return the next MAJOR.MINOR.PATCH (§6)."""
        return Version(self.major, self.minor, self.patch + 1)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: Version) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        text += "" if self.prerelease is None else f"-{self.prerelease}"
        return text if self.build is None else f"{text}+{self.build}"

    def __repr__(self) -> str:
        return f"Version({str(self)!r})"


_NUMBERS = 3
"""MAJOR.MINOR.PATCH."""


def _is_number(text: str) -> bool:
    """Return whether a text is digits without a zero before them (§2)."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _is_word(text: str) -> bool:
    """Return whether a text is an identifier of build metadata: letters, digits, hyphens (§10)."""
    return text.isascii() and text.replace("-", "a").isalnum()


def _is_identifier(text: str) -> bool:
    """Return whether a text is an identifier of a pre-release (§9)."""
    return _is_word(text) and (not text.isdigit() or _is_number(text))


def _identifiers(prerelease: str | None) -> tuple[tuple[bool, int, str], ...]:
    """Return what orders pre-releases: numbers by their size and before all others (§11.4)."""
    parts = (prerelease or "").split(".")
    return tuple((False, int(p), "") if p.isdigit() else (True, 0, p) for p in parts)


class Step(IntEnum):
    """The step from one version to another: `str` gives none, patch, minor or major."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name.lower()


@lru_cache(maxsize=256)
def parse_version(text: str) -> Version:
    """Return the SemVer 2.0.0 version in `text`.

    Raises:
        ValueError: `text` is not MAJOR.MINOR.PATCH[-pre][+build] (semver.org §2, §9, §10).
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{text[:MAX_LENGTH]!r} is not MAJOR.MINOR.PATCH")
    return Version.parse(text)


def is_version(text: str) -> bool:
    """Return whether `text` is a SemVer 2.0.0 version."""
    try:
        parse_version(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """A half-open interval of versions `[lower, upper)`; `upper` None is unbounded.

    `prerelease` is the version in the range if that has a pre-release tag: only then do
    pre-releases of the same MAJOR.MINOR.PATCH match (Cargo, "Pre-releases").
    """

    lower: Version
    upper: Version | None
    upper_included: bool = False
    lower_included: bool = True
    prerelease: Version | None = None

    def matches(self, version: Version) -> bool:
        """Return whether `version` is in the interval, ignoring build metadata."""
        if version.prerelease and not self._asked_for(version):
            return False
        if version < self.lower or (version == self.lower and not self.lower_included):
            return False
        if self.upper is None:
            return True
        return version < self.upper or (version == self.upper and self.upper_included)

    def _asked_for(self, version: Version) -> bool:
        pre = self.prerelease
        return pre is not None and pre.numbers == version.numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A set of versions: all comparators must match. `text` is what the user wrote."""

    text: str
    comparators: tuple[Comparator, ...]
    exact: Version | None = None

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read `^1.2`, `~1.2.3`, `*`, `1.*`, `>=1.0, <2.0` or an exact `1.2.3` or `=1.2.3`.

        Raises:
            ValueError: the message says what to write instead.
        """
        clauses = [clause.strip() for clause in text.split(",")]
        if len(text) > MAX_LENGTH or not all(clauses):
            raise ValueError(f"{text[:MAX_LENGTH]!r} is not a version range")
        comparators = tuple(_comparator(clause) for clause in clauses)
        named = clauses[0].removeprefix("=").strip()
        exact = len(clauses) == 1 and is_version(named)
        return cls(
            text=text, comparators=comparators, exact=parse_version(named) if exact else None
        )

    def matches(self, version: Version) -> bool:
        """Return whether `version` satisfies every comparator of the range."""
        if self.exact is not None:
            return version == self.exact and version.build == (self.exact.build or version.build)
        return all(comparator.matches(version) for comparator in self.comparators)

    def best(self, versions: Iterable[Version]) -> Version | None:
        """Return the highest version that matches, or None."""
        return max((v for v in versions if self.matches(v)), default=None)


def _comparator(clause: str) -> Comparator:
    operator = next((op for op in _OPERATORS if clause.startswith(op)), "")
    if not operator:
        return _bare(clause)
    full, parts = _partial(clause[len(operator) :].strip(), clause)
    pre = full if full.prerelease else None
    if operator in ("^", "~"):
        upper = _caret(full, parts) if operator == "^" else _next(full.final, parts)
        return Comparator(lower=full, upper=upper, prerelease=pre)
    # A partial version such as 1.2 means all of 1.2.x: `after` is the first version after it.
    after = _next(full, parts) if parts < _NUMBERS else None
    match operator:
        case ">=":
            return Comparator(lower=full, upper=None, prerelease=pre)
        case ">":
            included = after is not None
            return Comparator(
                lower=after or full, upper=None, lower_included=included, prerelease=pre
            )
        case "<":
            return Comparator(lower=_ZERO, upper=full, prerelease=pre)
    lower = _ZERO if operator == "<=" else full
    included = after is None
    return Comparator(lower=lower, upper=after or full, upper_included=included, prerelease=pre)


def _bare(clause: str) -> Comparator:
    if clause == "*" or clause.endswith(".*"):
        return _wildcard(clause)
    if is_version(clause):
        exact = parse_version(clause)
        return Comparator(lower=exact, upper=exact, upper_included=True, prerelease=exact)
    wanted = clause.lstrip("v")
    _partial(wanted, clause)
    raise ValueError(
        f"{clause!r} is not an exact version: write all three numbers, or a range such as ^{wanted}"
    )


_ZERO = Version(0, 0, 0, prerelease="0")
"""The lowest possible version."""


def _next(version: Version, parts: int) -> Version:
    return version.bump_major() if parts == 1 else version.bump_minor()


def _caret(version: Version, parts: int) -> Version:
    base = version.final
    if base.major or parts == 1:
        return base.bump_major()
    if base.minor or parts == _NUMBERS - 1:
        return base.bump_minor()
    return base.bump_patch()


def _wildcard(clause: str) -> Comparator:
    if clause == "*":
        return Comparator(lower=Version(0, 0, 0), upper=None)
    full, parts = _partial(clause.removesuffix(".*"), clause)
    if parts == _NUMBERS or full.prerelease:
        raise ValueError(f"{clause!r} is not a version range")
    return Comparator(lower=full, upper=_next(full, parts))


def _partial(text: str, clause: str) -> tuple[Version, int]:
    """Return `text` padded to three numbers, and how many it had."""
    if is_version(text):
        return parse_version(text), _NUMBERS
    numbers = text.split(".")
    if not all(map(_is_number, numbers)) or len(numbers) >= _NUMBERS or len(text) > MAX_LENGTH:
        raise ValueError(f"{clause!r} is not a version range such as ^1.2, ~1.2.3 or *")
    minor = int(numbers[1]) if len(numbers) > 1 else 0
    return Version(int(numbers[0]), minor), len(numbers)


ANY = Range.parse("*")
"""The range that matches every release except pre-releases."""


FIRST = (Version(0, 1, 0), Version(1, 0, 0))
"""The allowed first versions of a name; their candidates are also allowed."""

_CANDIDATE = lazy(r"rc\.(0|[1-9][0-9]{0,8})")


def step_between(old: Version, new: Version) -> Step:
    """Return the first of the three numbers in which the two differ; NONE if they are equal."""
    if old.major != new.major:
        return Step.MAJOR
    if old.minor != new.minor:
        return Step.MINOR
    return Step.PATCH if old.patch != new.patch else Step.NONE


def demanded(step: Step, previous: Version) -> Step:
    """Return the step that a change of size `step` requires after `previous`.

    Before 1.0.0 the second number takes the role of the first: a major change requires a minor
    step, and a minor one a patch. A candidate promises nothing: if `previous` is one, because
    there is no final release, every version is allowed.
    """
    if previous.prerelease:
        return Step.NONE
    if previous.major or step <= Step.PATCH:
        return step
    return Step(step - 1)


def stepped(version: Version, step: Step) -> Version:
    """Return the final version one `step` above the final `version`; of NONE, `version`."""
    if step is Step.MAJOR:
        return version.bump_major()
    if step is Step.MINOR:
        return version.bump_minor()
    return version.bump_patch() if step is Step.PATCH else version


def legal_next(existing: Iterable[Version]) -> tuple[Version, ...]:
    """Return the final versions that may follow, ascending.

    Each is exactly the next patch, minor or major of some final release, and does not exist yet:
    after 1.0.0 and 1.1.0 these are 1.0.1, 1.1.1, 1.2.0 and 2.0.0. Without a final release they
    are the allowed first versions.
    """
    finals = {version.final for version in existing if not version.prerelease}
    steps = (Step.PATCH, Step.MINOR, Step.MAJOR)
    follow = {stepped(version, step) for version in finals for step in steps}
    return tuple(sorted((follow or set(FIRST)) - finals))


def is_legal_step(existing: Iterable[Version], new: Version) -> bool:
    """Tell whether `new` may be added to the existing versions.

    It must be one of `legal_next`, or a candidate `-rc.n` of one with a higher number than every
    existing candidate.
    """
    known = tuple(existing)
    if new.final not in legal_next(known):
        return False
    if not new.prerelease:
        return True
    return _CANDIDATE.fullmatch(new.prerelease) is not None and not any(
        version >= new for version in known if version.prerelease and version.final == new.final
    )
