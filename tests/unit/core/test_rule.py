"""A rule is made of one function: its name, its docstring, its code."""

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import RuleTable, rule


@rule("ABC042", spec="x-1.0/X-01", severity=ERROR, read=WARNING)
def too_long_by_half(text: "str"):
    """The text is too long
    by half.

    ## Why
    Because.

        code
    """
    yield Finding(message=text)


@rule("ABC043", spec="x-1.0/X-02", severity=WARNING)
def bare(text: "int"):
    yield Finding(message=text)


def test_everything_derives_from_the_function():
    assert too_long_by_half.slug == "too-long-by-half"
    assert too_long_by_half.family == "ABC"
    assert too_long_by_half.summary == "The text is too long by half."
    assert too_long_by_half.body == "## Why\nBecause.\n\n    code"
    assert too_long_by_half.page == "rules/ABC042/"
    assert too_long_by_half.read is WARNING
    assert [f.message for f in too_long_by_half.check("hi")] == ["hi"]


def test_the_level_when_reading_is_the_level_unless_said():
    assert bare.read is WARNING
    assert bare.summary == ""


def test_a_table_lists_rules_and_finds_those_about_a_subject():
    table = RuleTable((too_long_by_half, bare))
    assert list(table) == [too_long_by_half, bare]
    assert table.codes == {"ABC042", "ABC043"}
    assert table.about("hi") == (too_long_by_half,)
    assert table.about(1) == (bare,)
    assert table.about(1.5) == ()
