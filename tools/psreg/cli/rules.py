"""The table of all rules, which commands pass to what checks, explains or lists them."""

from __future__ import annotations

from functools import cache

from psreg.core.rule import RuleTable


@cache
def all_rules() -> RuleTable:
    """Return the rules of every package, in the order of listings."""
    # NOTE: checking one file needs only the rules of lint; the others are slow to import.
    from psreg.lint.rules import RULES as LINT
    from psreg.protocols import RULES as PROTOCOLS
    from psreg.review.rules import CHANGE_RULES

    return RuleTable((*LINT, *CHANGE_RULES, *PROTOCOLS))


@cache
def registry_rules() -> RuleTable:
    """Return the rules about registries and changes: all but those about conversations."""
    from psreg.lint.rules import RULES as LINT
    from psreg.review.rules import CHANGE_RULES

    return RuleTable((*LINT, *CHANGE_RULES), all_rules)
