"""Fixes become suggestions of whole lines; the bytes of the others stay."""

from pathlib import PurePosixPath

import pytest

from psreg.core.diagnostics import ERROR, Diagnostic, Edit, Fix, Position
from psreg.formats.tree import Tree
from psreg.lint.fix import apply
from psreg.review.change import ChangeSet, FileChange, Touch
from psreg.review.suggestions import Suggestion, in_diff, suggestions
from support.changes import changes_between

PATH = "pbes/prompt/hello/1.0.0/hello.prompt"
README = "pbes/prompt/hello/1.0.0/README.md"


def edit(start, end, text, path=PATH):
    return Edit(path=path, start=Position(*start), end=Position(*end), replacement=text)


def finding(*edits, code="PS001", title="fix it", path=PATH, waived=None):
    return Diagnostic(
        code=code,
        slug="a-rule",
        severity=ERROR,
        message="wrong",
        path=path,
        start=edits[0].start if edits else Position(1, 1),
        end=edits[0].end if edits else Position(1, 1),
        fix=Fix(title=title, edits=edits) if edits else None,
        waived=waived,
    )


def suggested(text, *found, path=PATH):
    data = text if isinstance(text, bytes) else text.encode()
    return suggestions(found, {PurePosixPath(path): data})


def test_unchanged_parts_of_a_line_stay():
    (one,) = suggested("a\n  b `c` d\ne\n", finding(edit((2, 6), (2, 7), "X")))
    assert (one.path, one.first, one.last) == (PATH, 2, 2)
    assert (one.before, one.after) == ("  b `c` d\n", "  b `X` d\n")
    assert (one.titles, one.codes) == (("fix it",), ("PS001",))
    assert one.in_lines


def test_line_endings_stay():
    (one,) = suggested("a\r\nb\r\nc\r\n", finding(edit((2, 1), (2, 2), "B")))
    assert (one.before, one.after) == ("b\r\n", "B\r\n")


def test_fixes_that_share_a_line_are_one_suggestion():
    found = [
        finding(edit((1, 1), (1, 2), "A"), code="PS002", title="second"),
        finding(edit((1, 3), (2, 2), "B\nC"), code="PS001", title="first"),
        finding(edit((4, 1), (4, 2), "D"), title="third"),
    ]
    one, other = suggested("a b\nc d\ne\nd\n", *found)
    assert (one.first, one.last, one.after) == (1, 2, "A B\nC d\n")
    assert one.titles == ("second", "first")
    assert one.codes == ("PS001", "PS002")
    assert (other.first, other.last, other.after) == (4, 4, "D\n")


def test_the_parts_of_one_fix_are_suggestions_of_their_own():
    fix = [edit((1, 1), (1, 2), "x"), edit((3, 1), (3, 2), "x")]
    found = suggested("a\nb\na\n", finding(*fix), finding(*fix, code="PS002"))
    assert [(s.first, s.after, s.codes) for s in found] == [
        (1, "x\n", ("PS001", "PS002")),
        (3, "x\n", ("PS001", "PS002")),
    ]


def test_what_cannot_be_done_at_the_same_time_waits():
    found = [finding(edit((1, 1), (1, 3), "x")), finding(edit((1, 2), (1, 4), "y"), code="PS002")]
    (one,) = suggested("abcd\n", *found)
    assert (one.after, one.codes) == ("xcd\n", ("PS001",))


def test_whole_lines_can_go():
    (one,) = suggested("a\nb\nc\nd\n", finding(edit((2, 1), (4, 1), "")))
    assert (one.first, one.last, one.before, one.after) == (2, 3, "b\nc\n", "")
    assert one.in_lines


def test_a_line_that_becomes_empty_is_still_one():
    (one,) = suggested("a\nb\nc\n", finding(edit((2, 1), (2, 2), "")))
    assert (one.first, one.last, one.after) == (2, 2, "\n")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_missing_last_line_break_is_nothing_to_take_over(ending):
    (one,) = suggested(f"a{ending}b", finding(edit((2, 2), (2, 2), ending)))
    assert (one.before, one.after) == ("b", f"b{ending}")
    assert not one.in_lines


def test_a_change_of_the_last_line_without_a_line_break_is():
    (one,) = suggested("a\nb", finding(edit((2, 1), (2, 2), "c")))
    assert one.in_lines


@pytest.mark.parametrize("path", [PATH, README])
def test_a_byte_order_mark_is_where_positions_count_it(path):
    start = 1 if path == README else 2
    found = finding(edit((1, start), (1, start + 1), "x", path), path=path)
    (one,) = suggested("\ufeffabc\n", found, path=path)
    assert one.after.removeprefix("\ufeff") == "xbc\n"


def test_nothing_to_fix():
    nothing = suggested("a\n", finding(), finding(edit((1, 1), (1, 2), "x"), waived="so be it"))
    assert nothing == ()
    assert suggested(b"\xff\n", finding(edit((1, 1), (1, 2), "x"))) == ()


def test_taking_all_of_them_over_is_what_fix_does():
    text = "a b\nc\nd e\nf"
    found = [
        finding(edit((1, 3), (2, 1), "")),
        finding(edit((3, 1), (3, 2), "x\ny")),
        finding(edit((4, 1), (4, 2), "")),
    ]
    lines = text.split("\n")
    for one in reversed(suggested(text, *found)):
        lines[one.first - 1 : one.last] = one.after.removesuffix("\n").split("\n")
    assert "\n".join(lines).encode() == apply(text.encode(), PATH, found)[0]


POLICY_FILE = PurePosixPath("registry/policy.toml")
TEN = b"".join(b"%d\n" % n for n in range(1, 11))


def of_lines(first, last=None):
    return Suggestion(
        path=str(POLICY_FILE),
        first=first,
        last=last or first,
        before="",
        after="",
        titles=("fix it",),
        codes=("PS001",),
    )


def lines_in_diff(before, after, *found):
    base = {} if before is None else {POLICY_FILE: before}
    change = changes_between(base, {POLICY_FILE: after})
    return [(one.first, one.last) for one in in_diff(found, change)]


def test_a_new_file_is_shown_as_a_whole():
    assert lines_in_diff(None, TEN, of_lines(1), of_lines(9, 10)) == [(1, 1), (9, 10)]


def test_of_another_file_only_the_changed_lines_are():
    after = TEN.replace(b"4\n", b"four\nfive\n").replace(b"8\n", b"")
    one_each = [of_lines(n) for n in range(1, 11)]
    assert lines_in_diff(TEN, after, *one_each) == [(4, 4), (5, 5)]
    assert lines_in_diff(TEN, after, of_lines(4, 5), of_lines(3, 4), of_lines(5, 6)) == [(4, 5)]


def test_nothing_is_shown_of_what_is_not_touched():
    assert lines_in_diff(TEN, TEN, of_lines(1)) == []


@pytest.mark.parametrize("before", [TEN, b"\n" * 5_000])
def test_very_long_files_are_not_compared(before):
    assert lines_in_diff(before, b"x\n" * 5_000, of_lines(1)) == []


def test_a_renamed_file_is_not_new():
    moved = FileChange(path=POLICY_FILE, touch=Touch.ADDED, moved_from=PurePosixPath("policy.toml"))
    change = ChangeSet(Tree({}), Tree({POLICY_FILE: TEN}), (moved,))
    assert in_diff([of_lines(1)], change) == ()
