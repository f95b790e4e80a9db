"""What the table of error codes is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    """One code: what `error[CODE]` means and what to do about it.

    `exit_code` is None where the code never ends a command: the gateway sends it over HTTP.
    `meaning` is one sentence; `remedy` is one or more, in the imperative. Both are Markdown
    within a line.
    """

    code: str
    exit_code: int | None
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
