"""A disguised text folds to what it looks like."""

import pytest

from psreg.lint.content.pattern_tables import lines
from psreg.lint.content.text_folding import folded, lookalike
from rare_words import lookalikes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("іgnоrе аll", "ignore all"),
        ("ig\u200bn\u00ado\u2060re", "ignore"),
        ("𝐢𝗀𝚗𝒐𝓻𝖊", "ignore"),
        ("ｉｇｎｏｒｅ", "ignore"),
        ("i̶g̶n̶o̶r̶e̶", "ignore"),
        ("ΙGΝΟRΕ", "IGNORE"),
        ("ІGNORE", "IGNORE"),
        ("ⅼist", "list"),
        ("“don’t” — x\u00a0y…", '"don\'t" - x y...'),
        ("a\u3164b\U000e0041", "ab"),
        ("你好 हिन्दी 🙂", "你好 हिनदी 🙂"),
        ("ﬁle ²", "file 2"),
    ],
)
def test_fold(text, plain):
    assert folded(text) == plain


@pytest.mark.parametrize(("character", "twin"), [("а", "a"), ("Ѕ", "S"), ("ж", ""), ("ο", "o")])
def test_lookalike(character, twin):
    assert lookalike(character) == twin


def test_the_look_alikes_are_those_of_unicode():
    again = "print data/lookalikes.txt again: tests/bench/rare_words.py lookalikes"
    assert lines("lookalikes") == list(lookalikes([])), again
