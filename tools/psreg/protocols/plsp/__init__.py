"""The Prompt Loop State Protocol (PLSP): its rules, and its row in the table of protocols."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.plsp import block_rules, statement_rules, trace_rules
from psreg.protocols.plsp.units import Part, parsed, units
from psreg.protocols.protocol import ConversationProtocol

__all__ = ["PLSP", "PLSP_RULES"]

PLSP_RULES: tuple[Rule[Part], ...] = (
    block_rules.no_block,
    block_rules.unclosed_block,
    block_rules.text_around_block,
    block_rules.several_blocks,
    block_rules.comment_in_block,
    block_rules.unknown_statement,
    block_rules.empty_statement,
    block_rules.last_semicolon_missing,
    block_rules.statement_not_ended,
    statement_rules.no_colon,
    statement_rules.malformed_variable_name,
    statement_rules.long_variable_name,
    statement_rules.two_character_name,
    statement_rules.value_missing,
    statement_rules.malformed_number,
    statement_rules.negative_number,
    statement_rules.bare_word,
    statement_rules.duplicate_variable,
    statement_rules.undefined_variable,
    statement_rules.circular_reference,
    statement_rules.quote_in_string,
    statement_rules.unclosed_string,
    statement_rules.malformed_action_name,
    statement_rules.blank_inside_token,
    block_rules.too_many_faults,
    trace_rules.vanished_variable,
    trace_rules.first_cycle_not_empty,
    trace_rules.previous_block_differs,
    trace_rules.no_instruction_prefix,
    trace_rules.unbalanced_quotes,
    trace_rules.instruction_not_in_dialect,
    trace_rules.impossible_instruction,
    trace_rules.wrong_transition,
    trace_rules.transition_not_judged,
)

PLSP = ConversationProtocol(
    name="plsp", version=latest_version("plsp"), rules=PLSP_RULES, units=units, parsed=parsed
)
