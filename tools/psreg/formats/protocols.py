"""The conversation protocols a prompt may declare, the version of each that psreg knows.

The versions have two numbers; a third, as in SemVer, is accepted and means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

PROTOCOLS: Mapping[str, str] = {"vpp": "1.4", "plsp": "0.5", "pb2s": "0.2"}
"""The latest version by the name that release.toml uses."""

DIALECT = "psreg-1"
"""The dialect of PLSP instructions (`imf`) that psreg can follow."""

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9})?")


def numbers(version: str) -> tuple[int, int] | None:
    """Return major and minor number of `version`, or None if it is no version."""
    match = _VERSION.fullmatch(version)
    return (int(match[1]), int(match[2])) if match else None


def judging(declared: str, known: Iterable[str]) -> str | None:
    """Return which of the `known` versions judges what follows `declared`.

    It is the nearest lower one of the same major version, the lowest one where all are higher;
    None if `declared` is no version, or of a major version that is not known.
    """
    wanted = numbers(declared)
    rows = sorted((numbers(each) or (0, 0), each) for each in known)
    same = [(number, each) for number, each in rows if wanted and number[0] == wanted[0]]
    lower = [each for number, each in same if wanted and number <= wanted]
    return lower[-1] if lower else next((each for _, each in same), None)
