"""Versions (SemVer 2.0.0) and version ranges (Cargo's `^ ~ *`, comma = and, bare = exact).

`semver` parses and orders versions; this module adds what it lacks: refusal of non-ASCII digits
and trailing newlines, and ranges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from semver import Version

MAX_LENGTH = 128
"""Characters of the longest version text accepted; a version is also a folder name."""

_OPERATORS = ("^", "~", ">=", "<=", ">", "<", "=")


def parse_version(text: str) -> Version:
    """Return the SemVer 2.0.0 version that `text` spells, exactly.

    Raises:
        ValueError: `text` is not MAJOR.MINOR.PATCH[-pre][+build] (semver.org §2, §9, §10).
    """
    # `semver` anchors with `$` and `\d`, which accept a trailing newline and non-ASCII digits.
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable():
        raise ValueError(f"{text[:MAX_LENGTH]!r} is not MAJOR.MINOR.PATCH")
    return Version.parse(text)


def is_version(text: str) -> bool:
    """Tell whether `text` is a SemVer 2.0.0 version."""
    try:
        parse_version(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """A half-open interval of versions `[lower, upper)`; `upper` None is unbounded.

    `prerelease` is the version whose MAJOR.MINOR.PATCH the author spelled with a pre-release tag:
    only then do pre-releases of that very triple match (Cargo, "Pre-releases").
    """

    lower: Version
    upper: Version | None
    upper_included: bool = False
    lower_included: bool = True
    prerelease: Version | None = None

    def matches(self, version: Version) -> bool:
        """Tell whether `version` lies in the interval; build metadata does not count."""
        if version.prerelease and not self._asked_for(version):
            return False
        low = version.compare(self.lower)
        if low < 0 or (low == 0 and not self.lower_included):
            return False
        if self.upper is None:
            return True
        high = version.compare(self.upper)
        return high < 0 or (high == 0 and self.upper_included)

    def _asked_for(self, version: Version) -> bool:
        pre = self.prerelease
        return pre is not None and pre.to_tuple()[:3] == version.to_tuple()[:3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A set of versions: all comparators must match. `text` is what the person wrote."""

    text: str
    comparators: tuple[Comparator, ...]
    exact: Version | None = None

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read `^1.2`, `~1.2.3`, `*`, `1.*`, `>=1.0, <2.0` or an exact `1.2.3`.

        Raises:
            ValueError: with a sentence saying what to write instead.
        """
        clauses = [clause.strip() for clause in text.split(",")]
        if len(text) > MAX_LENGTH or not all(clauses):
            raise ValueError(f"{text[:MAX_LENGTH]!r} is not a version range")
        comparators = tuple(_comparator(clause) for clause in clauses)
        bare = len(clauses) == 1 and is_version(clauses[0])
        return cls(
            text=text,
            comparators=comparators,
            exact=parse_version(clauses[0]) if bare else None,
        )

    def matches(self, version: Version) -> bool:
        """Tell whether `version` satisfies every comparator of the range."""
        if self.exact is not None:
            return version == self.exact and version.build == (self.exact.build or version.build)
        return all(comparator.matches(version) for comparator in self.comparators)

    def best(self, versions: Iterable[Version]) -> Version | None:
        """Return the highest version that matches, or None."""
        return max((v for v in versions if self.matches(v)), default=None)


def _comparator(clause: str) -> Comparator:
    operator = next((op for op in _OPERATORS if clause.startswith(op)), "")
    operand = clause[len(operator) :].strip()
    if not operator and (clause == "*" or clause.endswith(".*")):
        return _wildcard(clause)
    if not operator:
        if not is_version(clause):
            raise ValueError(
                f"{clause!r} is not an exact version: write all three numbers, "
                f"or a range such as ^{clause.lstrip('v')}"
            )
        return _exact(parse_version(clause))
    full, parts = _partial(operand, clause)
    pre = full if full.prerelease else None
    match operator:
        case "^":
            return Comparator(lower=full, upper=_caret(full, parts), prerelease=pre)
        case "~":
            return Comparator(lower=full, upper=_next(_floor(full), parts), prerelease=pre)
        case ">=":
            return Comparator(lower=full, upper=None, prerelease=pre)
        case ">":
            if parts < 3:  # noqa: PLR2004 - the three numbers of a version
                return Comparator(lower=_next(full, parts), upper=None)
            return Comparator(lower=full, upper=None, lower_included=False, prerelease=pre)
        case "<":
            return Comparator(lower=_ZERO, upper=full, prerelease=pre)
        case "<=":
            if parts < 3:  # noqa: PLR2004 - the three numbers of a version
                return Comparator(lower=_ZERO, upper=_next(full, parts))
            return Comparator(lower=_ZERO, upper=full, upper_included=True, prerelease=pre)
        case _:
            if parts < 3:  # noqa: PLR2004 - the three numbers of a version
                return Comparator(lower=full, upper=_next(full, parts))
            return _exact(full)


_ZERO = Version(0, 0, 0, prerelease="0")


def _exact(version: Version) -> Comparator:
    return Comparator(lower=version, upper=version, upper_included=True, prerelease=version)


def _floor(version: Version) -> Version:
    """Return the plain triple: bumping a pre-release must not stop at its own final release."""
    return Version(version.major, version.minor, version.patch)


def _next(version: Version, parts: int) -> Version:
    return version.bump_major() if parts == 1 else version.bump_minor()


def _caret(version: Version, parts: int) -> Version:
    base = _floor(version)
    if base.major or parts == 1:
        return base.bump_major()
    if base.minor or parts == 2:  # noqa: PLR2004 - MAJOR.MINOR
        return base.bump_minor()
    return base.bump_patch()


def _wildcard(clause: str) -> Comparator:
    if clause == "*":
        return Comparator(lower=Version(0, 0, 0), upper=None)
    full, parts = _partial(clause.removesuffix(".*"), clause)
    if parts > 2 or full.prerelease:  # noqa: PLR2004 - MAJOR.MINOR
        raise ValueError(f"{clause!r} is not a version range")
    return Comparator(lower=full, upper=_next(full, parts))


def _partial(text: str, clause: str) -> tuple[Version, int]:
    """Return `text` padded to three numbers, and how many it had."""
    if is_version(text):
        return parse_version(text), 3
    numbers = text.split(".")
    plain = all(n.isascii() and n.isdigit() and (n == "0" or n[0] != "0") for n in numbers)
    if not plain or len(numbers) > 2 or len(text) > MAX_LENGTH:  # noqa: PLR2004 - MAJOR.MINOR
        raise ValueError(f"{clause!r} is not a version range such as ^1.2, ~1.2.3 or *")
    padded = [int(n) for n in numbers] + [0] * (3 - len(numbers))
    return Version(*padded), len(numbers)


ANY = Range.parse("*")
"""The range that every released version satisfies (pre-releases not asked for)."""
