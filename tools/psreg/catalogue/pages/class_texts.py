"""The texts about the classes of entries (PBE 1.0; `.prompt` 0.0.1)."""

from __future__ import annotations

from dataclasses import dataclass

from psreg.catalogue.pages.html import text
from psreg.core.classes import RESERVED_CLASSES

RESERVED = "reserved class: a design document that nothing executes today"
"""The note shown once on every page where a reserved class appears (PBE-A10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassText:
    """One class folder: a name for people who know no class, a sentence and a paragraph."""

    slug: str
    title: str
    line: str
    about: str

    @property
    def noun(self) -> str:
        """What an entry of this class is called."""
        return "prompt template" if self.slug == "prompt" else self.slug.replace("_", " ")

    @property
    def reserved(self) -> bool:
        """Whether no assistant can run it yet."""
        return self.slug in RESERVED_CLASSES


CLASS_TEXTS: tuple[ClassText, ...] = (
    ClassText(
        slug="interactive_engine",
        title="Conversations",
        line="A tutor, a sparring partner, a guide: with phases, and a save to resume from.",
        about="An interactive engine turns an assistant into a partner for a longer conversation: "
        "a tutor, a sparring partner, a guide through a decision. It has phases, named techniques "
        "with an example each, and writes a save that you paste to continue another day. It runs "
        "until you leave or the work is complete.",
    ),
    ClassText(
        slug="stateless_executor",
        title="Single tasks",
        line="One task, one result: paste the material and copy the answer.",
        about="A stateless executor does one thing and stops. It states its goal, how it behaves, "
        "and the condition on which it ends. It keeps nothing between two runs.",
    ),
    ClassText(
        slug="prompt",
        title="Forms to fill in",
        line="Texts with variables and defaults, filled in here or on the command line.",
        about="A prompt template is a text with variables in braces. Some have defaults; you "
        "supply the others, in the form on each page or with `psreg copy NAME --set key=value`.",
    ),
    ClassText(
        slug="persistent_service",
        title="Designs",
        line="Designs for assistants that monitor something in the background.",
        about="A persistent service would monitor something and report when a condition is met. "
        "PBE 1.0 reserves the class and leaves it unfinished, so an entry here is a design to "
        "read and discuss.",
    ),
)

_BY_SLUG = {entry.slug: entry for entry in CLASS_TEXTS}


def class_text(slug: str) -> ClassText:
    """Return the text of the class folder `slug`. Raises KeyError for another name."""
    return _BY_SLUG[slug]


def class_chip(slug: str) -> str:
    """Return the class as a small coloured label."""
    return f'<span class="ps-class ps-class--{slug}">{text(_BY_SLUG[slug].noun)}</span>'
