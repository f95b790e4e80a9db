"""Templates and messages of other programs: variables stay, roles are lines, logic is refused."""

import json
from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import Refused

HEAD = "---\nmodel: x\ninput:\n  default: {name: you, number: 3}\n---\n"
PROMPTY = """---
name: Greeting
description: Greets people who come in.
inputs:
  name: {type: string, default: you}
  place: {type: string}
---
system:
You greet {people}.

user:
Greet {{name}} in {{ place }}.
"""


def found_in(**files):
    made = {PurePosixPath(path.replace("__", "/")): data.encode() for path, data in files.items()}
    return list(prompts_in(made, {}, lambda _: True, is_alone=False))


def of(path, text):
    (found,) = found_in(**{path: text})
    return found


def test_a_dotprompt_keeps_its_variables_defaults_and_roles():
    body = "{{role \"system\"}}\nBe kind.\n{{role 'model'}}Hello {{ name }}, {{{number}}} {{open}} {x}.\n"
    found = of("greet.prompt", HEAD + body)
    assert found.title == "greet"
    assert found.text == "system:\nBe kind.\n\nassistant:\nHello {name}, {number} {open} {x}."
    assert found.variables == {"name": "you", "number": "3", "open": None}
    assert found.roles == ("system", "assistant")
    assert found.lost == ("model",)


LOGIC = (
    "{{#if a}}", "{{/if}}", "{{else}}", "{{> part}}", "{{helper a}}", "{{a.b}}", "{{@x}}",
    "{{media url=a}}", "{{ a | upper }}", "{{true}}", "{{", "{{{",
)  # fmt: skip
HELPERS = ("{{history}}", "{{role}}", "{{ json }}", "{{{this}}}", "{{lookup}}", r"\\{{name}}")
STATEMENTS = (
    "{% if a %}",
    "{#- note",
    "{{ self }}",
    "{{ first-name }}",
    "{{{name}}}",
    "{{ 'a\\n' }}",
)


@pytest.mark.parametrize(
    ("path", "logic"),
    [
        *(("a.prompt", each) for each in (*LOGIC, *HELPERS)),
        *(("a.prompty", each) for each in (*LOGIC, *STATEMENTS)),
    ],
)
def test_logic_is_refused_by_name(path, logic):
    refused = of(path, f"{HEAD}Say {logic} it, {{{{name}}}}.")
    assert isinstance(refused, Refused)
    assert refused.reason.startswith(f"it has `{logic.lstrip(chr(92))}")


@pytest.mark.parametrize(
    ("path", "text", "read"),
    [
        ("a.prompt", r"{% if %} {# a #} \{{name}} and {{name}}", "{% if %} {# a #} {{name}} and {name_2}"),
        ("a.prompt", "{{each-one}} {{{name}}}}", "{each-one} {name}}"),
        ("a.prompty", """{{ "{" }}{{ name }} {{ '{%' }} {# no #}.""", "{{name} {% ."),
        ("a.prompty", '{{ history }}{{ "" }}{{ x }}', "{history}{x}"),
    ],
)  # fmt: skip
def test_literal_braces_of_a_template(path, text, read):
    found = of(path, f"---\nname: a\n---\n{text}")
    assert found.text == read
    assert found.lost == ("comments",) * ("{# no #}" in text)


def test_own_variables_of_an_export_are_text():
    head = 'input:\n  schema:\n    psreg_brace?: string\n  default: {psreg_brace: "{", psreg_end: "\\n"}'
    found = of("a.prompt", f"---\n{head}\n---\nSay {{{{{{psreg_brace}}}}}}x}}{{{{{{psreg_end}}}}}}")
    assert (found.text, found.variables, found.lost) == ("Say {x}", {}, ())


@pytest.mark.parametrize(
    ("default", "kept"),
    [
        ("text", "text"), ('"yes"', "yes"), ("3", "3"), ("-2.5", "-2.5"), ("0", "0"), ("0.25", "0.25"),
        ("1.10", None), ("1.0", None), ("1e3", "1e3"), ("-0", None), ("yes", None), ("2020-01-01", None),
        ("[a, b]", None), ("{a: b}", None), ('"a\\nb"', None), ('" a"', None), ("0x10", None),
    ],
)  # fmt: skip
def test_a_default_is_what_its_program_fills_in(default, kept):
    google = f"---\ninput:\n  default:\n    x: {default}\n---\nSay {{{{x}}}}."
    prompty = (
        f"---\ninputs:\n  - {{name: x, kind: string, default: {default}}}\n---\nSay {{{{x}}}}."
    )
    for path, text, where in (("a.prompt", google, "input"), ("a.prompty", prompty, "inputs")):
        found = of(path, text)
        assert found.variables == {"x": kept}
        assert found.lost == (f"{where}.default.x",) * (kept is None)


