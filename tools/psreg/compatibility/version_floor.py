"""Compare two releases by the decision table: the differences, and the step that they require.

What one side lacks, or cannot be parsed, is not compared: an artifact alone has no release.toml,
and `psreg check` reports files that do not parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from psreg.compatibility.compared_side import Side
from psreg.compatibility.floor_row import Difference, Row
from psreg.compatibility.pbe_rows import PBE_ROWS
from psreg.compatibility.prompt_rows import PROMPT_ROWS
from psreg.compatibility.release_rows import RELEASE_ROWS, WHOLE_ROWS
from psreg.compatibility.save_rows import SAVE_ROWS
from psreg.core.version import Step


class Group(NamedTuple):
    """Rows that compare the same part of a side; `subject` returns it, or None."""

    title: str
    rows: tuple[Row[Any], ...]
    subject: Callable[[Side], Any]


FLOOR_GROUPS = (
    Group("PBE", (*SAVE_ROWS, *PBE_ROWS), lambda side: side.pbe),
    Group(".prompt", PROMPT_ROWS, lambda side: side.prompt),
    Group("release.toml", RELEASE_ROWS, lambda side: side.release),
    Group("The release as a whole", WHOLE_ROWS, lambda side: side),
)
"""The decision table by what is compared, in the order of its page on the site."""

FLOOR_TABLE: tuple[Row[Any], ...] = tuple(row for group in FLOOR_GROUPS for row in group.rows)
"""The whole decision table."""


def differences_of(before: Side, after: Side) -> tuple[Difference, ...]:
    """Return the differences between two sides, the largest steps first."""
    return tuple(sorted(_found(before, after), key=lambda found: -found.step))


def _found(before: Side, after: Side) -> Iterator[Difference]:
    for group in FLOOR_GROUPS:
        old, new = group.subject(before), group.subject(after)
        if old is not None and new is not None:
            for row in group.rows:
                yield from row.differences(old, new)


def floor_of(differences: Iterable[Difference]) -> Step:
    """Return the smallest step that all `differences` allow; NONE if there are none."""
    return max((difference.step for difference in differences), default=Step.NONE)
