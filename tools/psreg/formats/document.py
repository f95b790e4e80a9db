"""What every file that can be checked has: a text, and places in it that pointers name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from psreg.core.diagnostics import Span


class Document(Protocol):
    """Anything with text in which a JSON pointer names a location."""

    @property
    def text(self) -> str:
        """The decoded text; offsets of spans count its code points."""

    def span(self, pointer: str, /) -> Span:
        """Return where the value at `pointer` is."""

    def key_span(self, pointer: str, /) -> Span:
        """Return where the name of the member at `pointer` is."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A document without structure: every pointer means its start."""

    text: str

    def span(self, pointer: str, /) -> Span:  # noqa: ARG002 - there is only one answer
        """Return the start."""
        return Span(0, 0)

    key_span = span
