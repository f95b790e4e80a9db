"""Which suggestions can stand at their lines: those about lines that the change itself writes.

A forge lets nobody remark on what its diff does not show. All lines of a new file are in it; of
another one those that are not as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from pathlib import PurePosixPath

from psreg.review.change import ChangeSet, Touch
from psreg.review.suggestions import Suggestion

_MOST_LINES = 2_000
"""Lines of a file that are compared; the time grows with their square."""


def in_diff(found: Iterable[Suggestion], change: ChangeSet) -> tuple[Suggestion, ...]:
    """Return those of the suggestions of which every line is in the diff of `change`."""
    new = {file.path for file in change.files if file.touch is Touch.ADDED and not file.moved_from}

    @cache
    def written(path: PurePosixPath) -> frozenset[int]:
        if change.touched(path) is not Touch.MODIFIED:
            return frozenset()
        return _written(change.base.files[path], change.head.files[path])

    return tuple(
        one
        for one in found
        if (path := PurePosixPath(one.path)) in new
        or written(path).issuperset(range(one.first, one.last + 1))
    )


def _written(before: bytes, after: bytes) -> frozenset[int]:
    """Return the numbers of the lines of `after` that are not as they were."""
    old, new = before.split(b"\n"), after.split(b"\n")
    if max(len(old), len(new)) > _MOST_LINES:
        return frozenset()
    compared = SequenceMatcher(None, old, new, autojunk=False)
    return frozenset(
        line + 1
        for tag, _, _, first, end in compared.get_opcodes()
        if tag != "equal"
        for line in range(first, end)
    )
