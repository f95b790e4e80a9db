"""The Prompt Loop State Protocol (PLSP) 0.5: one row of the table of protocols."""

from psreg.protocols.plsp.parts import parsed, units
from psreg.protocols.plsp.rules import PLSP_RULES
from psreg.protocols.protocol import ConversationProtocol

__all__ = ["PLSP_0_5", "PLSP_RULES"]

PLSP_0_5 = ConversationProtocol(
    name="plsp", version="0.5", rules=PLSP_RULES, units=units, parsed=parsed
)
