"""The Viable Prompt Protocol (VPP): its rules, and its row in the table of protocols."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import command_rules, echo_rules, footer_rules
from psreg.protocols.vpp.state import units
from psreg.protocols.vpp.turn import VppTurn, parsed

__all__ = ["VPP", "VPP_RULES"]

VPP_RULES: tuple[Rule[VppTurn], ...] = (
    command_rules.no_command,
    command_rules.unknown_tag,
    command_rules.malformed_command_line,
    command_rules.unknown_modifier,
    command_rules.conflicting_modifiers,
    command_rules.modifier_value,
    command_rules.branch_target,
    command_rules.repeated_modifier,
    command_rules.leading_blanks,
    command_rules.recovery_elsewhere,
    echo_rules.no_echo,
    echo_rules.bang_echo,
    echo_rules.unknown_reply_tag,
    echo_rules.wrong_echo,
    echo_rules.unusual_echo,
    echo_rules.error_tag,
    echo_rules.error_not_described,
    echo_rules.invalid_command_answered,
    echo_rules.one_line_reply,
    *footer_rules.FOOTER_RULES,
)

VPP = ConversationProtocol(
    name="vpp", version=latest_version("vpp"), rules=VPP_RULES, units=units, parsed=parsed
)
