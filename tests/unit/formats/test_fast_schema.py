"""psreg[fast]: jsonschema-rs may say yes, and says it only where jsonschema does."""

import json
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from psreg.core.classes import PBE_CLASSES
from psreg.formats import schema
from psreg.formats.schema import CODES

NAMES = sorted(CODES)
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**40, 2**64, -0.0, 1.0, 3.0, 1e400])
TEXTS = st.text(st.characters(), max_size=4) | st.sampled_from(["\ud800", "é" * 200, "\U0001f600"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def documents(draw):
    """A valid document of one schema, with up to three places changed, dropped, doubled or new."""
    name = draw(st.sampled_from(NAMES))
    value = json.loads(json.dumps(schema.document(name)["examples"][0]))
    for _ in range(draw(st.integers(0, 3))):
        _change(draw, value)
    return name, value


def _change(draw, value):
    at = value
    while True:
        keys = sorted(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or draw(st.integers(0, 2)) == 0:
            break
        at = at[key]
    match draw(st.sampled_from(["change", "drop", "double", "new"])):
        case "change":
            at[key] = draw(VALUES)
        case "drop":
            del at[key]
        case "double" if isinstance(at, list):
            at.extend([at[key]] * draw(st.integers(1, 12)))
        case "new" if isinstance(at, dict):
            at[draw(TEXTS)] = draw(VALUES)


@settings(deadline=None, max_examples=400)
@given(documents())
def test_both_validators_agree(case):
    name, value = case
    rust = pytest.importorskip("jsonschema_rs", reason="jsonschema-rs (psreg[fast]) is not here")
    fast = schema._fast_validator(name)
    assert isinstance(fast, rust.Draft202012Validator)
    try:
        answer = fast.is_valid(value)
    except ValueError:
        return  # what Rust cannot read, jsonschema judges
    if answer or not _beyond_json(value):
        assert answer == schema._validator(name).is_valid(value)


def _beyond_json(value):
    """Tell whether a value holds what no JSON file can: NaN or an infinity."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return True
    return False


@settings(deadline=None, max_examples=100)
@given(documents())
def test_violations_are_those_of_jsonschema(case):
    name, value = case
    assume(name not in PBE_CLASSES or value.get("pbe_class") == name)  # the class chose the schema
    assert (schema.violations(name, value) == ()) == schema._validator(name).is_valid(value)


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_document_needs_no_jsonschema(name):
    pytest.importorskip("jsonschema_rs", reason="jsonschema-rs (psreg[fast]) is not here")
    script = (
        "import sys; from psreg.formats import schema as s;"
        f"assert s.violations({name!r}, s.document({name!r})['examples'][0]) == ();"
        "assert 'jsonschema' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_the_extra_jsonschema_judges(monkeypatch):
    value = {**schema.document("pbe")["examples"][0], "pbe_version": 1}
    wanted = schema.violations("pbe", value)
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    schema._fast_validator.cache_clear()
    try:
        assert schema._fast_validator("pbe") is None
        assert schema.violations("pbe", value) == wanted != ()
    finally:
        schema._fast_validator.cache_clear()


def test_a_lone_surrogate_is_left_to_jsonschema():
    value = {**schema.document("release")["examples"][0], "summary": "\ud800"}
    assert [v.code for v in schema.violations("release", value)] == ["REG008"]  # too short
    value["summary"] = "\ud800" * 30
    assert schema.violations("release", value) == ()


def test_what_rust_has_no_type_for_is_left_to_jsonschema():
    value = {**schema.document("release")["examples"][0], "summary": b"no JSON"}
    assert [v.pointer for v in schema.violations("release", value)] == ["/summary"]
