import json
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.core.classes import CLASSES, PBE_CLASSES
from psreg.formats import schema
from psreg.formats.schema import CODES

PBE_SCHEMAS = ("pbe", *PBE_CLASSES)
SCHEMAS = sorted(
    path.name.removesuffix(".schema.json")
    for path in (files("psreg.formats") / "schemas").iterdir()
    if path.name.endswith(".schema.json")
)
KEYWORDS = {
    "type", "enum", "required", "minItems", "maxItems", "minProperties", "maxProperties",
    "minLength", "maxLength", "minimum", "maximum", "uniqueItems",
}  # fmt: skip


def example(name):
    return json.loads(json.dumps(schema.document(name)["examples"][0]))


def keyword_places(rules, place=""):
    """Every (place, keyword) at which a value can violate `rules`."""
    for keyword, limit in rules.items():
        if keyword == "required":
            yield from ((f"{place}/{key}", keyword) for key in limit)
        elif keyword in KEYWORDS or (keyword == "additionalProperties" and limit is False):
            yield place, keyword
    for key, inner in rules.get("properties", {}).items():
        yield from keyword_places(inner, f"{place}/{key}")
    if "items" in rules:
        yield from keyword_places(rules["items"], f"{place}/0")
    if isinstance(rules.get("additionalProperties"), dict):
        yield from keyword_places(rules["additionalProperties"], f"{place}/any")
    for inner in rules.get("$defs", {}).values():
        yield from keyword_places(inner, f"{place}/any")


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_draft_2020_12_and_named_after_its_file(name):
    document = schema.document(name)
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"/schemas/{name}.schema.json"
    if name != "pb2s_proof":  # it is the specification's, word for word
        assert document["title"]
        assert document["description"]


@pytest.mark.parametrize("name", PBE_SCHEMAS)
def test_examples_are_valid_and_described(name):
    assert schema.violations(name, example(name)) == ()
    assert all(rules.get("description") for rules in _properties(schema.document(name)))


def _properties(rules):
    for inner in rules.get("properties", {}).values():
        yield inner
        yield from _properties(inner)
    yield from _properties(rules["items"]) if "items" in rules else ()


@pytest.mark.parametrize("name", sorted(CODES))
def test_every_keyword_belongs_to_a_rule(name):
    for place, keyword in set(keyword_places(schema.document(name))):
        path = tuple(int(x) if x.isdigit() else x for x in place.split("/")[1:])
        assert schema.code_of(name, path, keyword)


@pytest.mark.parametrize("name", sorted(CODES))
def test_only_keywords_that_psreg_has_words_for(name):
    judged = {keyword for _, keyword in keyword_places(schema.document(name))}
    assert _words_of(schema.document(name)) & set(jsonschema.Draft202012Validator.VALIDATORS) <= {
        *judged, "required", "properties", "items", "additionalProperties",
        "const", "allOf", "if", "$ref", "then",
    }  # fmt: skip


def _words_of(rules):
    inner = [*rules.get("properties", {}).values()]
    inner += [
        rules[key] for key in ("items", "additionalProperties") if isinstance(rules.get(key), dict)
    ]
    return set(rules).union(*map(_words_of, inner))


def test_unknown_key_is_named():
    found = [v for v in schema.violations("release", {"summery": "x"}) if "summery" in v.message]
    assert [(v.pointer, v.key) for v in found] == [("/summery", True)]
    assert "summary" in found[0].hint


def test_a_keyword_without_a_rule_is_a_mistake_of_ours():
    with pytest.raises(LookupError, match="'pattern' at '/x' of schema 'pbe'"):
        schema.code_of("pbe", ("x",), "pattern")


def test_every_row_of_a_pbe_is_used():
    places = {(p, k) for n in PBE_SCHEMAS for p, k in keyword_places(schema.document(n))}
    for template, keyword, _ in CODES["pbe"]:
        assert any(k == keyword and p.startswith(template) for p, k in places)


@pytest.mark.parametrize("name", PBE_CLASSES)
def test_universal_fields_are_the_same_in_every_class(name):
    universal = dict(schema.document("pbe")["properties"])
    own = dict(schema.document(name)["properties"])
    assert universal.pop("pbe_class")["enum"] == list(PBE_CLASSES)
    assert own.pop("pbe_class")["const"] == name
    assert {key: own[key] for key in universal} == universal
    assert schema.fields(name)[:4] == schema.fields("pbe")


