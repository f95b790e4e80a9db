"""The conversation protocols that a prompt may declare, and what a record says about each.

`PROTOCOLS` is the one table of their versions: the rules, the command line, the schemas and the
docs follow it. A version has two numbers; a third, as in SemVer, is accepted and ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PROTOCOLS: Mapping[str, tuple[str, ...]] = {"vpp": ("1.4",), "plsp": ("0.5",), "pb2s": ("0.2",)}
"""The versions that psreg knows, the latest last, by the name that release.toml uses."""

DIALECT = "psreg-1"
"""The dialect of PLSP instructions (`imf`) that psreg can follow."""

STUB = "stub"
"""The platform that is not a model: a program that answers what a test asks it to."""

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9})?")


def latest_version(protocol: str) -> str:
    """Return the latest version of `protocol`, a name in `PROTOCOLS`."""
    return PROTOCOLS[protocol][-1]


def version_numbers(version: str) -> tuple[int, int] | None:
    """Return the major and minor number of `version`, or None if it is not a version."""
    match = _VERSION.fullmatch(version)
    return (int(match[1]), int(match[2])) if match else None


def nearest_version(declared: str, known: Iterable[str]) -> str | None:
    """Return which of the `known` versions to check with what follows `declared`.

    It is the highest lower one of the same major version, or the lowest one if all are higher;
    None if `declared` is not a version, or its major version is unknown.
    """
    wanted = version_numbers(declared)
    rows = sorted((version_numbers(each) or (0, 0), each) for each in known)
    same = [(number, each) for number, each in rows if wanted and number[0] == wanted[0]]
    lower = [each for number, each in same if wanted and number <= wanted]
    return lower[-1] if lower else next((each for _, each in same), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolConformance:
    """How the transcripts of one release conform to one protocol that it declares.

    It is computed at publication and never again, so that it shows what the rules of that day
    said. `judged_by` is the version of the rules, "" if nothing was checked; `imf` is the dialect
    of PLSP instructions. `transcripts` are paths; `answers` counts the messages of a model in
    them, `sound` those without an error. `platforms` are the ones that the runs name.
    """

    name: str
    version: str
    imf: str = ""
    judged_by: str = ""
    transcripts: tuple[str, ...] = ()
    answers: int = 0
    sound: int = 0
    platforms: tuple[str, ...] = ()

    @property
    def rate(self) -> int | None:
        """The percentage of sound answers, rounded down; None if there are no answers."""
        return 100 * self.sound // self.answers if self.answers else None

    @property
    def models(self) -> tuple[str, ...]:
        """The platforms without psreg's own stub."""
        return tuple(platform for platform in self.platforms if platform != STUB)

    @property
    def stubbed(self) -> bool:
        """Whether the stub answered in a transcript."""
        return STUB in self.platforms

    def to_json(self) -> dict[str, Any]:
        """Return the element of `protocols` as JSON data."""
        return {
            "name": self.name,
            "version": self.version,
            "imf": self.imf,
            "judged_by": self.judged_by,
            "transcripts": list(self.transcripts),
            "answers": self.answers,
            "sound": self.sound,
            "platforms": list(self.platforms),
        }


def read_conformances(rows: Any) -> tuple[ProtocolConformance, ...]:
    """Return what `rows`, the `protocols` of a record, say; rows of another shape are skipped."""
    return tuple(_conformances(rows if isinstance(rows, (list, tuple)) else ()))


def _conformances(rows: Any) -> Iterator[ProtocolConformance]:
    for row in rows:
        if not isinstance(row, dict) or not all(_has_type(row, key) for key in _TYPES):
            continue
        known = {key: row[key] for key in _TYPES}
        lists = {key: tuple(row[key]) for key in ("transcripts", "platforms")}
        yield ProtocolConformance(**known | lists)


_TYPES: Mapping[str, type] = {
    "name": str,
    "version": str,
    "imf": str,
    "judged_by": str,
    "transcripts": list,
    "answers": int,
    "sound": int,
    "platforms": list,
}


def _has_type(row: Mapping[str, Any], key: str) -> bool:
    value = row.get(key)
    if isinstance(value, list):
        return _TYPES[key] is list and all(isinstance(item, str) for item in value)
    return isinstance(value, _TYPES[key])
