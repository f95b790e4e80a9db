"""The rules about what a text says and hides; family PS, judged once per file."""

from psreg.core.rule import Rule
from psreg.lint.content.capability_rules import MANIFEST_RULES
from psreg.lint.content.character_rules import CHARACTER_RULES
from psreg.lint.content.disguise_rules import OBFUSCATION_RULES
from psreg.lint.content.encoded_rules import ENCODED_RULES
from psreg.lint.content.invisible_rules import INVISIBLE_RULES
from psreg.lint.content.link_rules import LINK_RULES
from psreg.lint.content.markup_rules import MARKUP_RULES
from psreg.lint.content.payload_rules import PAYLOAD_RULES
from psreg.lint.content.phrase_rules import IDIOM_RULES
from psreg.lint.content.secret_rules import SECRET_RULES
from psreg.lint.content.texts import Content
from psreg.lint.content.variable_rules import VARIABLE_RULES

CONTENT_RULES: tuple[Rule[Content], ...] = (
    *INVISIBLE_RULES,
    *CHARACTER_RULES,
    *IDIOM_RULES,
    *OBFUSCATION_RULES,
    *LINK_RULES,
    *ENCODED_RULES,
    *PAYLOAD_RULES,
    *SECRET_RULES,
    *MARKUP_RULES,
    *VARIABLE_RULES,
    *MANIFEST_RULES,
)
