"""Prompts of promptfoo: texts, objects, files of the source, and what is refused by name."""

import json
from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import Refused

CONFIG = """description: Greetings
providers: [openai:gpt-4o]
prompts:
  - "Greet {{name}} in {{ place }}. {x}"
  - file://prompts/texts.txt
  - {id: file://prompts/chat.json, label: Chat, config: {temperature: 1}}
  - {raw: 'Say {{name}}.', id: say, label: Say it}
  - {raw: '{# why #}{{a}}', id: say}
  - |-
    - role: system
      content: Be kind to {{name}}.
    - role: user
      content: Hi.
defaultTest:
  vars: {name: you, lines: "a\\nb", other: "{{name}}", from: "file://x.txt", a: ["b"]}
  assert: [{type: equals}]
tests:
  - vars: {name: me}
"""
TEXTS = "First {{name}}.\n---\n\n ---\nSecond.\n"
CHAT = '[{"role": "system", "content": "Be {{how}}."}, {"role": "user", "content": "Hi."}]'
FILES = {"p/prompts/texts.txt": TEXTS, "p/prompts/chat.json": CHAT}


def found_in(config, path="p/promptfooconfig.yaml", **files):
    made = {**{name.replace("__", "/"): text for name, text in files.items()}, path: config}
    source = {PurePosixPath(name): text.encode() for name, text in made.items()}
    return list(prompts_in(source, {}, lambda each: each == path, is_alone=False))


def of(*prompts, path="p/promptfooconfig.json", **files):
    config = json.dumps({"prompts": [*prompts], "providers": ["echo"]})
    return found_in(config, path, **files)


def test_a_configuration_has_several_prompts():
    files = {name.replace("/", "__"): text for name, text in FILES.items()}
    rows = found_in(CONFIG, **files)
    assert [row.path.partition("#")[2] for row in rows] == [
        "prompt", "texts", "texts (2)", "Chat", "Say it", "say", "prompt (2)",
    ]  # fmt: skip
    assert [row.title for row in rows] == ["", "texts", "texts", "Chat", "Say it", "say", ""]
    assert [row.text for row in rows] == [
        "Greet {name} in {place}. {x}",
        "First {name}.",
        "Second.",
        "system:\nBe {how}.\n\nuser:\nHi.",
        "Say {name}.",
        "{a}",
        "system:\nBe kind to {name}.\n\nuser:\nHi.",
    ]
    assert rows[0].variables == {"name": "you", "place": None}
    values = [f"defaultTest.vars.{name}" for name in ("lines", "other", "from", "a")]
    rest = ["description", "providers", "tests", "defaultTest.assert"]
    assert rows[0].lost == (*values, *rest)
    assert rows[3].lost == ("prompts.config", "defaultTest.vars.name", *values, *rest)
    assert rows[4].lost == ("prompts.id", *values, *rest)
    assert rows[5].lost == ("defaultTest.vars.name", *values, "comments", *rest)
    assert len({row.sha256 for row in rows}) == len(rows)


@pytest.mark.parametrize("path", ["promptfooconfig.yml", "eval.yaml", "eval.json"])
def test_a_configuration_is_told_by_its_content(path):
    (found,) = found_in('{\n"prompts": "Say {{it}}.",\n"targets": ["echo"]\n}', path)
    assert (found.path, found.text) == (f"{path}#prompt", "Say {it}.")


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ("prompts: [a]\n", "a.yaml"),
        ("a:\n  prompts: [a]\n  tests: []\n", "a.yaml"),
        ('{"prompts": ["a"]}', "a.json"),
        ('[{"prompts": ["a"], "tests": []}]', "a.json"),
        ('{"prompts": ["a"]', "a.json"),
        ('{"tests": ["a"]}', "a.json"),
        ("prompts: [a]\ntests: [a]\n", "a.txt"),
    ],
)
def test_other_files_are_left_out(config, path):
    assert found_in(config, path) == []


def test_the_older_form_names_labels():
    config = json.dumps({"prompts": {"a.md": "One", "Say it.": "Two"}, "tests": [1]})
    one, two = found_in(config, "p/a.json", **{"p/a.md": "Hi {{x}}.\n"})
    assert (one.path, one.text) == ("p/a.json#One", "Hi {x}.")
    assert (two.title, two.text) == ("Two", "Say it.")


