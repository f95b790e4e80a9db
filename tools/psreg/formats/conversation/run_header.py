"""The run header of a transcript: which artifact was run, where, with which model, and when.

It is the member `run` of the first line, which may be the first record or a line of its own:

    {"run": {"platform": "claude", "model": "…", "date": "2026-11-01", "sha256": "…"}}

Anyone can write a header, so it proves nothing by itself; it only has to agree with what cites it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psreg.formats.json import json_document

HEADER = "run"
"""The member of the first line."""

_ECHO = "You said: "
_ECHOED = 80
_STUB_SAYS = (
    "This is what you asked for, kept short.",
    "Inertia is the tendency of a body to keep its state of motion.",
)
"""Sentences that mark an answer of psreg's own stub; its other answers repeat the user's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader:
    """The members of a run header; one that is missing or not text is ""."""

    platform: str = ""
    model: str = ""
    date: str = ""
    sha256: str = ""
    result: str = ""
    notes: str = ""


def run_header(text: str) -> RunHeader | None:
    """Return the run header in the first line of JSON Lines, or None if there is none."""
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0]
    if f'"{HEADER}"' not in first:
        return None
    value = json_document.parse(first.encode(errors="replace")).value
    header = value.get(HEADER) if isinstance(value, dict) else None
    if not isinstance(header, dict):
        return None
    return RunHeader(**{key: _text(header.get(key)) for key in RunHeader.__slots__})


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def is_stub_answer(answer: str, said: str) -> bool:
    """Tell whether `answer` is what psreg's own stub says after the user's words `said`."""
    echo = f"{_ECHO}{' '.join(said.split())[:_ECHOED]}".strip()
    return answer.strip() == echo or any(sentence in answer for sentence in _STUB_SAYS)
