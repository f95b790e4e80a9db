"""The rules about what a change does to a registry: `CHANGE_RULES`, and which of them need a human.

A change is what a pull request asks for: two trees and who asks. Findings name their file in
`path`; of a file that is gone they mean the beginning.
"""

from psreg.index.changes import ChangeSet
from psreg.rule import Rule

CHANGE_RULES: tuple[Rule[ChangeSet], ...] = ()
"""The rules judged once per change, in the order of their codes."""

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
