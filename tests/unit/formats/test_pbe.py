import json

import pytest

from psreg.formats import pbe, schema

ENGINE = schema.document("interactive_engine")["examples"][0]


def read(value):
    return pbe.read(json.dumps(value).encode())


def test_reads_what_is_there():
    document = read(ENGINE)
    assert document.name == "two_guesses"
    assert document.version == "1.0.0"
    assert document.pbe_class == document.schema_name == "interactive_engine"
    assert document.value == ENGINE
    assert document.violations == ()
    assert document.get("save_system", "save_template", "two_guesses_save", "low") == 1
    assert document.text("start_play", "instruction").startswith("I have")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"\xff", b"{", b'"pbe_name"'])
def test_answers_for_any_input(data):
    document = pbe.read(data)
    assert not document.is_object
    assert document.value == {}
    assert document.name is document.version is document.pbe_class is None
    assert document.schema_name == "pbe"
    assert document.violations == ()
    assert list(document.strings) == []


def test_wrong_types_are_none():
    document = read({"pbe_name": 1, "pbe_version": ["1.0.0"], "pbe_class": {}})
    assert document.name is document.version is document.pbe_class is None
    assert document.get("pbe_version", "x") is None
    assert document.text("pbe_version") is None


def test_unknown_class_is_judged_by_the_universal_fields():
    document = read({"pbe_class": "quiz"})
    assert document.schema_name == "pbe"
    assert sorted({v.code for v in document.violations}) == ["PBE003", "PBE007"]


def test_standard_instructions_are_the_example_of_the_schemas():
    assert ENGINE["install_instructions"] == pbe.STANDARD_INSTRUCTIONS
