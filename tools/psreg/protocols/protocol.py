"""A conversation protocol as psreg sees it: what is judged of a conversation, and by which rules.

Every protocol is one row of `PROTOCOLS`. Its rules are ordinary rules about units; a unit is one
message with all that it has to be judged by, so that no rule looks at anything else.
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
    """What a release or the command line declares of a conversation.

    `version` is the version that judges; `declared` the one that was named, "" for none. `imf` is
    the dialect of PLSP instructions, "" for one that is not known (READINGS PLSP-A15).
    """

    version: str
    declared: str = ""
    mode: Mode = Mode.STRICT
    imf: str = ""


class Unit(Interface):
    """One message to judge. `index` counts the records of the file from 0."""

    @property
    def index(self) -> int:
        """The number of its record."""

    @property
    def text(self) -> str:
        """The message; offsets of spans count its code points."""

    @property
    def pointer(self) -> str:
        """Where the message stands in its record, such as `/content`."""

    def span(self, pointer: str, /) -> Span:
        """Return where the value at `pointer` stands in the message, as far as it does."""

    def key_span(self, pointer: str, /) -> Span:
        """Return where the name of the member at `pointer` stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationProtocol:
    """One version of a protocol: its rules, how a conversation becomes units, what it read.

    `parsed` is what DESIGN §4 says of a unit, None where nothing was understood.
    """

    name: str
    version: str
    rules: tuple[Rule[Any], ...]
    units: Callable[[Conversation, Options], Iterator[Any]]
    parsed: Callable[[Any], dict[str, Any] | None]
