"""Filling in prompts, and the vectors of the specification."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.dotprompt import read, render
from support.places import VECTORS

META = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
PLAIN = st.text(st.characters(exclude_characters="{}()%\r\n[]", exclude_categories=["Cs"]))
LINES = st.lists(PLAIN).map("\n".join)
NAMES = st.text("abcXYZ019_-", min_size=1)


def prompt_of(content, defaults=""):
    return read(f"{META}[DEFAULTS]\n{defaults}\n[CONTENT]\n{content}".encode())


def filled(content, **values):
    return render(prompt_of(content), values).text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("{a}", "1"),
        ("{a}{a} {b}", "11 {b}"),
        ("{{a}}", "{a}"),
        ("{{{a}}}", "{1}"),
        ("{{{{a}}}}", "{{a}}"),
        ('{{"k": {a}, "l": {{"m": {a}}}}}', '{"k": 1, "l": {"m": 1}}'),
        ("{{a}", "{1"),
        ("{a}}", "1}"),
        ("{{\n{a}\n}}", "{{\n1\n}}"),
        ("{ a } {} }{ {{}}", "{ a } {} }{ {}"),
        ("{(% c %)a}", "1"),
        ("{(% c %){a}}", "{a}"),
    ],
)
def test_braces_in_the_output(content, text):
    assert filled(content, a="1") == text


def test_a_value_beats_a_default_even_when_it_is_empty():
    prompt = prompt_of("{a}|{b}|{c}|{d}", "@a x\n@b y\n@c {d} {{z}}")
    rendering = render(prompt, {"a": "", "d": "{a}", "e": "?"})
    assert rendering.text == "|y|{d} {{z}}|{a}"
    assert (rendering.missing, rendering.unknown) == ((), ("e",))


def test_missing_names_come_in_order_of_first_use_and_defaults_are_known():
    rendering = render(prompt_of("{b}{a}{b}", "@unused 1"), {"unused": "2"})
    assert rendering.text == "{b}{a}{b}"
    assert (rendering.missing, rendering.unknown) == (("b", "a"), ())


def test_squeezing_drops_the_blank_lines_of_the_prompt_only():
    rendering = render(prompt_of("a\n\n \n{b}\n\n{c}"), {"b": "1\n\n2", "c": ""}, squeeze=True)
    assert rendering.text == "a\n1\n\n2\n"


def test_a_prompt_that_is_not_readable_is_not_rendered():
    with pytest.raises(ValueError, match="not readable"):
        render(read(b"---\n"), {})


@given(LINES.filter(lambda text: text == text.strip("\n")))
def test_text_without_marks_is_rendered_as_it_is(text):
    lines = text.split("\n")
    if lines[0].strip(" \t\f\v") and lines[-1].strip(" \t\f\v"):
        assert filled(text) == text


@given(NAMES, st.text(st.characters(exclude_categories=["Cs"])))
def test_a_value_goes_in_literally(name, value):
    assert render(prompt_of(f"<{{{name}}}>"), {name: value}).text == f"<{value}>"


@given(st.recursive(PLAIN, lambda inner: st.lists(inner).map(lambda x: f"{{{'|'.join(x)}}}")))
def test_doubled_braces_come_out_single(text):
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert filled(f"<{doubled}>") == f"<{text}>"


def test_the_vectors_hold():
    for vector in json.loads((VECTORS / "prompt.json").read_text("utf-8")):
        prompt = read(vector["file"].encode())
        text = render(prompt, vector["values"]).text if prompt.readable else None
        assert text == vector["output"], vector["id"]
