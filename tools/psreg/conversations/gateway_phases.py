"""What a model is asked in each phase of a PB2S answer, and what of its words can be used.

Nothing is added to what a model says: a heading of the phase itself and blank space around the
text are taken away, and what cannot be used is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from psreg.core.diagnostics import Span
from psreg.protocols.pb2s.clarify_rules import QUESTIONS
from psreg.protocols.pb2s.flags import CONTRADICTION, flags_of
from psreg.protocols.pb2s.phase_rules import MAX_BULLETS
from psreg.protocols.pb2s.sections import CLARIFY, answer_of, bullets_of, questions_of


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said in one phase: the text that can be used, or what is wrong with it."""

    text: str
    fault: str = ""

    @property
    def whole(self) -> Span:
        """All of the text."""
        return Span(0, len(self.text))

    @property
    def contradicts(self) -> bool:
        """Whether it names a contradiction."""
        return any(flag.term == CONTRADICTION for flag in flags_of(self.text, self.whole))

    @property
    def flags(self) -> bool:
        """Whether it names anything that a reflection has to name."""
        return any(True for _ in flags_of(self.text, self.whole))


class Phase(NamedTuple):
    """One step: what the model is told to do, and what its words have to be."""

    name: str
    task: str
    fault_of: Callable[[Said], str]


def said_in(phase: Phase, words: str) -> Said:
    """Return what can be used of the `words` a model said in `phase`."""
    answer = answer_of(words)
    text = words.strip()
    if answer.sections:
        (first, *others) = answer.sections
        if others or first.name != phase.name or answer.preamble.start < answer.preamble.end:
            return Said("", "it has headings of other steps")
        text = answer.body(first)
    said = Said(text)
    return Said(text, "it is empty" if not text else phase.fault_of(said))


def _anything(_said: Said) -> str:
    return ""


def _reflection(said: Said) -> str:
    count = len(bullets_of(said.text, said.whole))
    if not 1 <= count <= MAX_BULLETS:
        return f"it has {count} bullets, and should have one to {MAX_BULLETS}"
    return "" if said.flags else "it names none of the three things to look for"


def _second_reflection(said: Said) -> str:
    count = len(bullets_of(said.text, said.whole))
    return f"it has {count} bullets; {MAX_BULLETS} are the most" if count > MAX_BULLETS else ""


def _clarification(said: Said) -> str:
    count = len(questions_of(said.text, said.whole))
    return "" if count == QUESTIONS else f"it asks {count} questions, and should ask exactly two"


FRAME = (
    "You answer in separate steps, and are told which step comes next. Reply with the content of "
    "that step alone: no heading, no remark before or after it, and in the language of the message."
)
"""What the model is told before anything else."""

_LOOK_FOR = (
    "Write a list of one to three bullets, each on a line that begins with '- '. Begin each bullet "
    "with the one of these terms that fits, in English: 'contradiction', 'unjustified assumption', "
    "'missing evidence'. Look for what is really there."
)

DRAFT_PHASE = Phase(
    "DRAFT", "Write a first answer to the message, as short as it can be.", _anything
)
REFLECT_PHASE = Phase("REFLECT", f"Examine the draft. {_LOOK_FOR}", _reflection)
AGAIN_PHASE = Phase(
    "REFLECT",
    f"Examine the revised answer as if it were a new draft. {_LOOK_FOR} If nothing is left of the "
    "three, say so in one sentence instead.",
    _second_reflection,
)
REVISE_PHASE = Phase(
    "REVISE",
    "Write the revised answer in full. Say which bullets it resolves, by number: 'Resolved bullet "
    "1: …'; if one cannot be resolved, say so.",
    _anything,
)
LEARNED_PHASE = Phase(
    "LEARNED",
    "List what was learned and holds beyond this answer: one to three bullets, each on a line that "
    "begins with '- '.",
    _anything,
)
CLARIFY_PHASE = Phase(
    CLARIFY,
    "A contradiction remains. Ask the user exactly two questions whose answers would settle it, "
    "each on a line of its own and ending in a question mark. Write nothing else.",
    _clarification,
)
