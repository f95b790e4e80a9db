"""A proof is judged as its schema says, and the schema is the specification's."""

import json
import re
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from psreg.protocols.pb2s.proof import (
    compact_json,
    json_shown,
    kind_of_json,
    proof_faults,
    proof_schema,
)
from support.paths import beside

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.floats()
    | st.sampled_from(["", "APPROVE", "CLARIFY", "DENY", "run-1"])
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
PROOFS = VALUES | st.dictionaries(st.sampled_from(["decision", "cycles", "audit_ref", "x"]), VALUES)


@given(PROOFS)
@example({"decision": "APPROVE", "cycles": 1.0, "audit_ref": "r"})
@example({"decision": "APPROVE", "cycles": True, "audit_ref": "r"})
@example({"decision": "CLARIFY", "cycles": 2, "audit_ref": "r", "more": [1]})
def test_it_agrees_with_a_validator(value):
    errors = list(Draft202012Validator(proof_schema()).iter_errors(value))
    assert bool(proof_faults(value)) is bool(errors)


def test_the_schema_uses_no_keyword_that_is_not_judged():
    known = {"$schema", "$id", "type", "required", "properties", "additionalProperties"}
    schema = dict(proof_schema())
    assert set(schema) == known
    assert schema["additionalProperties"] is True
    keywords = {key for row in schema["properties"].values() for key in row}
    assert keywords == {"enum", "type", "minimum", "maximum", "minLength"}


def test_the_schema_is_that_of_the_specification():
    text = beside("specs/pb2s-0.2.md").read_text()
    fence = re.search(r'```json\n(\{\s*"\$schema".*?)```', text, re.DOTALL)
    theirs = json.loads(fence[1])
    ours = json.loads((files("psreg.formats") / "schemas/pb2s_proof.schema.json").read_bytes())
    assert ours.pop("$id") == "/schemas/pb2s_proof.schema.json"
    assert theirs.pop("$id").endswith("/schemas/pb2s_proof.schema.json")
    assert ours == theirs


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("a\x1bb", '"a�b"'),
        ("a" * 50, f'"{"a" * 39}…"'),
        ([1], "an array"),
        ({}, "an object"),
    ],
)
def test_values_are_shown_in_short(value, shown):
    assert json_shown(value) == shown


def test_kinds_have_names():
    assert [kind_of_json(v) for v in ("a", [], {}, None)] == [
        "a string",
        "an array",
        "an object",
        "null",
    ]


def test_what_is_nested_too_deep_is_no_text():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert compact_json(deep) == ""
    assert compact_json({"b": 1, "a": "é"}) == '{"a": "é", "b": 1}'
