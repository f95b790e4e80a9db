"""The rules of family PLSP: what PLSP 0.5 asks of a block and of a trace."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.protocols.plsp import rules_block, rules_name, rules_trace, rules_value
from psreg.protocols.plsp.parts import Part

PLSP_RULES: tuple[Rule[Part], ...] = (
    rules_block.no_block,
    rules_block.unclosed_block,
    rules_block.text_around_block,
    rules_block.several_blocks,
    rules_block.comment_in_block,
    rules_block.unknown_statement,
    rules_block.empty_statement,
    rules_block.last_semicolon_missing,
    rules_block.statement_not_ended,
    rules_name.no_colon,
    rules_name.malformed_variable_name,
    rules_name.long_variable_name,
    rules_name.two_character_name,
    rules_value.value_missing,
    rules_value.malformed_number,
    rules_value.negative_number,
    rules_value.bare_word,
    rules_name.duplicate_variable,
    rules_name.undefined_variable,
    rules_name.circular_reference,
    rules_value.quote_in_string,
    rules_value.unclosed_string,
    rules_name.malformed_action_name,
    rules_value.blank_inside_token,
    rules_block.too_many_faults,
    rules_trace.vanished_variable,
    rules_trace.first_cycle_not_empty,
    rules_trace.previous_block_differs,
    rules_trace.no_instruction_prefix,
    rules_trace.unbalanced_quotes,
    rules_trace.instruction_not_in_dialect,
    rules_trace.impossible_instruction,
    rules_trace.wrong_transition,
    rules_trace.transition_not_judged,
)
