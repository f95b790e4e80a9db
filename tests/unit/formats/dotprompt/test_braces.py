"""What braces mean."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.dotprompt.braces import scan

PIECES = st.lists(st.sampled_from(["{", "}", "{{", "}}", "a", "b-1", " ", "\n", "{a}", "é"]))


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


@given(PIECES.map("".join))
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
