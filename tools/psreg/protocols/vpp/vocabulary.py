"""The words of VPP 1.4 as data: tags, modifiers, pipelines with their loci, fields of the footer.

What may follow or contradict what is said here and nowhere else; grammar, rules, the session and
the instruction for assistants only read these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VERSION = "1.4"
"""The version of the protocol that this package knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """What a turn is for. `assistant` tells whether assistants have it, too."""

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
"""The tags users have (VPP-02)."""

USER_TAGS = tuple(tag.name for tag in TAGS)
ASSISTANT_TAGS = tuple(tag.name for tag in TAGS if tag.assistant)
"""The tags an assistant answers with (VPP-07); `e` comes on top of them (READINGS VPP-A5)."""

ERROR, OPERATOR_ERROR = "e", "e_o"
RECOVERY_TAGS = ("g", "q")
"""Where a conversation goes on after an error (VPP-09)."""

FLAGS = ("correct", "incorrect", "minor", "major")
"""Modifiers without a value."""

ASSUMPTIONS, LOCUS = "assumptions", "locus"
VALUED = (ASSUMPTIONS, LOCUS)
"""Modifiers that need one."""

ALTERNATIVES: Mapping[str, str] = {
    "correct": "verdict",
    "incorrect": "verdict",
    "minor": "weight",
    "major": "weight",
    ASSUMPTIONS: ASSUMPTIONS,
    LOCUS: LOCUS,
}
"""What a modifier settles, by its name; two that settle the same contradict each other (VPP-05)."""

FIELDS = ("Version", "Tag", "Sources", "Assumptions", "Cycle", "Locus")
"""The fields of a footer in their order (VPP-10)."""

CYCLE_LENGTH = 3
"""Exchanges of a cycle (VPP-12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One exchange of a pipeline: its tag, and the locus that is responsible for it."""

    tag: str
    locus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A chain of tags that leads from a task to an answer."""

    name: str
    steps: tuple[Step, ...]

    def after(self, tag: str) -> str:
        """Return the tag that follows `tag`; the first one if it is the last, or none of them."""
        tags = [step.tag for step in self.steps]
        place = tags.index(tag) + 1 if tag in tags else 0
        return tags[place % len(tags)]

    def locus(self, tag: str) -> str:
        """Return the locus of `tag`, "" if the pipeline does not have the tag."""
        return next((step.locus for step in self.steps if step.tag == tag), "")


CANONICAL = Pipeline(
    name="canonical",
    steps=(
        Step(tag="g", locus="research"),
        Step(tag="q", locus="research"),
        Step(tag="o", locus="draft"),
        Step(tag="c", locus="eval"),
        Step(tag="o_f", locus="delivery"),
    ),
)
"""The pipeline of the specification: preparation, inquiry, production, critique, delivery."""

PIPELINES: Mapping[str, Pipeline] = {pipeline.name: pipeline for pipeline in (CANONICAL,)}
