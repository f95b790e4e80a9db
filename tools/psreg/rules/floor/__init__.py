"""The SemVer floor: one decision table, judged by meaning and never by text."""

from psreg.index.steps import demanded
from psreg.rules.floor.judge import (
    FLOOR_GROUPS,
    FLOOR_TABLE,
    Group,
    differences,
    differences_of,
    floor_of,
)
from psreg.rules.floor.row import Difference, Row
from psreg.rules.floor.side import Side, artifact_side, folder_side, submission_side

__all__ = [
    "FLOOR_GROUPS",
    "FLOOR_TABLE",
    "Difference",
    "Group",
    "Row",
    "Side",
    "artifact_side",
    "demanded",
    "differences",
    "differences_of",
    "floor_of",
    "folder_side",
    "submission_side",
]
