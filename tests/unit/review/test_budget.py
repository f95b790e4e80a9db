"""Parts of a text share its room, and what does not fit is counted."""

from hypothesis import given
from hypothesis import strategies as st

from psreg.review.budget import Part, fitted


def part(*blocks, weight=1, share=10, **rest):
    return Part(blocks=blocks, weight=weight, share=share, more="+{}", **rest)


def test_everything_fits():
    assert fitted([part("a", "b", before="<", after=">"), part("c")], 100) == "<ab>c"


def test_a_part_without_blocks_is_not_there():
    assert fitted([part(before="<", after=">"), part("c")], 100) == "c"


def test_what_does_not_fit_is_counted():
    assert fitted([part("aaaa", "bbbb", "cccc", before="<", after=">")], 13) == "<aaaabbbb+1>"
    assert fitted([part("aaaa", "bbbb", before="<")], 3) == "+2"


def test_nobody_loses_a_share_to_the_heavier():
    parts = [part(*"a" * 50, weight=9, share=10), part(*"b" * 50, weight=1, share=10)]
    text = fitted(parts, 40)
    assert text.count("b") >= 7
    assert text.count("a") > text.count("b")
    assert len(text) <= 40


def test_what_is_left_goes_to_the_heavier_wherever_it_stands():
    parts = [part(*"a" * 50, share=5, weight=1), part(*"b" * 50, share=5, weight=2)]
    text = fitted(parts, 60)
    assert "b" * 50 in text
    assert "+" in text.partition("b")[0]


words = st.text(max_size=9)
parts = st.builds(
    Part,
    blocks=st.lists(words, max_size=20).map(tuple),
    weight=st.integers(0, 3),
    share=st.integers(10, 30),
    before=words,
    after=words,
    more=st.just("…{}"),
)


@given(st.lists(parts, max_size=5), st.integers(0, 200))
def test_the_limit_holds_and_more_room_never_shows_less(found, room):
    limit = 40 * len(found) + room
    text = fitted(found, limit)
    assert len(text) <= limit
    assert len(fitted(found, limit + 50)) >= len(text) - 4 * len(found)
