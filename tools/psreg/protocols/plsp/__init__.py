"""The Prompt Loop State Protocol (PLSP): its rules, and its row in the table of protocols."""

from psreg.formats.protocol_versions import latest_version
from psreg.protocols.plsp.plsp_rules import PLSP_RULES
from psreg.protocols.plsp.units import parsed, units
from psreg.protocols.protocol import ConversationProtocol

PLSP = ConversationProtocol(
    name="plsp", version=latest_version("plsp"), rules=PLSP_RULES, units=units, parsed=parsed
)
