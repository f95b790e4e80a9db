"""The rules about what a text says and hides; family PS, judged once per file."""

from psreg.formats.passages import Content
from psreg.rule import Rule
from psreg.rules.content.characters import CHARACTER_RULES
from psreg.rules.content.encoded import ENCODED_RULES
from psreg.rules.content.idioms import IDIOM_RULES
from psreg.rules.content.invisible import INVISIBLE_RULES
from psreg.rules.content.links import LINK_RULES
from psreg.rules.content.manifest import MANIFEST_RULES
from psreg.rules.content.markup import MARKUP_RULES
from psreg.rules.content.obfuscated import OBFUSCATION_RULES
from psreg.rules.content.payloads import PAYLOAD_RULES
from psreg.rules.content.secrets import SECRET_RULES
from psreg.rules.content.variables import VARIABLE_RULES

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
