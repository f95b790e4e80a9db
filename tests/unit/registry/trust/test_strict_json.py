"""Signed bytes that two readers could understand differently are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.errors import TrustError
from psreg.registry.trust.strict_json import MAX_DEPTH, MAX_INTEGER, strict_json, strict_value


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    "data",
    [
        b'{"version": 999, "version": 1}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": 1, "\\u0061": 2}',
        b"1.0",
        b"1e3",
        b"NaN",
        b"-Infinity",
        b'"\\ud800"',
        b'{"\\udc00": 1}',
        b'"\xff"',
        b"\xef\xbb\xbf{}",
        b"",
        b"{} {}",
        b"{'a': 1}",
        b'"a\nb"',
        str(MAX_INTEGER + 1).encode(),
        str(-MAX_INTEGER - 1).encode(),
        b"9" * 6000,
        nested(MAX_DEPTH + 1),
        nested(8000),
        nested(500_000),
        b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1),
    ],
)
def test_refuses(data: bytes) -> None:
    with pytest.raises(TrustError) as caught:
        strict_json(data)
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500_000])
def test_says_how_deep_is_too_deep(depth: int) -> None:
    with pytest.raises(TrustError, match=f"nested deeper than {MAX_DEPTH}$"):
        strict_json(nested(depth))


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b' [1, -2, true, null, "\\ud83d\\ude00"] ',
        "{'é': 1}".replace("'", '"').encode(),
        str(MAX_INTEGER).encode(),
        str(-MAX_INTEGER).encode(),
        nested(MAX_DEPTH),
        b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH,
    ],
)
def test_lets_pass(data: bytes) -> None:
    strict_json(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_returns_what_json_says(value: object) -> None:
    assert strict_value(json.dumps(value).encode()) == value


@given(st.binary(max_size=60))
def test_never_fails_otherwise(data: bytes) -> None:
    try:
        strict_json(data)
    except TrustError as error:
        assert error.exit_code == 3  # noqa: PT017