@pytest.mark.parametrize("vars_", ["file://vars.yaml", ["file://vars.yaml"]])
def test_values_in_other_files_are_lost(vars_):
    config = {"prompts": ["{{a}}"], "tests": [1], "defaultTest": {"vars": vars_}}
    (found,) = found_in(json.dumps(config), "a.json")
    assert found.lost == ("tests", "defaultTest.vars")
    (found,) = found_in(json.dumps(config | {"defaultTest": "file://a.yaml"}), "a.json")
    assert (found.lost, found.variables) == (("tests", "defaultTest"), {"a": None})


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        *(
            (program, f"`{program.removeprefix('file://')}` is a program or elsewhere")
            for program in ("file://p.py", "p.py:make", "file://p.js:a.b", "exec:./p", "p.ts")
        ),
        ("langfuse://x:1", "`langfuse://x:1` is a program or elsewhere"),
        ("https://example.org/p.txt", "`https://example.org/p.txt` is a program or elsewhere"),
        ("file://p.csv", "`p.csv` is not a text, Markdown, JSON or YAML by its suffix"),
        ("file://prompts/*.txt", "the source does not have `prompts/*.txt` beside it"),
        ("file://../../x.txt", "the source does not have `../../x.txt` beside it"),
        ("file:///etc/passwd.txt", "the source does not have `/etc/passwd.txt` beside it"),
        ("file://p.yaml", "`p.yaml` has no messages"),
        ("file://q.yaml", "it is not valid YAML"),
        ("{% if x %}x{% endif %}", "it has `{% if x %}`, which a `.prompt` cannot do"),
        ("{{ x | upper }}", "it has `{{ x | upper }}`, which a `.prompt` cannot do"),
        ("{{ env.X }}", "it has `{{ env.X }}`, which a `.prompt` cannot do"),
        ('[{"role": "user", "content": [{"type": "image_url"}]}]', "a message has something else"),
        ("- role: [", "it is not valid YAML"),
        (1, "it is not a text"),
        (None, "it is not a text"),
        ([["x"]], "it is not a text"),
        ({"label": "x"}, "it is not a text"),
        ({"raw": {"x": 1}}, "it is not a text"),
    ],
)
def test_one_prompt_is_refused_and_the_others_are_not(prompt, reason):
    files = {"p/p.yaml": "a: b\n", "p/q.yaml": "[", "p/p.csv": "x", "p/p.py": "x"}
    refused, other = of(prompt, "Say it.", **files)
    assert isinstance(refused, Refused)
    assert refused.reason.startswith(reason)
    assert other.text == "Say it."


@pytest.mark.parametrize(
    ("path", "text", "read"),
    [
        ("a.txt", " \n", ""),
        ("a.md", "---\nx\n---\n\nHi.\n", "---\nx\n---\n\nHi."),
        ("a.json", '{"x": {{y}}}', '{"x": {y}}'),
        ("a.json", '{"x": 1}', '{"x": 1}'),
        ("a.yaml", "- {role: user, content: 'Hi {{x}}.'}\n", "Hi {x}."),
    ],
)
def test_files_of_the_source_are_read(path, text, read):
    (found,) = of(f"file://./sub/../{path}", **{f"p/{path}": text})
    assert (found.title, found.text) == ("a", read)


def test_a_file_is_read_once():
    one, two = of("file://a.txt", "file://./a.txt", **{"p/a.txt": "Hi."})
    assert (one.text, two.reason) == ("Hi.", "`./a.txt` is the file of a prompt before it")


@pytest.mark.parametrize(
    ("config", "path", "reason"),
    [
        ("prompts: &a [x]\ntests: *a\n", "a.yaml", "it has an alias of YAML: line 2, `tests: *a`"),
        (
            "prompts: " + "[" * 5_000 + "\ntests: 1\n",
            "a.yaml",
            "it is not valid YAML: it is nested too deeply",
        ),
        ("prompts: [a]\ntests: " + "x" * 20_000, "a.yaml", "it has more than 16,384 characters"),
        (
            "prompts: 1\ntests: 1\n---\n",
            "a.yaml",
            "it is not valid YAML: line 3, `---`: it begins another document",
        ),
        ("prompts:\ntests: 1\n", "a.yaml", "it has no list of `prompts`"),
        ('{"prompts": 1, "tests": 1}', "a.json", "it has no list of `prompts`"),
        ('{"prompts": ["x"], "tests": ' + "[" * 100_000, "a.json", "it is not valid JSON"),
    ],
)
def test_hostile_configurations_are_refused(config, path, reason):
    assert found_in(config, path) == [Refused(path=path, reason=reason)]


def test_very_many_prompts_are_read():
    rows = of(*["Say {{it}}."] * 5_000)
    assert (len(rows), rows[-1].path) == (5_000, "p/promptfooconfig.json#prompt (5000)")
