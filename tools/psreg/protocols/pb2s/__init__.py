"""PB2S 0.2, as one row of the table of protocols."""

from psreg.protocols.pb2s.rules import PB2S_RULES
from psreg.protocols.pb2s.units import parsed, units
from psreg.protocols.protocol import ConversationProtocol

PB2S_0_2 = ConversationProtocol(
    name="pb2s", version="0.2", rules=PB2S_RULES, units=units, parsed=parsed
)
