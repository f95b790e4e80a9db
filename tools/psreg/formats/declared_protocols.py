"""What a record says of a protocol that a release declares: how its transcripts were judged.

It is written at publication and never computed again: the rules of that day judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

STUB = "stub"
"""The platform that is no model: a program that answers what a test asked it to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One declared protocol of one release.

    `judged_by` is the version of the rules, "" where nothing was judged; `imf` the dialect of PLSP
    instructions. `transcripts` are paths; `answers` counts the messages of a model in them,
    `sound` those of which no finding was an error. `platforms` are those that the runs name.
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
        """The answers in a hundred that are sound, rounded down; None where there are none."""
        return 100 * self.sound // self.answers if self.answers else None

    @property
    def models(self) -> tuple[str, ...]:
        """The platforms that are not psreg's own stub."""
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


def read_spoken(rows: Any) -> tuple[Spoken, ...]:
    """Return what `rows`, the member of a record, say; what has another shape is left out."""
    return tuple(_rows(rows if isinstance(rows, (list, tuple)) else ()))


def _rows(rows: Any) -> Iterator[Spoken]:
    for row in rows:
        if not isinstance(row, dict) or not all(_fits(row, key) for key in _KINDS):
            continue
        known = {key: row[key] for key in _KINDS}
        lists = {key: tuple(row[key]) for key in ("transcripts", "platforms")}
        yield Spoken(**known | lists)


_KINDS: dict[str, type] = {
    "name": str,
    "version": str,
    "imf": str,
    "judged_by": str,
    "transcripts": list,
    "answers": int,
    "sound": int,
    "platforms": list,
}


def _fits(row: dict[str, Any], key: str) -> bool:
    value = row.get(key)
    if isinstance(value, list):
        return _KINDS[key] is list and all(isinstance(item, str) for item in value)
    return isinstance(value, _KINDS[key])