@pytest.mark.parametrize("nothing", ["null", "~", "", "NULL"])
def test_null_is_not_a_default(nothing):
    found = of("a.prompt", f"---\ninput:\n  default:\n    x: {nothing}\n---\nSay {{{{x}}}}.")
    assert (found.variables, found.lost) == ({"x": None}, ())


INPUTS = """---
input:
  allowed: [1]
  default: {a: x, z: y}
  schema:
    "d?": string
    "a?": string
    b: number
    c: string
---
{{a}} {{b}} {{d}}
"""
INPUTS_OF_PROMPTY = """---
inputs:
  a: {description: Who., type: string, sample: Ana}
  b: x
  c:
    kind: string
    required: true
    default: ${env:HOME}
---
{{ a }} {{ c }}
"""


def test_what_is_said_about_inputs_is_lost_by_name():
    names = ("default.z", "allowed", "schema.d", "schema.b", "schema.c")
    assert of("a.prompt", INPUTS).lost == tuple(f"input.{name}" for name in names)
    assert of("a.prompt", "---\ninput: {schema: Recipe}\n---\nx").lost == ("input.schema",)
    names = ("default.c", "a.description", "a.sample", "b", "b.value")
    found = of("a.prompty", INPUTS_OF_PROMPTY)
    assert found.lost == tuple(f"inputs.{name}" for name in names)


@pytest.mark.parametrize(
    ("text", "said", "roles"),
    [
        ("Be kind.", "Be kind.", ("system",)),
        ("# User :\n\nHi {{x}}.", "Hi {x}.", ("user",)),
        ("user:\n\nSYSTEM:\nHi.", "Hi.", ("system",)),
        ("Be kind.\n  developer:\nHi.", "system:\nBe kind.\n\ndeveloper:\nHi.", ("system", "developer")),
        ("tool:\nHi.", "tool:\nHi.", ("system",)),
    ],
)  # fmt: skip
def test_messages_of_a_prompty(text, said, roles):
    found = of("a.prompty", f"---\nname: a\n---\n{text}\n")
    assert (found.text, found.roles, found.lost) == (said, roles, ())


@pytest.mark.parametrize("line", ['system[a=""{} x', "{}x", "user{}x", 'user[a=b{} ,x"', "#{}x"])
def test_no_line_of_a_prompty_takes_long(line):
    line = line.format(" " * 400_000)
    assert of("a.prompty", f"---\nname: a\n---\nHi.\n{line}\n.").text == f"Hi.\n{line}\n."


def test_what_a_prompty_says_about_roles_and_its_language():
    found = of(
        "a.prompty",
        "---\nname: a\ntemplate: {format: {kind: mustache}}\n---\n"
        'user[name="Al"]:\n{%x%} {{first-name}}',
    )
    assert (found.text, found.roles) == ("{%x%} {first-name}", ("user",))
    assert found.lost == ("template", '[name="Al"]')
    own = (
        "---\nname: a\ntemplate: {format: {kind: jinja2}, parser: {kind: prompty}}\n---\nuser:\nHi."
    )
    assert of("a.prompty", own).lost == ()


def test_a_prompty_is_read():
    found = of("greet.prompty", PROMPTY)
    assert (found.title, found.summary) == ("Greeting", "Greets people who come in.")
    assert found.text.endswith("user:\nGreet {name} in {place}.")
    assert found.text.startswith("system:\nYou greet {people}.\n")
    assert found.variables == {"name": "you", "place": None}


def test_a_file_of_psreg_is_not_a_template():
    assert of("a.prompt", "[METADATA]\n@a {{x}}\n[CONTENT]\nx\n").text == "x"
    refused = of("b.prompt", "---\n- a\n---\nx")
    assert refused.reason == "its front matter is not a mapping"


