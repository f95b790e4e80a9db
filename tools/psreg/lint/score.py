"""The score of a release: twenty questions in five parts, five points for each yes.

The documentation, the command line and the review show this one table. Every change to it increases
`FORMULA`; ids are never reused for another question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.formats.tree import Submission
from psreg.lint.score_facts import Facts

FORMULA = 3
"""The number of this table; each record stores it with the points."""

POINTS = 5
"""The points of one question."""

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

    `asks` says what earns the points, `how` what an author does to earn them. `only` is the format
    to which the question applies, or "" for both; each part has equally many questions for both
    formats. `of_runs` questions are about runs; a class that cannot be run is not asked them.
    """

    id: str
    part: str
    asks: str
    how: str
    met: Callable[[Facts], bool]
    only: str = ""
    of_runs: bool = False


_SEVERAL = 2
"""Runs or examples that count as several."""


def _passed_on(number: int) -> Callable[[Facts], bool]:
    return lambda facts: len(facts.passed_on) >= number


def _conversations(number: int) -> Callable[[Facts], bool]:
    return lambda facts: facts.conversations >= number


QUESTIONS: tuple[Question, ...] = (
    Question(
        id="introduction",
        part="documentation",
        asks="README.md says what the prompt is, before its second heading",
        how="Begin README.md with a paragraph that says what the prompt is.",
        met=lambda facts: facts.introduction,
    ),
    Question(
        id="use-case",
        part="documentation",
        asks="README.md says when to use it, below a heading with “use case” or its translation",
        how="Say when to use it, below a heading with the words “use case”.",
        met=lambda facts: facts.use_case,
    ),
    Question(
        id="guide",
        part="documentation",
        asks="README.md has a section about its use, besides use case, example and limitations",
        how="Add a section to README.md: how to begin, what to say, how to save and resume.",
        met=lambda facts: facts.guide,
        only=PBE,
    ),
    Question(
        id="inputs",
        part="documentation",
        asks="README.md names every variable",
        how="Name every variable in README.md and say which values it takes.",
        met=lambda facts: facts.inputs,
        only=PROMPT,
    ),
    Question(
        id="limitations",
        part="documentation",
        asks="release.toml names what it cannot do, in `limitations`",
        how="List what it cannot do under `limitations` in release.toml.",
        met=lambda facts: facts.limitations,
    ),
    Question(
        id="transcript",
        part="evidence",
        asks="a run that the author reports agrees with its transcript",
        how="Run it with `psreg try --record`, and cite the transcript in a row of `[[tested]]`.",
        met=lambda facts: len(facts.runs) > 0,
        of_runs=True,
    ),
    Question(
        id="all-transcripts",
        part="evidence",
        asks="there are two or more reported runs, and each agrees with its transcript",
        how="Keep the transcripts of all runs in `[[tested]]`, at least two.",
        met=lambda facts: len(facts.runs) >= _SEVERAL and facts.all_runs_count,
        of_runs=True,
    ),
    Question(
        id="answers",
        part="evidence",
        asks="every transcript shows what the assistant answered",
        how="Keep transcripts complete, with the answers of the assistant.",
        met=lambda facts: facts.answers_in_all,
        of_runs=True,
    ),
    Question(
        id="settings",
        part="evidence",
        asks="every run of this artifact names its settings",
        how="Name the `settings` of every run in `[[tested]]`, such as `{temperature = 0.2}`.",
        met=lambda facts: bool(facts.runs) and all(run.settings for run in facts.runs),
        of_runs=True,
    ),
    Question(
        id="example",
        part="examples",
        asks="README.md shows an example",
        how="Show a result below a heading with the word “example”.",
        met=lambda facts: len(facts.examples) > 0,
    ),
    Question(
        id="second-example",
        part="examples",
        asks="README.md shows two or more examples, each below its own heading",
        how="Show a second example below its own heading.",
        met=lambda facts: len(facts.examples) >= _SEVERAL,
    ),
    Question(
        id="recorded-example",
        part="examples",
        asks="an example is marked as recorded, and a transcript is in `evidence/`",
        how="Show a recorded example, with its transcript in `evidence/`.",
        met=lambda facts: facts.recorded_example,
        of_runs=True,
    ),
    Question(
        id="exact-example",
        part="examples",
        asks="a code block of an example occurs word for word in a file of `evidence/`",
        how="Quote the example word for word, in a code block, from a transcript or a golden case.",
        met=lambda facts: facts.quoted_example,
        of_runs=True,
    ),
    *(
        Question(
            id=f"platforms-{number}",
            part="platforms",
            asks=f"this artifact passed on {words}",
            how=f"Run it on {words}; a row of `[[tested]]` with the result `pass` counts.",
            met=_passed_on(number),
            of_runs=True,
        )
        for number, words in enumerate(
            ("a platform", "two platforms", "three platforms", "four platforms"), 1
        )
    ),
    Question(
        id="golden",
        part="tests",
        asks="a golden case, `evidence/*.render.toml`, renders exactly the text it expects",
        how="Add a golden case, `evidence/NAME.render.toml`: values and the rendered text.",
        met=lambda facts: len(facts.goldens) > 0,
        only=PROMPT,
    ),
    Question(
        id="golden-defaults",
        part="tests",
        asks="a golden case gives no value to any variable that has a default",
        how="Add a golden case that keeps every default.",
        met=lambda facts: any(not given & facts.defaults for given in facts.goldens),
        only=PROMPT,
    ),
    Question(
        id="golden-all-variables",
        part="tests",
        asks="together, the golden cases give a value to every variable",
        how="Give every variable a value in at least one golden case.",
        met=lambda facts: bool(facts.goldens) and not facts.unused_variables,
        only=PROMPT,
    ),
    Question(
        id="golden-three",
        part="tests",
        asks="there are three or more golden cases; without any variable, one is enough",
        how="Add golden cases until there are three.",
        met=lambda facts: len(facts.goldens) >= (3 if facts.variables else 1),
        only=PROMPT,
    ),
    Question(
        id="repeatable",
        part="tests",
        asks="a transcript begins with the whole text of the artifact, so that it can be repeated",
        how="Save a transcript whose first turn contains the whole text of the artifact.",
        met=lambda facts: facts.repeatable,
        only=PBE,
        of_runs=True,
    ),
    *(
        Question(
            id=f"conversations-{number}",
            part="tests",
            asks=f"the transcripts contain {words} (of a dialogue: with two or more answers)",
            how=f"Save the transcripts of {words}; a dialogue needs at least two answers.",
            met=_conversations(number),
            only=PBE,
            of_runs=True,
        )
        for number, words in enumerate(
            ("a whole run", "two different runs", "three different runs"), 1
        )
    ),
)
"""The table, in display order."""

