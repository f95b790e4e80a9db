"""Values cropped for a message, so that one long text does not drown what is said of it."""

from __future__ import annotations

import json
from typing import Any

_LONGEST = 240
"""Characters of a value that a difference shows."""

_BEFORE = 40
"""Characters of two long values that are shown before the first that differs."""


def as_text(value: Any) -> str:
    """Return a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cropped(value: Any) -> str:
    """Return a value for a person, cropped."""
    text = as_text(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def cropped_pair(old: str, new: str) -> tuple[str, str]:
    """Return two texts for a person, cropped to where they begin to differ."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(at - _BEFORE, 0)
    lead = "…" if start else ""
    return cropped(lead + old[start:]), cropped(lead + new[start:])
