"""Headings of Markdown and what stands below them."""

from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.markdown import sections

TEXT = """\
intro
# One ##
a
## Two
b
### Three #3
c

Under
lined
-----
d
    # code
```md
# Fenced
~~~
```
#no heading
Title
=====
e
"""


def test_titles_levels_and_bodies():
    found = sections(TEXT)
    assert [(s.level, s.title) for s in found] == [
        (1, "One"),
        (2, "Two"),
        (3, "Three #3"),
        (2, "lined"),
        (1, "Title"),
    ]
    assert found[1].body == "b\n### Three #3\nc\n\nUnder\n"
    assert found[2].body == "c\n\nUnder\n"
    assert found[0].body.endswith("#no heading\n")
    assert found[4].body == "e\n"
    assert TEXT[found[3].span.start : found[3].span.end] == "lined\n-----\n"


def test_a_fence_closes_only_with_its_own_kind_and_length():
    text = "````\n# a\n```\n# b\n~~~~\n````text\n# c\n`````\n# d\n"
    assert [s.title for s in sections(text)] == ["d"]


def test_what_is_no_heading():
    assert sections("####### seven\n---\n\n---\n#\n")[-1].title == ""
    assert [s.title for s in sections("- - -\n\n***\n")] == []


def test_an_empty_heading_of_hashes():
    assert [s.title for s in sections("# #\n## ##  \n### a#\n")] == ["", "", "a#"]


@given(st.text("#-=`~ \na", max_size=60))
def test_law_spans_lie_in_the_text_in_order(text):
    found = sections(text)
    starts = [s.span.start for s in found]
    assert starts == sorted(set(starts))
    assert all(text[s.span.end :].startswith(s.body) for s in found)
