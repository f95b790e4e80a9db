"""VPP 1.4: commands of the user, echoes and footers of the assistant, as one row of a table."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import rules_command, rules_echo, rules_fields, rules_footer
from psreg.protocols.vpp.parsed import parsed
from psreg.protocols.vpp.state import units
from psreg.protocols.vpp.turn import VppTurn
from psreg.protocols.vpp.vocabulary import VERSION

__all__ = ["VPP_1_4", "VPP_RULES"]

VPP_RULES: tuple[Rule[VppTurn], ...] = (
    rules_command.no_command,
    rules_command.unknown_tag,
    rules_command.malformed_command_line,
    rules_command.unknown_modifier,
    rules_command.conflicting_modifiers,
    rules_command.modifier_value,
    rules_command.branch_target,
    rules_command.repeated_modifier,
    rules_command.leading_blanks,
    rules_command.recovery_elsewhere,
    rules_echo.no_echo,
    rules_echo.bang_echo,
    rules_echo.unknown_reply_tag,
    rules_echo.wrong_echo,
    rules_echo.unusual_echo,
    rules_echo.error_tag,
    rules_echo.error_not_described,
    rules_echo.invalid_command_answered,
    rules_echo.one_line_reply,
    rules_footer.no_footer,
    rules_footer.text_after_footer,
    rules_footer.second_footer,
    rules_footer.malformed_footer,
    rules_footer.footer_spelling,
    rules_footer.footer_value,
    rules_fields.footer_version,
    rules_fields.footer_tag_form,
    rules_fields.footer_tag_differs,
    rules_fields.tag_number,
    rules_fields.assumptions_differ,
    rules_fields.locus_placeholder,
)

VPP_1_4 = ConversationProtocol(
    name="vpp", version=VERSION, rules=VPP_RULES, units=units, parsed=parsed
)
