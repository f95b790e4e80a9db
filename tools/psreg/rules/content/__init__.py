"""The rules about what a text says and hides; family PS, judged once per file."""

from psreg.formats.passages import Content
from psreg.rule import Rule
from psreg.rules.content.characters import CHARACTER_RULES
from psreg.rules.content.invisible import INVISIBLE_RULES
from psreg.rules.content.markup import MARKUP_RULES
from psreg.rules.content.obfuscated import OBFUSCATION_RULES

CONTENT_RULES: tuple[Rule[Content], ...] = (
    *INVISIBLE_RULES,
    *CHARACTER_RULES,
    *OBFUSCATION_RULES,
    *MARKUP_RULES,
)
