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
    assert found.text == "system:\nBe kind.\nassistant:\nHello {name}, {number} {open} {x}."
    assert found.variables == {"name": "you", "number": "3", "open": None}
    assert found.lost == ("model", "input")


@pytest.mark.parametrize(
    "logic",
    [
        "{{#if a}}", "{{/if}}", "{{else}}", "{{> part}}", "{{helper a}}", "{{a.b}}", "{{@x}}",
        "{{history}}", "{{media url=a}}", "{% if a %}", "{# note #}", "{{ a | upper }}",
        "{{",
    ],
)  # fmt: skip
def test_logic_is_refused_by_name(logic):
    for path in ("a.prompt", "a.prompty"):
        refused = of(path, f"{HEAD}Say {logic} it, {{{{name}}}}.")
        assert isinstance(refused, Refused)
        assert refused.reason.startswith(f"it has `{logic}")


def test_a_prompty_is_read():
    found = of("greet.prompty", PROMPTY)
    assert (found.title, found.summary) == ("Greeting", "Greets people who come in.")
    assert found.text.endswith("user:\nGreet {name} in {place}.")
    assert found.text.startswith("system:\nYou greet {people}.\n")
    assert found.variables == {"name": "you", "place": None}


def test_a_file_of_psreg_is_not_a_template():
    assert found_in(**{"a.prompt": "[METADATA]\n[CONTENT]\nx\n"}) == []
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
    assert found.lost == (("model",) if isinstance(document, dict) else ())


def test_one_message_is_the_text():
    assert of("a.json", '{"messages": [{"role": "user", "content": "Hello."}]}').text == "Hello."


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
