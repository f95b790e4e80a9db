"""Test runs as somebody without Python reports them: fields of a form, a pasted conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from psreg.authoring.issue_form import RUNS
from psreg.formats.layout import EVIDENCE
from psreg.formats.platforms import PLATFORMS

Row = Mapping[str, str | date]
"""One table of `[[tested]]` in release.toml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was said of one run; an empty text where nothing was, which the check finds."""

    group: str
    platform: str
    model: str
    day: str
    result: str
    notes: str
    transcript: str

    @property
    def proven(self) -> bool:
        """Tell whether there is a conversation to keep."""
        return self.transcript != ""

    @property
    def evidence(self) -> str:
        """Path of the conversation in the version folder: JSON Lines if it looks like that."""
        suffix = ".jsonl" if self.transcript.lstrip().startswith("{") else ".txt"
        return f"{EVIDENCE}/{self.group}{suffix}"

    def row(self, artifact: bytes) -> Row:
        """Return the row that says so of a run of exactly `artifact`."""
        row: dict[str, str | date] = {
            "platform": self.platform,
            "model": self.model,
            "date": _day(self.day),
            "sha256": hashlib.sha256(artifact).hexdigest(),
            "result": self.result,
            "evidence": self.evidence,
        }
        return row | {"notes": self.notes} if self.notes else row


def runs_of(answers: Mapping[str, str]) -> tuple[Run, ...]:
    """Return the runs about which at least one field was filled in."""
    return tuple(_runs(answers))


def _runs(answers: Mapping[str, str]) -> Iterator[Run]:
    identifiers = {name: key for key, name in PLATFORMS.items()}
    for group in RUNS:
        said = {key: text for key, text in answers.items() if key.startswith(f"{group}_")}
        if said:
            platform = said.get(f"{group}_platform", "")
            transcript = said.get(f"{group}_transcript", "")
            yield Run(
                group=group,
                platform=identifiers.get(platform, platform),
                model=said.get(f"{group}_model", ""),
                day=said.get(f"{group}_date", ""),
                result=said.get(f"{group}_result", ""),
                notes=said.get(f"{group}_notes", ""),
                transcript=f"{transcript}\n" if transcript else "",
            )


def _day(text: str) -> str | date:
    """Return the day that `text` names as YYYY-MM-DD, else the text, which the check refuses."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
