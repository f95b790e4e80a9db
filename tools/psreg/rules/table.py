"""Every rule there is, by what it judges. Whoever needs some of them imports their own table."""

from typing import Any

from psreg.protocols import PROTOCOLS
from psreg.protocols.versions import PROTO_RULES
from psreg.rule import Rule
from psreg.rules.change import CHANGE_RULES
from psreg.rules.clarity import CLARITY_RULES
from psreg.rules.content import CONTENT_RULES
from psreg.rules.entry import ENTRY_RULES
from psreg.rules.json import JSON_RULES
from psreg.rules.names import NAME_RULES
from psreg.rules.pbe import PBE_RULES
from psreg.rules.prompt import PROMPT_RULES
from psreg.rules.submission import SUBMISSION_RULES
from psreg.rules.toml import TOML_RULES
from psreg.rules.tree import TREE_RULES

RULES: tuple[Rule[Any], ...] = (
    *JSON_RULES,
    *PBE_RULES,
    *PROMPT_RULES,
    *CLARITY_RULES,
    *CONTENT_RULES,
    *TOML_RULES,
    *SUBMISSION_RULES,
    *ENTRY_RULES,
    *TREE_RULES,
    *NAME_RULES,
    *CHANGE_RULES,
    *PROTO_RULES,
    *(rule for protocol in PROTOCOLS for rule in protocol.rules),
)
