"""The SemVer floor: a decision table that compares two releases by meaning, never by text."""

from psreg.compatibility.row import Difference, Row
from psreg.compatibility.side import Side, artifact_side, folder_side, submission_side
from psreg.compatibility.steps import demanded
from psreg.compatibility.version_floor import (
    FLOOR_GROUPS,
    FLOOR_TABLE,
    Group,
    differences,
    differences_of,
    floor_of,
)

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
