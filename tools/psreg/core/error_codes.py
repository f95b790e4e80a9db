"""Every code of an error, with its meaning and remedy, as `error_codes.toml` lists them.

`psreg explain` and the page of the site are made of this table. A test reads every place where an
error is raised and compares both ways, exit codes included. To add a code, raise an error with it
and write its row.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    """One code: what `error[CODE]` means and what to do about it.

    `exit_code` is None where the code never ends a command: the gateway sends it over HTTP.
    `meaning` is one sentence; `remedy` is one or more, in the imperative. Both are Markdown
    within a line.
    """

    code: str
    exit_code: int | None = None
    meaning: str
    remedy: str

    @property
    def page(self) -> str:
        """Its place on the site, below the root."""
        return f"errors/#{self.code}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Codes about the same thing, under one title."""

    title: str
    codes: tuple[ErrorCode, ...]


_TABLE = tomllib.loads((files("psreg.core") / "error_codes.toml").read_text(encoding="utf-8"))

SUBJECTS = tuple(
    Subject(title=subject["title"], codes=tuple(ErrorCode(**row) for row in subject["code"]))
    for subject in _TABLE["subject"]
)
"""All codes by subject, in the order of the page."""

ERROR_CODES = {row.code: row for subject in SUBJECTS for row in subject.codes}
"""The same by code."""
