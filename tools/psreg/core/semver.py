"""Versions of Semantic Versioning 2.0.0 (semver.org): how they are read, ordered and raised."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Final

from psreg.core.regex import lazy

_NUMBER = r"(?:0|[1-9][0-9]*)"
_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = lazy(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    rf"(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)


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
        if (match := _VERSION.fullmatch(text)) is None:
            raise ValueError(f"{text!r} is not MAJOR.MINOR.PATCH")
        major, minor, patch, prerelease, build = match.groups()
        return cls(int(major), int(minor), int(patch), prerelease, build)

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


def _identifiers(prerelease: str | None) -> tuple[tuple[bool, int, str], ...]:
    """Return what orders pre-releases: numbers by their size and before all others (§11.4)."""
    parts = (prerelease or "").split(".")
    return tuple((False, int(p), "") if p.isdigit() else (True, 0, p) for p in parts)
