"""The rules about what a text says and hides; family PS, checked once per file."""

from psreg.core.rule import Rule
from psreg.lint.content.character_rules import CHARACTER_RULES
from psreg.lint.content.disguise_rules import DISGUISE_RULES
from psreg.lint.content.encoded_rules import ENCODED_RULES
from psreg.lint.content.invisible_rules import INVISIBLE_RULES
from psreg.lint.content.link_rules import LINK_RULES
from psreg.lint.content.markup_rules import MARKUP_RULES
from psreg.lint.content.payload_rules import PAYLOAD_RULES, VARIABLE_RULES
from psreg.lint.content.phrase_rules import CAPABILITY_RULES, PHRASE_RULES
from psreg.lint.content.secret_rules import SECRET_RULES
from psreg.lint.content.texts import Content
from psreg.lint.content.threat_rules import THREAT_RULES

CONTENT_RULES: tuple[Rule[Content], ...] = (
    *INVISIBLE_RULES,
    *CHARACTER_RULES,
    *PHRASE_RULES,
    *DISGUISE_RULES,
    *LINK_RULES,
    *ENCODED_RULES,
    *PAYLOAD_RULES,
    *SECRET_RULES,
    *THREAT_RULES,
    *MARKUP_RULES,
    *VARIABLE_RULES,
    *CAPABILITY_RULES,
)
