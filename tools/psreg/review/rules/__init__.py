"""The rules about what a change does to a registry: `CHANGE_RULES`, and which of them need a human.

A change is a pull request: two trees and its author. Findings name their file in `path`; a finding
about a deleted file points at the start of the file.
"""

from psreg.core.rule import Rule
from psreg.review.change import ChangeSet
from psreg.review.rules.file_rules import FILE_RULES
from psreg.review.rules.owner_rules import OWNER_RULES
from psreg.review.rules.regression_rules import REGRESSION_RULES
from psreg.review.rules.released_rules import RELEASED_RULES
from psreg.review.rules.tripwire_rules import TRIPWIRE_RULES
from psreg.review.rules.version_rules import VERSION_RULES
from psreg.review.rules.withdrawal_rules import WITHDRAWAL_RULES

CHANGE_RULES: tuple[Rule[ChangeSet], ...] = tuple(
    sorted(
        (
            *FILE_RULES,
            *OWNER_RULES,
            *REGRESSION_RULES,
            *RELEASED_RULES,
            *TRIPWIRE_RULES,
            *VERSION_RULES,
            *WITHDRAWAL_RULES,
        ),
        key=lambda rule: rule.code,
    )
)
"""The rules that are checked once per change, in the order of their codes."""

HUMAN: frozenset[str] = frozenset(
    {
        "CHG002",  # a purge
        "CHG010",  # a major release
        "CHG011",  # a new name
        "CHG012",  # a capability added
        "CHG013",  # files outside the entries
        "CHG014",  # several entries
        "CHG017",  # author unknown
        "CHG018",  # not an owner
        "CHG019",  # a name without an owner
        "CHG020",  # owners changed
        "CHG023",  # licence changed
        "CHG024",  # fewer tested platforms
        "CHG026",  # fewer signatures
        "CHG027",  # a yank removed
        "CHG028",  # deprecation changed
        "CHG029",  # a name no longer retired
        "CHG030",  # aliases changed
        "CHG031",  # still required by another entry
        "CHG035",  # several versions of one entry
        "NAME004",
        "NAME005",
        "NAME008",
        "PS081",
        "REG037",  # nearly a copy of another owner's entry
    }
)
"""Codes whose findings need a decision by a person, whatever their severity."""
