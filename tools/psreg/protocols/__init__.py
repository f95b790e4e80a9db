"""The conversation protocols that psreg can check, and all rules about conversations."""

from dataclasses import replace
from typing import Any

from psreg.core.rule import Rule
from psreg.formats import protocol_versions
from psreg.protocols.conversation_rules import PROTO_RULES
from psreg.protocols.pb2s import PB2S
from psreg.protocols.plsp import PLSP
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import VPP

PROTOCOLS: tuple[ConversationProtocol, ...] = tuple(
    replace(row, version=version)
    for row in (VPP, PLSP, PB2S)
    for version in protocol_versions.PROTOCOLS[row.name]
)
"""One row for each protocol and version; of one name, the latest version is last.

So far all versions of a protocol have the rules of the latest one.
"""

RULES: tuple[Rule[Any], ...] = (
    *PROTO_RULES,
    *dict.fromkeys(rule for protocol in PROTOCOLS for rule in protocol.rules),
)