def test_the_classes_are_listed_once_among_the_outputs():
    assert schema.document("package")["properties"]["class"]["enum"] == list(CLASSES)
    lists = {
        file.name
        for file in (files("psreg.formats") / "schemas").iterdir()
        if json.dumps(CLASSES[1]) in json.dumps(_enums(json.loads(file.read_bytes())))
    }
    assert lists == {"package.schema.json", "pbe.schema.json"}


def _enums(value):
    """Return every list of allowed values in a schema."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    found = [value["enum"]] if isinstance(value, dict) and "enum" in value else []
    return found + [enum for item in inner for enum in _enums(item)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(deadline=None)
@given(st.sampled_from(PBE_CLASSES), st.data())
def test_editors_and_psreg_agree(name, data):
    """The dispatching schema finds exactly what the schema chosen in Python finds."""
    value = example(name)
    at, key = value, data.draw(st.sampled_from(sorted(set(value) - {"pbe_class"})))
    while isinstance(at[key], dict) and data.draw(st.booleans()):
        at, key = at[key], data.draw(st.sampled_from(sorted(at[key])))
        if isinstance(at[key], list) and data.draw(st.booleans()):
            at, key = at[key], 0
    if data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = data.draw(JSON)
    both = (schema.violations("pbe", value), schema.violations(name, value))
    dispatched, chosen = ({replace(one, hint="") for one in found} for found in both)
    assert dispatched == chosen


def test_missing_key_points_at_its_parent():
    value = example("interactive_engine")
    del value["facilitator_techniques"]["techniques"][0]["example"]
    (violation,) = schema.violations("interactive_engine", value)
    assert violation.code == "PBE011"
    assert violation.pointer == "/facilitator_techniques/techniques/0"
    assert violation.message == "`facilitator_techniques.techniques[0].example` is missing"
    assert violation.hint.startswith("Write: words the assistant could really say")
    assert violation.key


def test_missing_keys_of_one_object_are_all_named_once():
    found = schema.violations("stateless_executor", {})
    assert [v.message.split("`")[1] for v in found] == [
        "pbe_name", "pbe_version", "pbe_class", "install_instructions", "execution",
    ]  # fmt: skip
    assert [v.code for v in found] == ["PBE003"] * 4 + ["PBE008"]


def test_value_outside_an_enum_is_shown():
    (violation,) = schema.violations("pbe", {**example("pbe"), "pbe_class": "quiz"})
    assert violation.message.startswith(
        '`pbe_class` is "quiz"; allowed values are stateless_executor, '
    )
    found = schema.violations("release", {"capabilities": ["network", 5]})
    assert any("`capabilities[1]` is a number; allowed values are" in v.message for v in found)


def test_wrong_type_is_not_judged_further():
    assert [v.code for v in schema.violations("pbe", {**example("pbe"), "pbe_class": 1})] == [
        "PBE021"
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1, "a number"),
        (1.5, "a number"),
        (True, "true"),
        (None, "null"),
        ([], "a list"),
        ({}, "an object"),
    ],
)
def test_kinds_of_values(value, words):
    (violation,) = schema.violations("pbe", {**example("pbe"), "pbe_name": value})
    assert violation.message == f"`pbe_name` must be a string, not {words}"
    assert schema.kind("x") == "a string"


def test_a_flood_of_violations_is_cut_off():
    value = example("interactive_engine")
    value["facilitator_techniques"]["techniques"] = [{}] * 100_000
    assert len(schema.violations("interactive_engine", value)) <= 3 * schema.MAX_VIOLATIONS


def test_strings_are_those_the_schema_names():
    value = example("stateless_executor") | {"extra": "no"}
    value["execution"] = {"primary_goal": "", "behavior": 1, "other": "no"}
    found = dict(schema.strings("stateless_executor", value))
    assert "/pbe_name" in found
    assert found["/execution/primary_goal"] == ""
    assert not {"/extra", "/execution/behavior", "/execution/other", "/pbe_class"} & set(found)
    engine = dict(schema.strings("interactive_engine", example("interactive_engine")))
    assert engine["/save_system/trigger_phrases/0"] == "save game"
    assert "/game_structure/phases/1/name" in engine
    assert list(schema.strings("stateless_executor", [])) == []


def test_no_such_schema():
    with pytest.raises(FileNotFoundError):
        schema.document("nonsense")


def test_jsonschema_is_imported_only_when_something_is_judged():
    script = (
        "import sys; from psreg.formats import pbe; p = pbe.read(b'{}'); p.name;"
        "assert 'jsonschema' not in sys.modules; p.violations; assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
