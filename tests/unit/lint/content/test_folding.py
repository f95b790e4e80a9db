"""A disguised text folds to what it looks like, and every place leads back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.lint.content.folding import fold, folded, lookalike


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
    assert fold(text).text == plain


@settings(deadline=None)
@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]))))
def test_places_lead_back(text):
    result = fold(text)
    assert result.text == folded(text)
    assert len(result.origins) == len(result.text) + 1
    assert list(result.origins) == sorted(result.origins)
    for at in range(len(result.text)):
        start, end = result.span(at, at + 1)
        assert end == start + 1
        assert result.text[at] in folded(text[start])
    assert result.span(0, 0) == (result.origins[0],) * 2


@pytest.mark.parametrize(("character", "twin"), [("а", "a"), ("Ѕ", "S"), ("ж", ""), ("ο", "o")])
def test_lookalike(character, twin):
    assert lookalike(character) == twin
