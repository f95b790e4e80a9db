"""What was read of a turn, for programs (DESIGN §4)."""

from __future__ import annotations

from typing import Any

from psreg.protocols.vpp.turn import VppTurn
from psreg.protocols.vpp.vocabulary import FIELDS, USER_TAGS


def parsed(turn: VppTurn) -> dict[str, Any] | None:
    """Return tag, modifiers and footer of a turn; None where none of them could be read.

    The tag is None where it is none of VPP. The footer has its six fields by their names in small
    letters, values as they are written; it is None where it is none or malformed.
    """
    if turn.reply is not None:
        footer = turn.reply.footer
        fields = footer.values if footer is not None and footer.whole else {}
        if not turn.reply.tag and not fields:
            return None
        return {
            "tag": turn.reply.tag or None,
            "modifiers": [],
            "footer": {name.lower(): fields[name] for name in FIELDS} if fields else None,
        }
    command = turn.command
    if command is None or not command.whole or command.tag not in USER_TAGS:
        return None
    modifiers = [modifier.text for modifier in command.modifiers]
    return {"tag": command.tag, "modifiers": modifiers, "footer": None}
