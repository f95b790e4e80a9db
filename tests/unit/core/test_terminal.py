"""Text that is wrapped to the width of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.terminal import hanging, width


@pytest.mark.parametrize(
    ("head", "text", "columns", "lines"),
    [
        ("a  ", "one two", 0, ["a  one two"]),
        ("a  ", "one two", 10, ["a  one two"]),
        ("a  ", "one  two three four five six", 24, ["a  one two three four", "   five six"]),
        ("a" * 10 + "  ", "one two three", 20, ["a" * 10, "    one two three"]),
        ("a  ", "one " + "x" * 30, 25, ["a", "    one", "    " + "x" * 30]),
        ("a  ", "漢字漢字漢 字漢字漢字 漢", 24, ["a  漢字漢字漢 字漢字漢字", "   漢"]),
        ("    code and more", "", 5, ["    code and more"]),
    ],
)
def test_text_hangs_below_its_start(head, text, columns, lines):
    assert hanging(head, text, columns) == lines


@given(st.lists(st.text("ab漢", min_size=1, max_size=12)), st.integers(30, 80))
def test_nothing_is_lost_and_every_line_fits(words, columns):
    lines = hanging("name  ", " ".join(words), columns)
    assert " ".join(lines).split() == ["name", *words]
    assert all(width(line) <= columns for line in lines)
