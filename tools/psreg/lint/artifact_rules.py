"""The rules about one file, whatever registry it is in."""

from typing import Any

from psreg.core.rule import Rule
from psreg.lint.content import CONTENT_RULES
from psreg.lint.content.clarity_rules import CLARITY_RULES
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.prompt_rules import PROMPT_RULES
from psreg.lint.files.syntax_rules import JSON_RULES, TOML_RULES

ARTIFACT_RULES: tuple[Rule[Any], ...] = (
    *JSON_RULES,
    *PBE_RULES,
    *PROMPT_RULES,
    *CLARITY_RULES,
    *CONTENT_RULES,
    *TOML_RULES,
)
