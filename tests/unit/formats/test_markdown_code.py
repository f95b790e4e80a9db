"""Which stretches of a Markdown text are code."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.formats.markdown import code_spans, fences


def pieces(spans, text):
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\na\n```\n", ["```\na\n```\n"]),
        ("~~~ py\na\n```\n~~~\nb", ["~~~ py\na\n```\n~~~\n"]),
        ("````\n```\n````", ["````\n```\n````"]),
        ("```\nnever closed", ["```\nnever closed"]),
        ("- ```\n  a\n  ```\nb", ["- ```\n  a\n  ```\n"]),
        ("> ```\n> a\n> ```\n", ["> ```\n> a\n> ```\n"]),
        ("1. ~~~\n   a\n   ~~~", ["1. ~~~\n   a\n   ~~~"]),
        ("```in `one` line```\nb", []),
        ("text ```\nb", []),
        ("```\n``` not the end\n```\nc", ["```\n``` not the end\n```\n"]),
        ("```\r\na\r\n```\r\nb", ["```\r\na\r\n```\r\n"]),
    ],
)
def test_fences(text, found):
    assert pieces(fences(text), text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a `b` `c`", ["`b`", "`c`"]),
        ("``a ` b`` c", ["``a ` b``"]),
        ("`a ``b` c", ["`a ``b`"]),
        ("`a\n\nb`", []),
        ("`a\nb`", ["`a\nb`"]),
        ("`a", []),
        ("```a``", []),
    ],
)
def test_code_spans(text, found):
    assert pieces(code_spans(text), text) == found


def test_code_spans_leave_blocks_out():
    text = "`a\n```\nb`\n```\nc`d`"
    assert pieces(code_spans(text, fences(text)), text) == ["`d`"]


@settings(deadline=None)
@given(st.text(st.sampled_from("`~ \n>-1.ab")))
def test_code_is_in_order_and_apart(text):
    blocks = fences(text)
    spans = sorted((*blocks, *code_spans(text, blocks)))
    assert all(span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
