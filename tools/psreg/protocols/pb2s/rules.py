"""All rules of PB2S 0.2, in the order of an exchange."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.protocols.pb2s.clarify_rules import (
    clarify_too_early,
    clarify_without_contradiction,
    clarify_without_decision,
    not_two_questions,
)
from psreg.protocols.pb2s.phase_rules import (
    empty_answer,
    no_bullets,
    nothing_flagged,
    revise_names_no_bullet,
    section_says_too_little_or_much,
    too_many_bullets,
)
from psreg.protocols.pb2s.proof_rules import (
    audit_ref_missing,
    audit_ref_reused,
    audit_ref_shape,
    cut_answer_approved,
    cycles_out_of_range,
    decision_unknown,
    exchange_incomplete,
    proof_missing,
    seed_not_fixed,
    temperature_too_high,
)
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.section_rules import (
    header_decorated,
    section_missing,
    section_twice,
    sections_out_of_order,
    text_before_sections,
    text_beside_header,
)
from psreg.protocols.pb2s.trace_rules import (
    trace_hash_differs,
    trace_proof_differs,
    trace_record_incomplete,
    trace_tells_too_much,
    trace_time_unreadable,
)

PB2S_RULES: tuple[Rule[Reply], ...] = (
    section_missing,
    section_twice,
    sections_out_of_order,
    header_decorated,
    text_beside_header,
    text_before_sections,
    too_many_bullets,
    no_bullets,
    nothing_flagged,
    revise_names_no_bullet,
    empty_answer,
    section_says_too_little_or_much,
    exchange_incomplete,
    proof_missing,
    decision_unknown,
    cycles_out_of_range,
    audit_ref_missing,
    audit_ref_shape,
    audit_ref_reused,
    cut_answer_approved,
    not_two_questions,
    clarify_without_decision,
    clarify_too_early,
    clarify_without_contradiction,
    temperature_too_high,
    seed_not_fixed,
    trace_record_incomplete,
    trace_time_unreadable,
    trace_hash_differs,
    trace_proof_differs,
    trace_tells_too_much,
)
