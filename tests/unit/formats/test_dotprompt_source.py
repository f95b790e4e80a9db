"""Removing comments and finding the way back to the original text; what braces mean."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.dotprompt_source import Excerpt, scan, without_comments

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


BRACES = st.lists(st.sampled_from(["{", "}", "{{", "}}", "a", "b-1", " ", "\n", "{a}", "é"]))


@pytest.mark.parametrize(
    ("text", "names", "pairs", "spanning"),
    [
        ("{a} {a-b_1} {A}", ["a", "a-b_1", "A"], 0, 0),
        ("{ a } {} {a b} {é} {a.b}", [], 0, 0),
        ("{{a}}", [], 1, 0),
        ("{{{a}}}", ["a"], 1, 0),
        ("{{{{a}}}}", [], 2, 0),
        ("{{{{{a}}}}}", ["a"], 2, 0),
        ('{{"k": {a}, "l": {{"m": {b}}}}}', ["a", "b"], 2, 0),
        ("{{a}", ["a"], 0, 0),
        ("{{{a}", ["a"], 0, 0),
        ("{a}}", ["a"], 0, 0),
        ("{{a} b}}", [], 1, 0),
        ("{{a}{b}", ["a", "b"], 0, 0),
        ("{{ a { b }}", [], 1, 0),
        ("{{\n{a}\n}}", ["a"], 0, 1),
        ("{{ {{\n}} }}", [], 0, 2),
        ("{{ {{b}}\n}}", [], 1, 1),
        ("}} {{", [], 0, 0),
        ("", [], 0, 0),
    ],
)
def test_braces(text, names, pairs, spanning):
    found = scan(text)
    assert [use.name for use in found.uses] == names
    assert (len(found.pairs), len(found.spanning)) == (pairs, spanning)
    assert all(text[use.start : use.end] == f"{{{use.name}}}" for use in found.uses)


def test_a_pair_around_a_name_is_a_literal():
    text = "{{ {{b}} }} {{a}} {{a b}} {{{c}}} {{{{d}}}}"
    found = [(use.name, text[use.start : use.end]) for use in scan(text).literals]
    assert found == [("b", "{{b}}"), ("a", "{{a}}"), ("d", "{{d}}")]


@given(BRACES.map("".join))
def test_what_is_found_stands_where_it_is_said_to_and_never_overlaps(text):
    found = scan(text)
    assert all(text[use.start : use.end] == f"{{{use.name}}}" for use in found.uses)
    assert all(text[use.start : use.end] == f"{{{{{use.name}}}}}" for use in found.literals)
    places = [(use.start, use.end) for use in found.uses]
    for opening, closing in [*found.pairs, *found.spanning]:
        assert text[opening : opening + 2] == "{{"
        assert text[closing : closing + 2] == "}}"
        places += [(opening, opening + 2), (closing, closing + 2)]
    places.sort()
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    assert not any("\n" in text[opening:closing] for opening, closing in found.pairs)
    assert all("\n" in text[opening:closing] for opening, closing in found.spanning)
