"""The facts about a release that the score asks for: README, runs, transcripts, golden cases.

Everything is read from the version folder, and only when it is needed. Nothing raises: what cannot
be read counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from psreg.core.classes import RESERVED_CLASSES, Format
from psreg.formats.conversation import json_lines
from psreg.formats.dotprompt import Prompt
from psreg.formats.dotprompt_source import NAME
from psreg.formats.golden_case import SUFFIX, GoldenCase
from psreg.formats.markdown import (
    Section,
    about,
    examples,
    fences,
    is_about,
    recorded,
    sections,
)
from psreg.formats.protocol_versions import STUB
from psreg.formats.release import TestRun
from psreg.formats.tree import Submission

if TYPE_CHECKING:
    from psreg.lint.entries.tested_runs import JudgedRun

_CHAPTER = 2
"""Level of the headings below the title."""

_MOST = 20
"""The most code blocks of examples to look for in the evidence."""

_WORD = re.compile(NAME)
_USUAL = ("use case", "example", "limitation")
"""The subjects of headings that every README.md has."""


class Facts:
    """The facts about one release that the score asks for."""

    def __init__(self, submission: Submission) -> None:
        self._submission = submission

    @property
    def is_template(self) -> bool:
        """Whether the artifact is a `.prompt`."""
        return self._submission.id.format is Format.PROMPT

    @property
    def can_be_run(self) -> bool:
        """Whether an assistant can run it: the class of persistent services is reserved."""
        return self._submission.id.entry_class not in RESERVED_CLASSES

    @cached_property
    def _readme(self) -> str:
        return self._submission.documents[self._submission.readme_path].text

    @cached_property
    def _sections(self) -> tuple[Section, ...]:
        return sections(self._readme)

    @property
    def introduction(self) -> bool:
        """Whether README.md has text before its second heading."""
        first = self._sections[:1]
        start = first[0].span.end if first else 0
        end = self._sections[1].span.start if len(self._sections) > 1 else len(self._readme)
        return bool(self._readme[start:end].strip())

    @property
    def use_case(self) -> bool:
        """Whether README.md has text below a heading about the use case."""
        return any(s.body.strip() for s in about(self._sections, "use case"))

    @property
    def guide(self) -> bool:
        """Whether README.md has a section with text other than the usual ones."""
        return any(
            section.level <= _CHAPTER
            and section.body.strip()
            and not any(is_about(section, subject) for subject in _USUAL)
            for section in self._sections[1:]
        )

    @property
    def inputs(self) -> bool:
        """Whether README.md names every variable of the `.prompt`."""
        names = self.variables
        return names is not None and names <= {*_WORD.findall(self._readme)}

    @property
    def limitations(self) -> bool:
        """Whether release.toml names a limitation."""
        return any(text.strip() for _, text in self._submission.release.strings("limitations"))

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """The examples of README.md: the parts of each section whose heading names an example."""
        found: list[str] = []
        end = 0
        for section in examples(self._sections):
            if section.span.start >= end:  # otherwise it is part of the previous one
                end = section.span.end + len(section.body)
                found += _parts(section)
        return tuple(found)

    @property
    def recorded_example(self) -> bool:
        """Whether an example is marked as recorded, and there is a transcript."""
        return bool(self.transcripts) and any(
            recorded(section) for section in examples(self._sections)
        )

    @property
    def quoted_example(self) -> bool:
        """Whether a code block of an example occurs in the evidence, word for word."""
        said = "\0".join((*self._said, *(case.expected for case in self._goldens)))
        blocks = (block for example in self.examples for block in _code(example))
        return any(block in said for block in islice(blocks, _MOST))

    @cached_property
    def runs(self) -> tuple[TestRun, ...]:
        """The test runs that count: of exactly this artifact, in agreement with a transcript."""
        return tuple(judged.run for judged in self._judged if judged.counts)

    @cached_property
    def _judged(self) -> tuple[JudgedRun, ...]:
        from psreg.lint.entries.tested_runs import judged_runs  # noqa: PLC0415 - slow to import

        return judged_runs(self._submission)

    @property
    def passed_on(self) -> frozenset[str]:
        """The known platforms on which exactly this artifact passed."""
        passed = (judged for judged in self._judged if judged.passed and judged.known)
        return frozenset(judged.platform for judged in passed)

    @property
    def all_runs_count(self) -> bool:
        """Whether every run counts, those on psreg's stub excepted."""
        return all(judged.counts for judged in self._judged if judged.platform != STUB)

    @cached_property
    def transcripts(self) -> dict[PurePosixPath, tuple[dict[str, Any], ...]]:
        """The turns or exchanges in each JSON Lines file below evidence/ that has any."""
        found = {}
        for path in self._evidence(".jsonl"):
            if records := tuple(json_lines.records(self._submission.documents[path].text)):
                found[path] = records
        return found

    @property
    def conversations(self) -> int:
        """How many different transcripts have all answers that their class can have.

        A stateless executor answers once, everything else at least twice.
        """
        least = 1 if self._submission.id.entry_class == "stateless_executor" else 2
        long = {path for path, records in self.transcripts.items() if _answers(records) >= least}
        return len({self._submission.files[path] for path in long})

    @property
    def answers_in_all(self) -> bool:
        """Whether there are transcripts, and each contains an answer of the assistant."""
        return bool(self.transcripts) and all(map(_answers, self.transcripts.values()))

    @property
    def repeatable(self) -> bool:
        """Whether a transcript begins with the whole text of the artifact."""
        text = (self._submission.artifact or b"").decode(errors="replace").strip()
        begun = (str(records[0].get("content", "")) for records in self.transcripts.values())
        return bool(text) and any(text in first for first in begun)

    @property
    def _said(self) -> Iterator[str]:
        for records in self.transcripts.values():
            for record in records:
                yield from (
                    str(record[key]) for key in ("content", "text", "next") if key in record
                )

    @property
    def _prompt(self) -> Prompt | None:
        prompt = self._submission.prompt
        return prompt if prompt and prompt.readable else None

    @property
    def variables(self) -> frozenset[str] | None:
        """The variables of the `.prompt`; None if it cannot be read."""
        prompt = self._prompt
        return frozenset(variable.name for variable in prompt.variables) if prompt else None

    @property
    def defaults(self) -> frozenset[str]:
        """The variables of the `.prompt` that have a default."""
        return frozenset(self._prompt.defaults if self._prompt else ())

    @cached_property
    def _goldens(self) -> tuple[GoldenCase, ...]:
        found = (GoldenCase(self._submission.documents.toml(p)) for p in self._evidence(SUFFIX))
        prompt = self._prompt
        return tuple(case for case in found if prompt and case.rendered(prompt) == case.expected)

    @property
    def goldens(self) -> tuple[frozenset[str], ...]:
        """The golden cases that render as expected: the variables to which each gives a value."""
        return tuple(frozenset(case.values) for case in self._goldens)

    @property
    def unused_variables(self) -> frozenset[str]:
        """The variables to which no golden case gives a value."""
        return (self.variables or frozenset()).difference(*self.goldens)

    def _evidence(self, suffix: str) -> list[PurePosixPath]:
        return [path for path in self._submission.evidence if path.name.endswith(suffix)]


def _parts(section: Section) -> list[str]:
    """Return the direct subsections of a section, or its own text if it has none."""
    inner = sections(section.body)
    top = min((part.level for part in inner), default=0)
    bodies = [part.body for part in inner if part.level == top] or [section.body]
    return [body for body in bodies if body.strip()]


def _code(text: str) -> list[str]:
    """Return the contents of the fenced code blocks of a text."""
    blocks = (text[span.start : span.end].strip().split("\n") for span in fences(text))
    inside = ("\n".join(lines[1:-1]).strip() for lines in blocks)
    return [block for block in inside if block]


def _answers(records: tuple[dict[str, Any], ...]) -> int:
    """Return how often an assistant answers; a record without a role is a whole exchange."""
    return sum(record.get("role", "assistant") == "assistant" for record in records)
