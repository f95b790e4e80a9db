"""Count a PLSP trace cycle by cycle: what was sent against the shortest form of the same."""

from __future__ import annotations

from psreg.core.errors import UsageError
from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.plsp import PLSP_0_5
from psreg.protocols.plsp.stats import Stats, stats
from psreg.protocols.protocol import Options


def stats_of(conversation: Conversation, protocol: str) -> tuple[Stats, ...]:
    """Return the numbers of every block of `conversation` that an assistant answered.

    Raises:
        UsageError: NO_STATS, `protocol` is another one than PLSP.
    """
    if protocol != PLSP_0_5.name:
        raise UsageError(
            "NO_STATS", f"there is nothing to count in {protocol}", "only plsp has --stats"
        )
    units = PLSP_0_5.units(conversation, Options(version=PLSP_0_5.version))
    return tuple(filter(None, map(stats, units)))
