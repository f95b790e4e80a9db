"""PB2S as a row of the table of protocols."""

from psreg.formats.protocol_versions import latest_version
from psreg.protocols.pb2s.rules import PB2S_RULES
from psreg.protocols.pb2s.units import parsed, units
from psreg.protocols.protocol import ConversationProtocol

PB2S = ConversationProtocol(
    name="pb2s", version=latest_version("pb2s"), rules=PB2S_RULES, units=units, parsed=parsed
)
