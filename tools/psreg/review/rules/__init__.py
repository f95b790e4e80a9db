"""The rules about what a change does to a registry: `CHANGE_RULES`, and which of them need a human.

A change is a pull request: two trees and its author. Findings name their file in `path`; a finding
about a deleted file points at the start of the file.
"""

from psreg.core.rule import Rule
from psreg.review.change import ChangeSet
from psreg.review.rules.file_rules import (
    outside_the_entries,
    path_not_portable,
    paths_clash,
    several_entries,
    several_versions,
    signed_state_changed,
)
from psreg.review.rules.owner_rules import (
    author_not_among_owners,
    author_not_an_owner,
    author_unknown,
    entry_without_owner,
    owners_changed,
    owners_changed_by_non_owner,
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
    statement_invalid,
    statement_rewritten,
    version_removed,
)
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
    name_no_longer_retired,
    required_elsewhere,
    version_reused,
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
    author_not_an_owner,
    entry_without_owner,
    owners_changed,
    owners_changed_by_non_owner,
    author_not_among_owners,
    license_changed,
    evidence_dropped,
    limitation_dropped,
    signature_dropped,
    yank_lifted,
    deprecation_changed,
    name_no_longer_retired,
    aliases_changed,
    required_elsewhere,
    version_reused,
    statement_invalid,
    signed_state_changed,
    several_versions,
    small_release_reaches_further,
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
    }
)
"""Codes whose findings need a decision by a person, whatever their severity."""
