"""The conversation protocols that psreg can check. Of one name, the latest version is last."""

from psreg.protocols.pb2s import PB2S
from psreg.protocols.plsp import PLSP
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import VPP

PROTOCOLS: tuple[ConversationProtocol, ...] = (VPP, PLSP, PB2S)
