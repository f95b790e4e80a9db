"""Validates a proof against its JSON Schema, without jsonschema.

The stand-alone `conformance.py` does not contain that library.

It supports the keywords that the schema uses, with their meaning in draft 2020-12: `1.0` is an
integer, `true` is not (PB2S-A8). A test compares it with jsonschema.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.formats.schema import document


def proof_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of `pb2s_proof`, read-only. `conformance.py` contains a copy."""
    return document("pb2s_proof")


@dataclass(frozen=True, slots=True)
class ProofFault:
    """A violation of the schema: `key` is the member at fault, "" the proof itself."""

    key: str
    message: str


def proof_faults(proof: Any) -> tuple[ProofFault, ...]:
    """Return the faults of `proof`, at most one per member, in the order of the schema."""
    schema = proof_schema()
    if not isinstance(proof, dict):
        return (ProofFault("", f"`pb2s_proof` must be an object, not {kind_of_json(proof)}"),)
    return tuple(_faults(schema, proof))


def _faults(schema: Mapping[str, Any], proof: Mapping[str, Any]) -> Iterator[ProofFault]:
    for key in schema["required"]:
        if key not in proof:
            yield ProofFault(key, f"`{key}` is missing from the proof")
    for key, wanted in schema["properties"].items():
        fault = _fault(wanted, proof[key]) if key in proof else ""
        if fault:
            yield ProofFault(key, f"`{key}` {fault}")


def _fault(wanted: Mapping[str, Any], value: Any) -> str:
    if "enum" in wanted and value not in wanted["enum"]:
        return f"is {json_shown(value)}; expected {' or '.join(wanted['enum'])}"
    if wanted.get("type") == "integer":
        if not is_whole(value):
            return f"must be an integer, not {json_shown(value)}"
        if not wanted["minimum"] <= value <= wanted["maximum"]:
            return f"is {value}; expected {wanted['minimum']} to {wanted['maximum']}"
    if wanted.get("type") == "string":
        if not isinstance(value, str):
            return f"must be a string, not {json_shown(value)}"
        if len(value) < wanted["minLength"]:
            return "is empty"
    return ""


def is_whole(value: Any) -> bool:
    """Tell whether `value` is an integer in JSON Schema: `1.0` is, `true` is not."""
    if isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_MAX_SHOWN = 40


def json_shown(value: Any) -> str:
    """Return `value` for a message: a shortened scalar, or else the name of its type."""
    if isinstance(value, str):
        short = value if len(value) <= _MAX_SHOWN else value[: _MAX_SHOWN - 1] + "…"
        return '"' + "".join(c if c.isprintable() else "�" for c in short) + '"'
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, (int, float)) else kind_of_json(value)


def kind_of_json(value: Any) -> str:
    """Return the type of a JSON value in words: `an array`."""
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "an array"
    return json_shown(value)


def compact_json(value: Any) -> str:
    """Return a JSON value as text, equal values as equal texts; "" if it is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return ""
