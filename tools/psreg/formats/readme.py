"""The examples of a README.md, and whether one is called recorded (PBE-20)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from psreg.formats.markdown import Section

_RECORDED = re.compile(r"\brecorded\b", re.IGNORECASE)
_ILLUSTRATIVE = re.compile(r"\b(?:illustrative|not recorded)\b", re.IGNORECASE)


def about(found: Sequence[Section], words: str) -> tuple[Section, ...]:
    """Return the sections whose headings hold `words`, in any letter case."""
    return tuple(section for section in found if words in section.title.lower())


def examples(found: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections with the word "example" in their heading."""
    return about(found, "example")


def recorded(section: Section) -> bool:
    """Tell whether a section calls what it shows recorded.

    The mark stands in the heading or in the first paragraph, before the example itself.
    """
    mark = f"{section.title}\n{section.body.strip().partition(chr(10) * 2)[0]}"
    return bool(_RECORDED.search(mark)) and not _ILLUSTRATIVE.search(mark)
