"""Separates the reasoning that many models write before their answer from the answer.

Reasoning is not part of the answer: it is not shown, not sent back and not checked. It counts only
at the beginning, between `<think>` and `</think>` or tags of the same kind; an endpoint may also
send it in a member of its own.
"""

from __future__ import annotations

import re

_TAGS = ("think", "thinking", "reasoning")
_MAX_LEAD = 1000
"""Characters within which reasoning must begin."""

_OPEN = re.compile(rf"\s{{0,{_MAX_LEAD}}}<({'|'.join(_TAGS)})>")
_OPENS = tuple(f"<{tag}>" for tag in _TAGS)


class ReasoningFilter:
    """Takes a text in pieces and passes on the answer; `reasoning` is what was kept back."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._held = ""
        self._close = ""
        self._closed = False
        self._answering = False

    @property
    def reasoning(self) -> str:
        """The reasoning so far."""
        return "".join(self._parts).strip()

    def answer(self, piece: str) -> str:
        """Return the part of the answer that is known after the next `piece` of the text."""
        if self._answering:
            return piece
        self._held += piece
        if not (self._close or self._closed) and not self._begun():
            return ""
        if self._close:
            self._collect()
        if self._closed:
            self._held = self._held.lstrip()
        self._answering = bool(self._held) and not self._close
        return self._rest() if self._answering else ""

    def end(self) -> str:
        """Return the rest of the answer at the end of the text."""
        if self._close:
            self._parts.append(self._rest())
        return self._rest()

    def _begun(self) -> bool:
        """Tell whether it is known if the text begins with reasoning."""
        opened = _OPEN.match(self._held)
        if opened:
            self._close, self._held = f"</{opened[1]}>", self._held[opened.end() :]
        start = self._held.lstrip()
        undecided = len(self._held) < _MAX_LEAD and any(tag.startswith(start) for tag in _OPENS)
        return bool(opened) or not undecided

    def _collect(self) -> None:
        """Move reasoning from what is held to the parts, up to the closing tag."""
        before, closed, after = self._held.partition(self._close)
        if closed:
            self._parts.append(before)
            self._held, self._close, self._closed = after, "", True
            return
        kept = len(self._close) - 1  # a part of the closing tag may be at the end
        self._parts.append(self._held[:-kept])
        self._held = self._held[-kept:]

    def _rest(self) -> str:
        held, self._held = self._held, ""
        return held