@pytest.mark.parametrize(
    "config",
    [
        {"input_variables": [{"name": "style", "default": "short"}, {"name": "input"}, 1]},
        {"input": {"parameters": [{"name": "style", "defaultValue": "short"}]}},
    ],
)
def test_a_function_of_semantic_kernel(config):
    config |= {"description": "Summarizes what it is given.", "schema": 1}
    found = of_kernel(json.dumps(config))
    assert (found.title, found.summary) == ("Summarize", "Summarizes what it is given.")
    assert found.text == "In a {style} way: {input} {x}"
    assert found.variables == {"style": "short", "input": None}
    assert found.lost[-2:] == ("schema", "notes.txt")
    assert found.sha256 != of_kernel(json.dumps(config | {"schema": 2})).sha256


def of_kernel(config, text="In a {{$style}} way: {{ $input }} {x}\n"):
    files = {
        "plugins__Summarize__skprompt.txt": text,
        "plugins__Summarize__config.json": config,
        "plugins__Summarize__notes.txt": "",
    }
    (found,) = found_in(**files)
    return found


def test_odd_defaults_of_semantic_kernel_are_lost():
    rows = [{"name": "style", "default": ["a"]}, {"name": "input", "default": "a\nb"}]
    found = of_kernel(json.dumps({"input_variables": rows}))
    assert found.variables == {"style": None, "input": None}
    assert found.lost[-3:] == ("default.style", "default.input", "notes.txt")


@pytest.mark.parametrize("config", ["{}", "[]", '{"input": 1}', '{"input_variables": 1}'])
def test_odd_configurations_have_no_defaults(config):
    assert of_kernel(config).variables == {"style": None, "input": None}


def test_what_a_function_calls_is_refused():
    refused = of_kernel("{}", "{{time.now}} {{$input}}")
    assert refused.reason == "it has `{{time.now}}`, which a `.prompt` cannot do"
    assert of_kernel("{").reason == "its config.json is not valid JSON"
    (alone,) = found_in(**{"F__skprompt.txt": "{{$a}}"})
    assert (alone.title, alone.text) == ("F", "{a}")


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello {x}.\n"}],
        {
            "model": "m",
            "system": [{"type": "text", "text": "Be "}, {"type": "text", "text": "kind."}],
            "messages": [{"role": "user", "content": "Hello {x}."}],
        },
    ],
)
def test_messages_keep_their_roles(document):
    found = of("a.json", json.dumps(document))
    assert found.text == "system:\nBe kind.\n\nuser:\nHello {x}."
    assert found.roles == ("system", "user")
    assert found.lost == (("model",) if isinstance(document, dict) else ())


def test_what_messages_say_besides_is_lost_by_name():
    rows = [
        {"role": "user", "content": "Hi.", "name": "Al", "refusal": None, "tool_calls": []},
        {"role": "assistant", "content": "Yes.", "function_call": {"name": "f"}},
        {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "e"}}]},
    ]  # fmt: skip
    system = [{"type": "text", "text": "Be kind.", "citations": ["x"]}]
    found = of("a.json", json.dumps({"system": system, "messages": rows}))
    assert found.lost == (
        "messages.content.citations", "messages.name", "messages.function_call",
        "messages.content.cache_control",
    )  # fmt: skip


@pytest.mark.parametrize("role", ["user", "system"])
def test_one_message_is_the_text(role):
    found = of("a.json", json.dumps({"messages": [{"role": role, "content": "Hello."}]}))
    assert (found.text, found.roles) == ("Hello.", (role,))


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "image_url", "image_url": {}}]},
        {"role": "user", "content": None},
        {"role": "assistant", "content": "x", "tool_calls": [{}]},
        {"role": "user", "content": ["x"]},
    ],
)
def test_what_is_no_text_is_refused(message):
    assert of("a.json", json.dumps([message])).reason.startswith("a message has something else")


@pytest.mark.parametrize(
    "text",
    [
        '{"role"', '{"role": "x"}', '["role", {"role": 1}]', '[{"role": 1}]', '{"messages": ["role"]}',
        '{"messages": [], "a": "role"}', "[" * 100_000 + '"role"', '{"name": "x"}',
    ],
)  # fmt: skip
def test_other_json_is_left_out(text):
    assert found_in(**{"a.json": text}) == []
