"""The protocol PB2S: its rules, and its row in the table of protocols."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.pb2s.clarify_rules import CLARIFY_RULES
from psreg.protocols.pb2s.proof_rules import PROOF_RULES, SAMPLING_RULES
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.section_rules import SECTION_RULES
from psreg.protocols.pb2s.trace_rules import TRACE_RULES
from psreg.protocols.pb2s.units import parsed, units
from psreg.protocols.protocol import ConversationProtocol

PB2S_RULES: tuple[Rule[Reply], ...] = (
    *SECTION_RULES,
    *PROOF_RULES,
    *CLARIFY_RULES,
    *SAMPLING_RULES,
    *TRACE_RULES,
)

PB2S = ConversationProtocol(
    name="pb2s", version=latest_version("pb2s"), rules=PB2S_RULES, units=units, parsed=parsed
)
