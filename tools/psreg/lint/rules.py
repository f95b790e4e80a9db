"""The rules about files, entries, names and whole trees, in the order in which they are listed."""

from typing import Any

from psreg.core.rule import Rule
from psreg.lint.content import CONTENT_RULES
from psreg.lint.content.clarity_rules import CLARITY_RULES
from psreg.lint.entries.entry_rules import ENTRY_RULES
from psreg.lint.entries.submission_rules import SUBMISSION_RULES
from psreg.lint.entries.tree_rules import TREE_RULES
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.prompt_rules import PROMPT_RULES
from psreg.lint.files.syntax_rules import JSON_RULES, TOML_RULES
from psreg.lint.names.name_rules import NAME_RULES

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
)
