"""What a trial leaves behind: its transcript, and the test row that cites it.

The transcript is one that psreg reads as evidence (DESIGN §2). Its first record says in `run` which
bytes were tried, with what; its last one says in `ended` why it ended. Readers that know nothing
of these members lose nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from psreg.conversations.trial import Ended, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known of a trial beside what was said. `platform` is "" if nobody said."""

    platform: str
    model: str
    day: date
    settings: Mapping[str, float | int]


def transcript(session: Session, at: Circumstances) -> str:
    """Return the transcript so far as JSON Lines; without `ended` while the trial lasts."""
    records: list[dict[str, Any]] = [
        {"role": message.role, "content": message.content} for message in session.messages
    ]
    if not records:
        return ""
    records[0]["run"] = {
        "artifact": session.play.file,
        "sha256": session.play.sha256,
        "model": session.model or at.model,
        "date": at.day.isoformat(),
        "settings": dict(at.settings),
    }
    if session.ended:
        records[-1]["ended"] = str(session.ended)
        if session.ended == Ended.INTERRUPTED and session.partial:
            records[-1]["cut"] = True
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def row_of(session: Session, at: Circumstances, evidence: str) -> str:
    """Return the row of `[[tested]]` in release.toml, with the blanks that a person fills in."""
    settings = ", ".join(f"{key} = {value}" for key, value in at.settings.items())
    blank = "" if at.platform else "   # its id in psreg's table of platforms"
    lines = [
        "[[tested]]",
        f"platform = {_quoted(at.platform)}{blank}",
        f"model = {_quoted(at.model or session.model)}",
        f"date = {at.day.isoformat()}",
        f'sha256 = "{session.play.sha256}"',
        'result = ""   # pass, partial or fail: read the transcript, and judge',
        *([f"settings = {{{settings}}}"] if settings else []),
        *([f"evidence = {_quoted(evidence)}   # it ended: {session.ended}"] if evidence else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """Return `text` as a TOML string: JSON writes one, but for a character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
