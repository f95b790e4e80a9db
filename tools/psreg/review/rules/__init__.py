"""The rules about what a change does to a registry: `CHANGE_RULES`, and which of them need a human.

A change is what a pull request asks for: two trees and who asks. Findings name their file in
`path`; of a file that is gone they mean the beginning.
"""

from psreg.core.rule import Rule
from psreg.review.change import ChangeSet
from psreg.review.rules.file_rules import (
    outside_the_entries,
    path_not_portable,
    paths_clash,
    several_entries,
)
from psreg.review.rules.owner_rules import (
    author_is_no_owner,
    author_not_among_the_owners,
    author_unknown,
    kept_by_the_keepers,
    owners_changed,
    owners_changed_by_a_stranger,
)
from psreg.review.rules.regression_rules import (
    evidence_dropped,
    license_changed,
    limitation_dropped,
    signature_dropped,
)
from psreg.review.rules.released_rules import (
    class_changed,
    entry_removed,
    released_file_changed,
    statement_rewritten,
    version_removed,
)
from psreg.review.rules.statement_rules import statement_is_none
from psreg.review.rules.tripwire_rules import small_release_reaches_further
from psreg.review.rules.version_rules import (
    behaviour_changed,
    below_the_floor,
    capability_added,
    first_version_unusual,
    major_release,
    new_name,
    not_a_next_version,
)
from psreg.review.rules.withdrawal_rules import (
    aliases_changed,
    deprecation_changed,
    name_given_back,
    required_elsewhere,
    version_taken_again,
    yank_lifted,
)

CHANGE_RULES: tuple[Rule[ChangeSet], ...] = (
    released_file_changed,
    version_removed,
    entry_removed,
    class_changed,
    statement_rewritten,
    first_version_unusual,
    not_a_next_version,
    below_the_floor,
    behaviour_changed,
    major_release,
    new_name,
    capability_added,
    outside_the_entries,
    several_entries,
    path_not_portable,
    paths_clash,
    author_unknown,
    author_is_no_owner,
    kept_by_the_keepers,
    owners_changed,
    owners_changed_by_a_stranger,
    author_not_among_the_owners,
    license_changed,
    evidence_dropped,
    limitation_dropped,
    signature_dropped,
    yank_lifted,
    deprecation_changed,
    name_given_back,
    aliases_changed,
    required_elsewhere,
    version_taken_again,
    statement_is_none,
    small_release_reaches_further,
)
"""The rules judged once per change, in the order of their codes."""

STEP_TOO_SMALL = below_the_floor.code

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
        "CHG019",  # a name that the keepers look after
        "CHG020",  # owners changed
        "CHG023",  # another licence
        "CHG024",  # less evidence
        "CHG026",  # no signature any more
        "CHG027",  # a yank lifted
        "CHG028",  # another deprecation
        "CHG029",  # a retired name given back
        "CHG030",  # other aliases
        "CHG031",  # required elsewhere
        "NAME004",
        "NAME005",
        "PS081",
    }
)
"""Codes whose findings ask for a decision of a person, whatever their severity."""
