"""JSON values for people."""

import pytest

from psreg.catalogue.pages.json_view import readable


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a<\n\nb", "<p>a&lt;</p><p>b</p>"),
        (1, "1"),
        (True, "true"),
        (1.5, "1.5"),
        (None, "<code>null</code>"),
        ([], "<p>empty</p>"),
        ({}, "<p>empty</p>"),
        (["a", "b<"], '<ul class="ps-chips "><li>a</li><li>b&lt;</li></ul>'),
        (["a\nb", 1, [2]], "<ul><li>a<br>b</li><li>1</li><li><ul><li>2</li></ul></li></ul>"),
    ],
)
def test_simple_values(value, expected):
    assert readable(value) == expected


def test_short_records_make_a_table():
    out = readable([{"a_b": 1}, {"a_b": "<", "c": None}])
    assert '<th scope="col">A b</th><th scope="col">C</th>' in out
    assert "<tr><td>&lt;</td><td><code>null</code></td></tr>" in out


@pytest.mark.parametrize(
    "value", [[{"a": {"b": 1}}], [{str(n): n for n in range(7)}], [{"a": 1}, 2], [{}]]
)
def test_other_lists_stay_lists(value):
    assert readable(value).startswith("<ul><li>")


def test_objects_become_terms():
    assert "<dt>Key one</dt><dd><p>x</p></dd>" in readable({"key_one": "x"})


def test_what_is_nested_without_end_is_shown_as_json():
    value = "bottom"
    for _ in range(60):
        value = {"in": value}
    out = readable(value)
    assert out.count("<dl") == 12
    assert "bottom" in out
