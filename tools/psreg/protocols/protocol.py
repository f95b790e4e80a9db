"""The interface of a conversation protocol: its rules, and how it splits a conversation into units.

Every protocol is one row of `PROTOCOLS`. Its rules are ordinary rules about units. A unit is one
message with everything that is needed to check it, so that a rule looks at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from typing import Protocol as Interface

from psreg.core.diagnostics import Mode, Span
from psreg.core.rule import Rule
from psreg.formats.conversation.conversation import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a release or the command line declares about a conversation.

    `version` is the version of the rules; `declared` is the declared one, "" for none. `imf` is
    the dialect of PLSP instructions, "" if it is unknown (PLSP-A15). `documented` means that the
    temperature of a PB2S exchange is documented (PB2S-A13).
    """

    version: str
    declared: str = ""
    mode: Mode = Mode.STRICT
    imf: str = ""
    documented: bool = False


class Unit(Interface):
    """One message to check. `index` counts the records of the file from 0."""

    @property
    def index(self) -> int:
        """The number of its record."""

    @property
    def text(self) -> str:
        """The message; offsets of spans count its code points."""

    @property
    def pointer(self) -> str:
        """The pointer to the message in its record, such as `/content`."""

    def span(self, pointer: str, /) -> Span:
        """Return the span of the value at `pointer`, or the nearest one in the message."""

    def key_span(self, pointer: str, /) -> Span:
        """Return the span of the key of the member at `pointer`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationProtocol:
    """One version of a protocol: its rules, how to split a conversation, what to report of it.

    `parsed` returns the content of a unit as JSON data, None if nothing was understood.
    """

    name: str
    version: str
    rules: tuple[Rule[Any], ...]
    units: Callable[[Conversation, Options], Iterator[Any]]
    parsed: Callable[[Any], dict[str, Any] | None]
