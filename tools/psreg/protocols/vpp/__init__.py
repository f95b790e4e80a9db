"""The Viable Prompt Protocol (VPP): its rules, and its row in the table of protocols."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp.command_rules import COMMAND_RULES
from psreg.protocols.vpp.echo_rules import ECHO_RULES
from psreg.protocols.vpp.footer_rules import FOOTER_RULES
from psreg.protocols.vpp.units import VppTurn, parsed, units

VPP_RULES: tuple[Rule[VppTurn], ...] = (*COMMAND_RULES, *ECHO_RULES, *FOOTER_RULES)

VPP = ConversationProtocol(
    name="vpp", version=latest_version("vpp"), rules=VPP_RULES, units=units, parsed=parsed
)
