"""Judges a proof by its JSON Schema, without jsonschema: `conformance.py` has none.

It knows the few keywords that the schema uses, with their meaning in draft 2020-12: `1.0` is a
whole number and `true` is none (READINGS PB2S-A8). A test holds it to jsonschema's answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.protocols.pb2s.proof_schema import proof_schema


@dataclass(frozen=True, slots=True)
class ProofFault:
    """What the schema has against a proof: `key` is the member at fault, "" the proof itself."""

    key: str
    message: str


def proof_faults(proof: Any) -> tuple[ProofFault, ...]:
    """Return what is wrong with `proof`, at most one fault a member, in the schema's order."""
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
        return f"is {json_shown(value)}; allowed are {' and '.join(wanted['enum'])}"
    if wanted.get("type") == "integer":
        if not is_whole(value):
            return f"must be a whole number, not {json_shown(value)}"
        if not wanted["minimum"] <= value <= wanted["maximum"]:
            return f"is {value}; it goes from {wanted['minimum']} to {wanted['maximum']}"
    if wanted.get("type") == "string":
        if not isinstance(value, str):
            return f"must be a text, not {json_shown(value)}"
        if len(value) < wanted["minLength"]:
            return "is empty"
    return ""


def is_whole(value: Any) -> bool:
    """Tell whether JSON Schema takes `value` for an integer: `1.0` too, but not `true`."""
    if isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_LONGEST = 40


def json_shown(value: Any) -> str:
    """Return `value` for a message: itself in short where it is simple, else what it is."""
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
        return '"' + "".join(c if c.isprintable() else "�" for c in short) + '"'
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, (int, float)) else kind_of_json(value)


def kind_of_json(value: Any) -> str:
    """Return what a JSON value is, in words: `a list`."""
    if isinstance(value, str):
        return "a text"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json_shown(value)


def compact_json(value: Any) -> str:
    """Return a JSON value as text, equal values as equal texts; "" for one nested too deep."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return ""
