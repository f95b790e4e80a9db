"""The conversation protocols psreg can judge, by name and version; of a name, the latest last."""

from psreg.protocols.pb2s import PB2S_0_2
from psreg.protocols.plsp import PLSP_0_5
from psreg.protocols.protocol import ConversationProtocol
from psreg.protocols.vpp import VPP_1_4

PROTOCOLS: tuple[ConversationProtocol, ...] = (VPP_1_4, PLSP_0_5, PB2S_0_2)
