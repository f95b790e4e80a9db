"""The Viable Prompt Protocol (VPP): its rules, and its row in the table of protocols."""

from psreg.formats.protocol_versions import latest_version
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp.units import parsed, units
from psreg.protocols.vpp.vpp_rules import VPP_RULES

VPP = ConversationProtocol(
    name="vpp", version=latest_version("vpp"), rules=VPP_RULES, units=units, parsed=parsed
)
