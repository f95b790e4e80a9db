"""Removing comments, and finding the way back to the original text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.dotprompt.uncommented import Excerpt, without_comments

PIECES = st.lists(st.sampled_from(["(%", "%)", "(", "%", ")", "a", " ", "\r\n", "\n", "\r", "é"]))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a (% b %) c", "a  c"),
        ("a(%b\nc%)d", "ad"),
        ("(%%)", ""),
        ("(%)", "(%)"),
        ("(%) %)", ""),
        ("(% a (% b %) c %)", " c %)"),
        ("(% 50 % %)x", "x"),
        ("((% a %)% b %)", "(% b %)"),
        ("a %) b", "a %) b"),
        ("a (% b", "a (% b"),
        ("\ufeffa\r\nb\rc\n", "a\nb\rc\n"),
        ("(%\r\n%)\r\n", "\n"),
        ("", ""),
    ],
)
def test_the_first_end_closes_a_comment(text, left):
    assert without_comments(text).text == left


def test_only_the_first_unclosed_comment_is_named():
    assert without_comments("(% a %) (% b (% c").unclosed == Span(8, 10)
    assert without_comments("(% a %)").unclosed is None


@given(PIECES.map("".join))
def test_every_character_left_is_found_in_the_original(text):
    source = without_comments(text)
    places = [source.excerpt.origin(at) for at in range(len(source.text))]
    assert "".join(text[at] for at in places) == source.text
    assert places == sorted(set(places))


@given(PIECES.map("".join))
def test_the_lines_make_up_the_text(text):
    source = without_comments(text)
    lines = [source.text[start:end] for start, end in source.lines()]
    assert "\n".join(lines) == source.text
    assert not any("\n" in line for line in lines)


def test_a_span_does_not_swallow_what_was_left_out_around_it():
    text = "ab(%x%)cd(%y%)ef"
    excerpt = without_comments(text).excerpt
    assert excerpt.span(2, 4) == Span(7, 9)
    assert excerpt.span(1, 3) == Span(1, 8)
    assert excerpt.span(2, 2) == Span(7, 7)
    assert excerpt.span(6, 6) == Span(16, 16)


def test_an_excerpt_of_an_excerpt_leads_back_to_the_whole():
    inner = Excerpt(text="0123456789").cut([(2, 5), (6, 10)]).cut([(1, 4), (5, 6)])
    assert inner.text == "3468"
    assert [inner.origin(at) for at in range(4)] == [3, 4, 6, 8]


def test_a_comment_at_the_edge_of_a_line_was_held_by_it():
    source = without_comments("(%a%)x\ny(%b%)\nz\n(%c%)\n")
    held = [source.held_comment(start, end) for start, end in source.lines()]
    assert held == [True, True, False, True, False]
