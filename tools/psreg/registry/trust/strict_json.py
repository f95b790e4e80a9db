"""Refuses JSON that two readers could understand differently, before anything trusts it.

python-tuf, like most readers, uses the last of two equal keys, and the signature is over the parsed
value. Signed bytes that two programs could read differently are refused here, so that the bytes
themselves are not malleable.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from psreg.core.errors import TrustError

MAX_DEPTH = 32
"""The maximum depth of nested arrays and objects in metadata and records."""

_TOO_DEEP = f"arrays and objects are nested deeper than {MAX_DEPTH}"

MAX_INTEGER = 2**53 - 1
"""The largest magnitude that every JSON reader keeps exactly (RFC 7493 §2.2)."""


def strict_json(data: bytes) -> None:
    """Check that `data` is one JSON value that every reader understands alike (RFC 7493).

    Raises:
        TrustError: TRUST_METADATA; not UTF-8, not JSON, a key twice in one object, a number
            with a fraction or exponent, an integer beyond 2**53 - 1, a lone surrogate, or
            arrays and objects nested deeper than 32.
    """
    strict_value(data)


def strict_value(data: bytes) -> Any:
    """Return the value in `data`; refuses what `strict_json` refuses."""
    try:
        text = data.decode("utf-8")
        value = _DECODER.decode(text)
        _measure(value)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate has no UTF-8
    except (ValueError, RecursionError) as error:
        why = _TOO_DEEP if isinstance(error, RecursionError) else error
        raise TrustError("TRUST_METADATA", f"signed data is not plain JSON: {why}") from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("an object has the same key twice")
    return result


def _integer(text: str) -> int:
    # NOTE: int() refuses 4300 digits by itself, but only after reading them; 17 are enough.
    if len(text) > len(f"-{MAX_INTEGER}") or abs(int(text)) > MAX_INTEGER:
        raise ValueError("an integer is too large")
    return int(text)


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"a number is not an integer: {text[:20]}")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_no_float,
    parse_constant=_no_float,
)


def _measure(value: Any) -> None:
    """Refuse a value nested deeper than MAX_DEPTH; level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return
    if any(isinstance(value, dict | list) for value in level):
        raise ValueError(_TOO_DEEP)


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
