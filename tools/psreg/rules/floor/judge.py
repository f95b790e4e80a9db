"""Judge two releases by the decision table: what is different, and which step that asks for.

What one side lacks, or what cannot be understood, is not compared: an artifact alone has no
release.toml, and files that do not parse are a matter of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from psreg.index.tree import Submission
from psreg.rules.floor.parts import PART_ROWS
from psreg.rules.floor.pbe import PBE_ROWS
from psreg.rules.floor.prompt import PROMPT_ROWS
from psreg.rules.floor.release import RELEASE_ROWS
from psreg.rules.floor.row import Difference, Row
from psreg.rules.floor.side import Side, submission_side
from psreg.rules.floor.whole import WHOLE_ROWS
from psreg.version import Step

Subject = Callable[[Side], Any]

_JUDGED: tuple[tuple[tuple[Row[Any], ...], Subject], ...] = (
    ((*PBE_ROWS, *PART_ROWS), lambda side: side.pbe),
    (PROMPT_ROWS, lambda side: side.prompt),
    (RELEASE_ROWS, lambda side: side.release),
    (WHOLE_ROWS, lambda side: side),
)
"""The rows, and what of a side they compare."""

FLOOR_TABLE: tuple[Row[Any], ...] = tuple(row for rows, _ in _JUDGED for row in rows)
"""The whole decision table, in the order in which it is published."""


def differences(previous: Submission, new: Submission) -> tuple[Difference, ...]:
    """Return what is different between two releases, the largest steps first."""
    return differences_of(submission_side(previous), submission_side(new))


def differences_of(before: Side, after: Side) -> tuple[Difference, ...]:
    """Return what is different between two sides, the largest steps first."""
    return tuple(sorted(_found(before, after), key=lambda found: -found.step))


def _found(before: Side, after: Side) -> Iterator[Difference]:
    for rows, subject in _JUDGED:
        old, new = subject(before), subject(after)
        if old is not None and new is not None:
            for row in rows:
                yield from row.differences(old, new)


def floor_of(differences: Iterable[Difference]) -> Step:
    """Return the smallest step that does for all `differences`; NONE if there are none."""
    return max((difference.step for difference in differences), default=Step.NONE)
