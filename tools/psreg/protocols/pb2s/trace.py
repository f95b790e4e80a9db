"""The trace log of an endpoint: its records, and which record belongs to which exchange."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

TRACE_KEYS = ("timestamp", "model_id", "prompt_hash", "pb2s_proof")
"""The members of a record (PB2S-A14)."""


def prompt_hash(message: str) -> str:
    """Return the digest that identifies a message in a record: SHA-256 in hexadecimal."""
    return hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()


def trace_records(text: str) -> list[Any]:
    """Return the records of a log, one per line; a line that is not JSON is returned as a string.

    A line in which an object has a key twice is not JSON. Blank lines and a byte order mark are
    skipped.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    return [_record(line) for line in lines if line.strip()]


def _record(line: str) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return line


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def matched(exchanges: Sequence[dict[str, Any]], records: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the exchanges, each with its record as `trace` if there is one.

    A log may contain older runs. A record is matched by its reference, or else by the digest of
    the message, latest first, or else by its position counted from the end.
    """
    free = list(range(len(records)))[::-1]
    traces: dict[int, Any] = {}
    for fits in (_same_reference, _same_message):
        for number, exchange in list(enumerate(exchanges))[::-1]:
            found = next((at for at in free if fits(exchange, records[at])), None)
            if number not in traces and found is not None:
                traces[number] = records[found]
                free.remove(found)
    for number in range(len(exchanges)):
        at = len(records) - len(exchanges) + number
        if number not in traces and at in free:
            traces[number] = records[at]
    return [
        {**exchange, "trace": traces[number]} if number in traces else exchange
        for number, exchange in enumerate(exchanges)
    ]


def _same_reference(exchange: dict[str, Any], record: Any) -> bool:
    reference = _member(exchange.get("pb2s_proof"), "audit_ref")
    return isinstance(reference, str) and reference == _member(
        _member(record, "pb2s_proof"), "audit_ref"
    )


def _same_message(exchange: dict[str, Any], record: Any) -> bool:
    digest = _member(record, "prompt_hash")
    return isinstance(digest, str) and bare_digest(digest) == prompt_hash(exchange["message"])


def bare_digest(digest: str) -> str:
    """Return a digest in lower case, without the name of its algorithm."""
    return digest.strip().lower().removeprefix("sha256:")


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
