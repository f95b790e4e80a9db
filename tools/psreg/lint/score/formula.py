"""The public table of the score: twenty questions in five parts, five points for each yes.

The documentation, the command line and the review show this table and no other. A change to it
gets the next number in `FORMULA`; ids are never used again for another question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from psreg.lint.score.facts import Merits

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
    met: Callable[[Merits], bool]
    only: str = ""


_SOME, _MANY = 2, 3


def _passed_on(number: int) -> Callable[[Merits], bool]:
    return lambda merits: len(merits.passed_on) >= number


def _talked(number: int) -> Callable[[Merits], bool]:
    return lambda merits: merits.conversations >= number


QUESTIONS: tuple[Question, ...] = (
    Question(
        id="introduction",
        part="documentation",
        asks="README.md says what it is, before its second heading",
        how="Begin README.md with a paragraph that says what it is.",
        met=lambda merits: merits.introduction,
    ),
    Question(
        id="use-case",
        part="documentation",
        asks="README.md says when to use it, below a heading with the words “use case”",
        how="Say below a heading with the words “use case” when to reach for it.",
        met=lambda merits: merits.use_case,
    ),
    Question(
        id="guide",
        part="documentation",
        asks="README.md has a section about its use, beside use case, example and limitations",
        how="Add a section to README.md: how to begin, what to say, how to save and resume.",
        met=lambda merits: merits.guide,
        only=PBE,
    ),
    Question(
        id="inputs",
        part="documentation",
        asks="README.md names every variable",
        how="Name every variable in README.md and say what it takes.",
        met=lambda merits: merits.inputs,
        only=PROMPT,
    ),
    Question(
        id="limitations",
        part="documentation",
        asks="release.toml names what it cannot do, in `limitations`",
        how="Name in release.toml, under `limitations`, what it cannot do.",
        met=lambda merits: merits.limitations,
    ),
    Question(
        id="transcript",
        part="evidence",
        asks="a run of this artifact has its transcript",
        how="Run it, keep the transcript in `evidence/`, and name it in a row of `[[tested]]`.",
        met=lambda merits: len(merits.proven) > 0,
    ),
    Question(
        id="all-transcripts",
        part="evidence",
        asks="there are two runs of this artifact or more, and each has its transcript",
        how="Keep the transcript of every run of `[[tested]]`, two at least.",
        met=lambda merits: len(merits.proven) >= _SOME and merits.proven == merits.runs,
    ),
    Question(
        id="answers",
        part="evidence",
        asks="every transcript shows what the assistant answered",
        how="Keep transcripts whole: the answers of the assistant belong to them.",
        met=lambda merits: merits.answered,
    ),
    Question(
        id="settings",
        part="evidence",
        asks="every run of this artifact names the settings it was made with",
        how="Name the `settings` of every run in `[[tested]]`, such as `{temperature = 0.2}`.",
        met=lambda merits: bool(merits.runs) and all(run.settings for run in merits.runs),
    ),
    Question(
        id="example",
        part="examples",
        asks="README.md shows an example",
        how="Show below a heading with the word “example” what comes out of it.",
        met=lambda merits: len(merits.examples) > 0,
    ),
    Question(
        id="second-example",
        part="examples",
        asks="README.md shows two examples or more, each below its own heading",
        how="Show a second example below a heading of its own.",
        met=lambda merits: len(merits.examples) >= _SOME,
    ),
    Question(
        id="recorded-example",
        part="examples",
        asks="an example is marked as recorded, and a transcript is in `evidence/`",
        how="Show a recorded example, with its transcript in `evidence/`.",
        met=lambda merits: merits.recorded,
    ),
    Question(
        id="exact-example",
        part="examples",
        asks="a code block of an example stands word for word in a file of `evidence/`",
        how="Quote the example word for word in a code block, from a transcript or golden case.",
        met=lambda merits: merits.verbatim,
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
        met=lambda merits: len(merits.goldens) > 0,
        only=PROMPT,
    ),
    Question(
        id="golden-defaults",
        part="tests",
        asks="a golden case gives no value to any variable that has a default",
        how="Add a golden case that leaves every default as it is.",
        met=lambda merits: any(not given & merits.defaults for given in merits.goldens),
        only=PROMPT,
    ),
    Question(
        id="golden-all-variables",
        part="tests",
        asks="the golden cases give a value to each variable, together",
        how="Let the golden cases give a value to every variable.",
        met=lambda merits: bool(merits.goldens) and merits.ungiven == frozenset(),
        only=PROMPT,
    ),
    Question(
        id="golden-three",
        part="tests",
        asks="there are three golden cases or more; without any variable, one is enough",
        how="Add golden cases until there are three.",
        met=lambda merits: len(merits.goldens) >= (_MANY if merits.variables else 1),
        only=PROMPT,
    ),
    Question(
        id="repeatable",
        part="tests",
        asks="a transcript begins with the whole text of the artifact, so that it can be repeated",
        how="Keep a transcript whose first turn holds the whole text of the artifact.",
        met=lambda merits: merits.repeatable,
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
