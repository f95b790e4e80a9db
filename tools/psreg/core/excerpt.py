"""Values shortened for messages."""

from __future__ import annotations

import json
from typing import Any

_LONGEST = 240
"""The number of characters of a value that a message shows."""

_BEFORE = 40
"""The number of characters that are shown before the first difference of two long values."""


def as_text(value: Any) -> str:
    """Return a string unchanged, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cropped(value: Any) -> str:
    """Return a value as text, shortened."""
    text = as_text(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def common_start(one: str, other: str) -> int:
    """Return how many characters at their start two texts have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def cropped_pair(old: str, new: str) -> tuple[str, str]:
    """Return two texts, shortened around their first difference."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    start = max(common_start(old, new) - _BEFORE, 0)
    lead = "…" if start else ""
    return cropped(lead + old[start:]), cropped(lead + new[start:])
