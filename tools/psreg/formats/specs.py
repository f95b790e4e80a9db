"""The five specifications as data: each rule and each ambiguity, in psreg's own words.

`specs/<name>-<version>.toml` holds the facts. Which rule of psreg implements an id is not among
them: rules cite the ids they implement (`Rule.spec`), and `citing` turns that around. An id that
no rule cites says why: it is about behaviour, about something later, or beyond what can be checked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from psreg.core.rule import Rule

ORDER = ("pbe-1.0", "prompt-0.0.1", "vpp-1.4", "plsp-0.5", "pb2s-0.2")
"""The files of the data, in the order in which people meet the specifications."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One rule of a specification: its level there, and what it asks for in one sentence.

    `semantics` is the anchor of the section on the page about behaviour that speaks of it,
    `not_checkable` why no rule can judge it, `later` what will; each is "" where it does not hold.
    """

    id: str
    level: str
    text: str
    semantics: str = ""
    not_checkable: str = ""
    later: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One ambiguity: what is unclear, how psreg reads it, and why. Other fields as in `Clause`."""

    id: str
    unclear: str
    ours: str
    why: str
    semantics: str = ""
    not_checkable: str = ""
    later: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """One version of one specification; `cited` is what rules call it: `pbe-1.0`."""

    name: str
    version: str
    cited: str
    title: str
    about: str
    clauses: tuple[Clause, ...]
    readings: tuple[Reading, ...]

    @property
    def page(self) -> str:
        """Path of its page below the root of the site."""
        return f"specs/{self.name}/{self.version}/"

    @property
    def rows(self) -> tuple[Clause | Reading, ...]:
        """Everything with an id."""
        return (*self.clauses, *self.readings)


@cache
def specifications() -> tuple[Specification, ...]:
    """Return all specifications, in the order of `ORDER`."""
    return tuple(map(_read, ORDER))


def citing(rules: Iterable[Rule[Any]]) -> Mapping[str, tuple[str, ...]]:
    """Return the codes of the `rules` that implement each citation: `pbe-1.0/PBE-04`."""
    found: dict[str, tuple[str, ...]] = {}
    for rule in rules:
        for citation in rule.spec.split():
            found[citation] = (*found.get(citation, ()), rule.code)
    return found


def _read(stem: str) -> Specification:
    text = (files("psreg.formats") / "specs" / f"{stem}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    # NOTE: what a whole specification waits for holds for every id that does not say otherwise.
    later = data.pop("later", "")
    clauses = (_settled(row, later) for row in data.pop("rule"))
    readings = (_settled(row, later) for row in data.pop("reading"))
    return Specification(
        **data,
        clauses=tuple(Clause(**row) for row in clauses),
        readings=tuple(Reading(**row) for row in readings),
    )


def _settled(row: Mapping[str, str], later: str) -> dict[str, str]:
    settled = row.keys() & {"semantics", "not_checkable"}
    return dict(row) if settled else {"later": later, **row}
