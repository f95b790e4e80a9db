"""The vocabulary of VPP as data: tags, modifiers, the pipeline and its loci, fields of the footer.

The grammar, the rules, the session and the system prompt read these tables; nothing is said twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """The tag of a turn. `assistant` tells whether assistants have it as well."""

    name: str
    title: str
    intent: str
    assistant: bool = True


TAGS: tuple[Tag, ...] = (
    Tag(name="g", title="Gather", intent="collect background and clarify the task"),
    Tag(name="q", title="Question", intent="work on the main question or a part of it"),
    Tag(name="o", title="Output", intent="produce a deliverable"),
    Tag(name="c", title="Critique", intent="judge what was produced so far"),
    Tag(name="o_f", title="Finalize", intent="give the final, vetted answer"),
    Tag(name="e", title="Exception", intent="report an invalid state", assistant=False),
    Tag(name="e_o", title="Operator", intent="report a mistake of the operator", assistant=False),
)
"""The tags that users have (VPP-02)."""

USER_TAGS = tuple(tag.name for tag in TAGS)
ASSISTANT_TAGS = tuple(tag.name for tag in TAGS if tag.assistant)
"""The tags that assistants answer with (VPP-07), in addition to `e` (VPP-A5)."""

ERROR, OPERATOR_ERROR = "e", "e_o"
RECOVERY_TAGS = ("g", "q")
"""The tags that a conversation returns to after an error (VPP-09)."""

FLAGS = ("correct", "incorrect", "minor", "major")
"""Modifiers without a value."""

ASSUMPTIONS, LOCUS = "assumptions", "locus"
VALUED = (ASSUMPTIONS, LOCUS)
"""Modifiers with a value."""

ALTERNATIVES: Mapping[str, str] = {
    "correct": "verdict",
    "incorrect": "verdict",
    "minor": "weight",
    "major": "weight",
    ASSUMPTIONS: ASSUMPTIONS,
    LOCUS: LOCUS,
}
"""The choice that a modifier makes, by name; two modifiers of one choice conflict (VPP-05)."""

FIELDS = ("Version", "Tag", "Sources", "Assumptions", "Cycle", "Locus")
"""The fields of a footer in their order (VPP-10)."""

CYCLE_LENGTH = 3
"""Exchanges in a cycle (VPP-12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One exchange of a pipeline: its tag and its locus."""

    tag: str
    locus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A sequence of tags that leads from a task to an answer."""

    steps: tuple[Step, ...]

    def after(self, tag: str) -> str:
        """Return the tag that follows `tag`; the first one after the last or an unknown tag."""
        tags = [step.tag for step in self.steps]
        index = tags.index(tag) + 1 if tag in tags else 0
        return tags[index % len(tags)]

    def locus(self, tag: str) -> str:
        """Return the locus of `tag`, "" if the pipeline does not have the tag."""
        return next((step.locus for step in self.steps if step.tag == tag), "")


CANONICAL = Pipeline(
    steps=(
        Step(tag="g", locus="research"),
        Step(tag="q", locus="research"),
        Step(tag="o", locus="draft"),
        Step(tag="c", locus="eval"),
        Step(tag="o_f", locus="delivery"),
    ),
)
"""The pipeline of the specification: preparation, inquiry, production, critique, delivery."""
