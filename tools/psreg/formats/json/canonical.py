"""Canonical JSON: one value, one sequence of bytes (RFC 8785 without floats).

Members are sorted by UTF-16 code units, escapes are minimal, no blanks. Floats are refused, not
formatted: two languages seldom agree on them, and no psreg document needs one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

MAX_INTEGER = 2**53 - 1
"""The largest integer all JSON readers keep exactly (RFC 8785 §3.2.2.3)."""


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of `value` as UTF-8.

    Mappings may be any `Mapping` with string keys, sequences lists or tuples.

    Raises:
        ValueError: a float, an integer beyond ±(2^53-1), a lone surrogate, a key that is not a
            string, or a type JSON does not have.
    """
    if _is_plain(value):
        return _SORTED.encode(value).encode()
    return _TO_JSON.encode(_ordered(value)).encode()


_TO_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_SORTED = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), check_circular=False, sort_keys=True
)


def _is_plain(value: Any) -> bool:
    """Tell whether a value has a canonical form that the encoder of Python writes, too.

    Nearly all have: dicts with ASCII keys, which it sorts as RFC 8785 does, lists and no floats.
    """
    values = [value]
    for each in values:  # grows by what is in it
        kind = type(each)
        if kind is str:
            continue
        if kind is dict:
            try:
                if not "".join(each).isascii():
                    return False
            except TypeError:
                return False
            values += each.values()
        elif kind is list:
            values += each
        elif kind is int:
            if not -MAX_INTEGER <= each <= MAX_INTEGER:
                return False
        elif kind is not bool and each is not None:
            return False
    return True


def _ordered(value: Any) -> Any:
    """Return `value` as plain dicts in canonical order; refuse values without a canonical form."""
    kind = type(value)  # quickly told; what is only like one of these comes below
    if kind is str or value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise ValueError(f"the integer {value} has no exact form in JSON")
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in _in_order(value)}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    raise ValueError(f"{kind.__name__} has no canonical JSON form")


def _in_order(names: Iterable[str]) -> list[str]:
    try:
        ascii_only = "".join(names).isascii()
    except TypeError as error:
        raise ValueError("a member name is not a string") from error
    # NOTE: for ASCII, which nearly every name is, both orders agree; big endian keeps it so.
    return sorted(names) if ascii_only else sorted(names, key=_utf16)


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be")
