"""Canonical JSON: RFC 8785 without floats."""

import json
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.json.canonical import MAX_INTEGER, canonical

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
)


def test_members_are_sorted_by_utf16_code_units():
    # RFC 8785, section 3.2.3
    value = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(value))) == order


def test_escapes_are_minimal():
    # RFC 8785, section 3.2.2.2
    text = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f\u007f\u2028"
    expected = '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"'
    assert canonical(text) == expected.encode()


def test_no_blanks_and_literals():
    value = {"b": [1, -2, True, None, ()], "a": {}}
    assert canonical(value) == b'{"a":{},"b":[1,-2,true,null,[]]}'


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        [float("nan")],
        {"a": {"b": 0.5}},
        MAX_INTEGER + 1,
        -MAX_INTEGER - 1,
        "\ud800",
        {"\ud800": 1},
        {1: 2},
        b"bytes",
        {"a": {1, 2}},
    ],
)
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(ValueError):
        canonical(value)


@given(VALUES)
def test_law_what_is_read_back_is_the_same(value):
    data = canonical(value)
    assert json.loads(data) == value
    assert canonical(json.loads(data)) == data


@given(st.dictionaries(st.text(), st.integers(0, 9), max_size=8))
def test_law_the_order_of_members_does_not_matter(value):
    assert canonical(value) == canonical(dict(reversed(value.items())))


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_law_what_only_reads_like_a_dict_has_the_same_form(value):
    """Python's own encoder writes plain dicts with ASCII keys; we put all others into order."""
    assert canonical(MappingProxyType(value)) == canonical(value)
    assert canonical((value,)) == canonical([value])
