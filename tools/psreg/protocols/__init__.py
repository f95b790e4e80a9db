"""The conversation protocols that psreg can check, and all rules about conversations."""

from typing import Any

from psreg.core.rule import Rule
from psreg.protocols.conversation_rules import PROTO_RULES
from psreg.protocols.pb2s import PB2S
from psreg.protocols.plsp import PLSP
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import VPP

PROTOCOLS: tuple[ConversationProtocol, ...] = (VPP, PLSP, PB2S)
"""One row for each protocol and version; of one name, the latest version is last."""

RULES: tuple[Rule[Any], ...] = (
    *PROTO_RULES,
    *(rule for protocol in PROTOCOLS for rule in protocol.rules),
)
