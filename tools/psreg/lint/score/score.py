"""The score of a release: what it shows for itself, in points from 0 to 100.

A pure function of the version folder and the table in `index.formula`; nothing of it is
popularity, age or opinion. It is computed once, for the record of a new release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psreg.formats.tree import Submission
from psreg.lint.score.facts import Merits
from psreg.lint.score.formula import FORMULA, HOW, PARTS, PBE, POINTS, PROMPT, QUESTIONS, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The points of one part, and the ids of the questions that were answered with no."""

    id: str
    points: int
    of: int
    missing: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the part for people."""
        return PARTS.get(self.id, self.id)

    @property
    def steps(self) -> tuple[str, ...]:
        """What would raise it, a sentence each; what this psreg does not know is left out."""
        return tuple(HOW[each] for each in self.missing if each in HOW)

    @property
    def how(self) -> str:
        """What would raise it, as one text; "" if nothing would."""
        return " ".join(self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The points of a release: `total` is the sum of its parts; `formula` is the table's number."""

    total: int
    parts: tuple[Part, ...]
    formula: int = FORMULA

    def to_json(self) -> dict[str, Any]:
        """Return the score as it stands in the record of a release."""
        parts = [
            {"id": part.id, "points": part.points, "of": part.of, "missing": list(part.missing)}
            for part in self.parts
        ]
        return {"formula": self.formula, "total": self.total, "parts": parts}


def score(submission: Submission) -> Score:
    """Return the score of a release as it stands in its version folder; never raises."""
    merits = Merits(submission)
    asked = [q for q in QUESTIONS if q.only in ("", PROMPT if merits.is_template else PBE)]
    parts = tuple(_part(part, [q for q in asked if q.part == part], merits) for part in PARTS)
    return Score(total=sum(part.points for part in parts), parts=parts)


def _part(name: str, asked: list[Question], merits: Merits) -> Part:
    missing = tuple(question.id for question in asked if not question.met(merits))
    of = POINTS * len(asked)
    return Part(id=name, points=of - POINTS * len(missing), of=of, missing=missing)


def read_score(value: Mapping[str, Any] | None) -> Score | None:
    """Return the score that a record states, or None if it states none of a known shape."""
    if value is None:
        return None
    try:
        parts = tuple(
            Part(
                id=_is(str, part["id"]),
                points=_is(int, part["points"]),
                of=_is(int, part["of"]),
                missing=tuple(_is(str, each) for each in _is(list, part["missing"])),
            )
            for part in _is(list, value["parts"])
        )
        total, formula = _is(int, value["total"]), _is(int, value["formula"])
    except (KeyError, TypeError):
        return None
    return Score(total=total, parts=parts, formula=formula)


def _is(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value
