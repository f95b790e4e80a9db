"""Only what a change writes can be remarked on: a forge shows nothing else of a file."""

from pathlib import PurePosixPath

import pytest

from psreg.formats.tree import Tree
from psreg.review.change import ChangeSet, FileChange, Touch, changes_between
from psreg.review.diff_lines import in_diff
from psreg.review.suggestions import Suggestion

PATH = PurePosixPath("registry/policy.toml")
TEN = b"".join(b"%d\n" % n for n in range(1, 11))


def suggestion(first, last=None):
    return Suggestion(
        path=str(PATH),
        first=first,
        last=last or first,
        before="",
        after="",
        titles=("mend it",),
        codes=("PS001",),
    )


def shown(before, after, *found):
    base = {} if before is None else {PATH: before}
    change = changes_between(base, {PATH: after})
    return [(one.first, one.last) for one in in_diff(found, change)]


def test_a_new_file_is_shown_as_a_whole():
    assert shown(None, TEN, suggestion(1), suggestion(9, 10)) == [(1, 1), (9, 10)]


def test_of_another_file_only_the_changed_lines_are():
    after = TEN.replace(b"4\n", b"four\nfive\n").replace(b"8\n", b"")
    places = [suggestion(n) for n in range(1, 11)]
    assert shown(TEN, after, *places) == [(4, 4), (5, 5)]
    assert shown(TEN, after, suggestion(4, 5), suggestion(3, 4), suggestion(5, 6)) == [(4, 5)]


def test_nothing_is_shown_of_what_is_not_touched():
    assert shown(TEN, TEN, suggestion(1)) == []


@pytest.mark.parametrize("before", [TEN, b"\n" * 5_000])
def test_very_long_files_are_not_compared(before):
    assert shown(before, b"x\n" * 5_000, suggestion(1)) == []


def test_a_renamed_file_is_not_new():
    moved = FileChange(path=PATH, touch=Touch.ADDED, moved_from=PurePosixPath("policy.toml"))
    change = ChangeSet(Tree({}), Tree({PATH: TEN}), (moved,))
    assert in_diff([suggestion(1)], change) == ()