HOW: Mapping[str, str] = {question.id: question.how for question in QUESTIONS}
"""What would raise the score, by the id of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The points of one part, and the ids of the questions that were answered with no."""

    id: str
    points: int
    of: int
    missing: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title of the part."""
        return PARTS.get(self.id, self.id)

    @property
    def steps(self) -> tuple[str, ...]:
        """What would raise the score, one sentence each; unknown questions are skipped."""
        return tuple(HOW[each] for each in self.missing if each in HOW)

    @property
    def how(self) -> str:
        """What would raise the score, as one text; "" if the part is complete."""
        return " ".join(self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The points of a release: `total` is the sum of its parts; `formula` is the table's number."""

    total: int
    parts: tuple[Part, ...]
    formula: int = FORMULA

    @property
    def told(self) -> str:
        """The points for people, with those of each part."""
        parts = ", ".join(f"{part.title.lower()} {part.points}/{part.of}" for part in self.parts)
        return f"{self.total} of 100: {parts}"

    def to_json(self) -> dict[str, Any]:
        """Return the score as the record of a release stores it."""
        parts = [
            {"id": part.id, "points": part.points, "of": part.of, "missing": list(part.missing)}
            for part in self.parts
        ]
        return {"formula": self.formula, "total": self.total, "parts": parts}


def score(submission: Submission) -> Score:
    """Return the score of a release in its version folder; never raises."""
    facts = Facts(submission)
    form = PROMPT if facts.is_template else PBE
    asked = [
        question
        for question in QUESTIONS
        if question.only in ("", form) and (facts.can_be_run or not question.of_runs)
    ]
    asked_in = {part: [q for q in asked if q.part == part] for part in PARTS}
    parts = tuple(_part(part, found, facts) for part, found in asked_in.items() if found)
    return Score(total=sum(part.points for part in parts), parts=parts)


def _part(name: str, asked: list[Question], facts: Facts) -> Part:
    missing = tuple(question.id for question in asked if not question.met(facts))
    of = POINTS * len(asked)
    return Part(id=name, points=of - POINTS * len(missing), of=of, missing=missing)


def read_score(value: Mapping[str, Any] | None) -> Score | None:
    """Return the score in a record, or None if it has no score of a known form."""
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
