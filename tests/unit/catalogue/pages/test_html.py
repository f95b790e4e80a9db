"""Pieces of HTML: everything foreign is escaped, what hides is shown."""

import pytest

from psreg.catalogue.pages.html import (
    MOST_LABELS,
    chips,
    command,
    count,
    humanised,
    labels,
    note,
    paragraphs,
    section,
    size,
    table,
    tag,
    terms,
    text,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("<a href=\"x\" b='y'>&", "&lt;a href=&quot;x&quot; b=&#x27;y&#x27;&gt;&amp;"),
        ("é \u202e<", "é ⟨U+202E⟩&lt;"),
        ("a\x1b[2K<\r", "a⟨U+001B⟩[2K&lt;⟨U+000D⟩"),
        ("é\r\na\r\n\tb", "é\r\na\r\n\tb"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("naïve", "naïve"),
    ],
)
def test_text_is_escaped_and_hidden_characters_are_shown(value, expected):
    assert text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ""),
        (" \n ", ""),
        ("a<", "<p>a&lt;</p>"),
        ("a\nb\n \nc\n", "<p>a<br>b</p><p>c</p>"),
    ],
)
def test_paragraphs_keep_line_breaks(value, expected):
    assert paragraphs(value) == expected


def test_attributes_are_escaped():
    assert tag("p", "<b>", class_="x", data_y='"') == '<p class="x" data-y="&quot;"><b></p>'
    assert '<code>a &amp;&amp; "b"</code>' in command('a && "b"')


def test_what_is_empty_leaves_nothing_behind():
    assert chips([]) == terms([]) == section("a", "b", "") == ""


def test_pieces():
    assert chips(["<"]) == '<ul class="ps-chips"><li>&lt;</li></ul>'
    assert "<dt>&lt;</dt><dd><b></dd>" in terms([("<", "<b>")])
    assert '<section id="a"><h2><a href="#a">B</a></h2>' in section("a", "B", "c")
    assert '<th scope="col">&lt;</th>' in table(["<"], [["<b>"]])
    assert note("info", "x") == '<aside class="ps-note ps-note--info">x</aside>'


def test_numbers_and_keys_for_people():
    assert humanised("hint_ladder") == "Hint ladder"
    assert humanised("__") == "__"
    assert (count(1, "prompt"), count(2000, "entry", "entries")) == ("1 prompt", "2,000 entries")
    assert (size(812), size(14_800)) == ("812 bytes", "14.8 kB")


def test_of_very_many_labels_the_first_are_shown():
    assert labels([]) == ""
    assert chips(["<x>"]) == '<ul class="ps-chips"><li>&lt;x&gt;</li></ul>'
    assert labels(["x"] * MOST_LABELS).count("<li>x</li>") == MOST_LABELS
    many = labels(["x"] * 1_200)
    assert many.count("<li>x</li>") == MOST_LABELS
    assert many.endswith("<li>and 1,100 more</li></ul>")
