"""A code block ends where we end it, and what must not act on anybody does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from psreg.review.comment_code import LONGEST_LINE, cropped, fenced, is_exact

pieces = st.sampled_from(["`", "```", "````suggestion", "\n", "\r\n", "~~~", "</details>", "<!--"])
texts = st.lists(pieces | st.text(max_size=6), max_size=12).map("".join)


@given(texts)
def test_a_block_is_one_block_of_exactly_the_text(text):
    (block, after) = [
        token
        for token in MarkdownIt().parse(f"{fenced(text, 'suggestion')}after")
        if token.type in ("fence", "paragraph_open")
    ]
    assert (block.type, block.info, after.type) == ("fence", "suggestion", "paragraph_open")
    normal = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    assert block.content.removesuffix("\n") == normal.removesuffix("\n")


def test_the_fence_is_longer_than_any_run_of_backticks():
    assert fenced("a") == "```\na\n```\n"
    assert fenced("a\n", "text") == "```text\na\n```\n"
    assert fenced("````") == "`````\n````\n`````\n"
    assert fenced("") == "```\n```\n"


@pytest.mark.parametrize(
    "text", ["a `b` ```\nc", "a\r\nb\r\n", "caf\u00e9 \U0001f600", "  x / y", ""]
)
def test_what_may_stand_exactly(text):
    assert is_exact(text)


@pytest.mark.parametrize(
    "text",
    [
        "a\u202eb",
        "zero\u200bwidth",
        "a\rb",
        "\x1b[31m",
        "x <!-- psreg review -->",
        "a\n/merge\n",
        "  /Close",
    ],
)
def test_what_may_not(text):
    assert not is_exact(text)


def test_what_is_only_to_be_read():
    assert cropped("a\u202eb\tc") == "a\\u{202e}b\tc"
    assert cropped("+<!-- psreg review -->") == "+<\u200b!-- psreg review -->"
    assert cropped("a\rb\n") == "a b "
    assert cropped("x" * (LONGEST_LINE + 5)) == "x" * LONGEST_LINE + "…(5 more characters)"
