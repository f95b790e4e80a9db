"""The rules about files, entries, names and whole trees, in the order in which they are listed."""

from typing import Any

from psreg.core.rule import Rule
from psreg.lint.engine import ARTIFACT_RULES
from psreg.lint.entries.entry_rules import ENTRY_RULES
from psreg.lint.entries.submission_rules import SUBMISSION_RULES
from psreg.lint.entries.tree_rules import TREE_RULES
from psreg.lint.names.name_rules import NAME_RULES

RULES: tuple[Rule[Any], ...] = (
    *ARTIFACT_RULES,
    *SUBMISSION_RULES,
    *ENTRY_RULES,
    *TREE_RULES,
    *NAME_RULES,
)
