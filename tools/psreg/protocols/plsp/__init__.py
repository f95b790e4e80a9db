"""The Prompt Loop State Protocol (PLSP): its rules, and its row in the table of protocols."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.plsp.block_rules import BLOCK_RULES
from psreg.protocols.plsp.statement_rules import STATEMENT_RULES
from psreg.protocols.plsp.trace_rules import TRACE_RULES
from psreg.protocols.plsp.units import Part, parsed, units
from psreg.protocols.protocol import ConversationProtocol

PLSP_RULES: tuple[Rule[Part], ...] = (*BLOCK_RULES, *STATEMENT_RULES, *TRACE_RULES)

PLSP = ConversationProtocol(
    name="plsp", version=latest_version("plsp"), rules=PLSP_RULES, units=units, parsed=parsed
)
