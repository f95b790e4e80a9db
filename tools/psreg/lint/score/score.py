"""The public table of the score: twenty questions in five parts, five points for each yes.

The documentation, the command line and the review show this table and no other. A change to it
gets the next number in `FORMULA`; ids are never used again for another question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.formats.tree import Submission
from psreg.lint.score.facts import Facts

FORMULA = 1
"""The number of this table; it stands in each record beside the points."""

POINTS = 5
"""What one question is worth."""

PARTS: Mapping[str, str] = {
    "documentation": "Documentation",
    "evidence": "Evidence",
    "examples": "Examples",
    "platforms": "Platforms",
    "tests": "Tests",
}
"""The parts by id, in order, with their titles."""

PBE, PROMPT = "PBE", ".prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the table.

    `asks` says what is worth the points, `how` what an author does for them. `only` is the format
    of which it is asked, or "" for both; both are asked equally many in each part.
    """

    id: str
    part: str
    asks: str
    how: str
    met: Callable[[Facts], bool]
    only: str = ""


_SOME, _MANY = 2, 3


def _passed_on(number: int) -> Callable[[Facts], bool]:
    return lambda facts: len(facts.passed_on) >= number


def _talked(number: int) -> Callable[[Facts], bool]:
    return lambda facts: facts.conversations >= number


QUESTIONS: tuple[Question, ...] = (
    Question(
        id="introduction",
        part="documentation",
        asks="README.md says what it is, before its second heading",
        how="Begin README.md with a paragraph that says what it is.",
        met=lambda facts: facts.introduction,
    ),
    Question(
        id="use-case",
        part="documentation",
        asks="README.md says when to use it, below a heading with the words “use case”",
        how="Say below a heading with the words “use case” when to reach for it.",
        met=lambda facts: facts.use_case,
    ),
    Question(
        id="guide",
        part="documentation",
        asks="README.md has a section about its use, beside use case, example and limitations",
        how="Add a section to README.md: how to begin, what to say, how to save and resume.",
        met=lambda facts: facts.guide,
        only=PBE,
    ),
    Question(
        id="inputs",
        part="documentation",
        asks="README.md names every variable",
        how="Name every variable in README.md and say what it takes.",
        met=lambda facts: facts.inputs,
        only=PROMPT,
    ),
    Question(
        id="limitations",
        part="documentation",
        asks="release.toml names what it cannot do, in `limitations`",
        how="Name in release.toml, under `limitations`, what it cannot do.",
        met=lambda facts: facts.limitations,
    ),
    Question(
        id="transcript",
        part="evidence",
        asks="a run of this artifact has its transcript",
        how="Run it, keep the transcript in `evidence/`, and name it in a row of `[[tested]]`.",
        met=lambda facts: len(facts.proven) > 0,
    ),
    Question(
        id="all-transcripts",
        part="evidence",
        asks="there are two runs of this artifact or more, and each has its transcript",
        how="Keep the transcript of every run of `[[tested]]`, two at least.",
        met=lambda facts: len(facts.proven) >= _SOME and facts.proven == facts.runs,
    ),
    Question(
        id="answers",
        part="evidence",
        asks="every transcript shows what the assistant answered",
        how="Keep transcripts whole: the answers of the assistant belong to them.",
        met=lambda facts: facts.answered,
    ),
    Question(
        id="settings",
        part="evidence",
        asks="every run of this artifact names the settings it was made with",
        how="Name the `settings` of every run in `[[tested]]`, such as `{temperature = 0.2}`.",
        met=lambda facts: bool(facts.runs) and all(run.settings for run in facts.runs),
    ),
    Question(
        id="example",
        part="examples",
        asks="README.md shows an example",
        how="Show below a heading with the word “example” what comes out of it.",
        met=lambda facts: len(facts.examples) > 0,
    ),
    Question(
        id="second-example",
        part="examples",
        asks="README.md shows two examples or more, each below its own heading",
        how="Show a second example below a heading of its own.",
        met=lambda facts: len(facts.examples) >= _SOME,
    ),
    Question(
        id="recorded-example",
        part="examples",
        asks="an example is marked as recorded, and a transcript is in `evidence/`",
        how="Show a recorded example, with its transcript in `evidence/`.",
        met=lambda facts: facts.recorded,
    ),
    Question(
        id="exact-example",
        part="examples",
        asks="a code block of an example stands word for word in a file of `evidence/`",
        how="Quote the example word for word in a code block, from a transcript or golden case.",
        met=lambda facts: facts.verbatim,
    ),
    *(
        Question(
            id=f"platforms-{number}",
            part="platforms",
            asks=f"this artifact passed on {words}",
            how=f"Run it on {words}; a row of `[[tested]]` with the result `pass` counts.",
            met=_passed_on(number),
        )
        for number, words in enumerate(
            ("a platform", "two platforms", "three platforms", "four platforms"), 1
        )
    ),
    Question(
        id="golden",
        part="tests",
        asks="a golden case, `evidence/*.render.toml`, gives the very text it expects",
        how="Add a golden case, `evidence/NAME.render.toml`: values and the text they give.",
        met=lambda facts: len(facts.goldens) > 0,
        only=PROMPT,
    ),
    Question(
        id="golden-defaults",
        part="tests",
        asks="a golden case gives no value to any variable that has a default",
        how="Add a golden case that leaves every default as it is.",
        met=lambda facts: any(not given & facts.defaults for given in facts.goldens),
        only=PROMPT,
    ),
    Question(
        id="golden-all-variables",
        part="tests",
        asks="the golden cases give a value to each variable, together",
        how="Let the golden cases give a value to every variable.",
        met=lambda facts: bool(facts.goldens) and facts.ungiven == frozenset(),
        only=PROMPT,
    ),
    Question(
        id="golden-three",
        part="tests",
        asks="there are three golden cases or more; without any variable, one is enough",
        how="Add golden cases until there are three.",
        met=lambda facts: len(facts.goldens) >= (_MANY if facts.variables else 1),
        only=PROMPT,
    ),
    Question(
        id="repeatable",
        part="tests",
        asks="a transcript begins with the whole text of the artifact, so that it can be repeated",
        how="Keep a transcript whose first turn holds the whole text of the artifact.",
        met=lambda facts: facts.repeatable,
        only=PBE,
    ),
    *(
        Question(
            id=f"conversations-{number}",
            part="tests",
            asks=f"the transcripts hold {words} with two answers or more",
            how=f"Keep the transcript of {words} in which the assistant answers twice or more.",
            met=_talked(number),
            only=PBE,
        )
        for number, words in enumerate(
            ("a conversation", "two conversations", "three conversations"), 1
        )
    ),
)
"""The table, in the order in which it is shown."""

HOW: Mapping[str, str] = {question.id: question.how for question in QUESTIONS}
"""What raises the score, by the id of the question."""


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
    facts = Facts(submission)
    asked = [q for q in QUESTIONS if q.only in ("", PROMPT if facts.is_template else PBE)]
    parts = tuple(_part(part, [q for q in asked if q.part == part], facts) for part in PARTS)
    return Score(total=sum(part.points for part in parts), parts=parts)


def _part(name: str, asked: list[Question], facts: Facts) -> Part:
    missing = tuple(question.id for question in asked if not question.met(facts))
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
