"""Prompts of LangChain: three languages of templates, chats, and what is refused by name."""

import json
import string
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from psreg.authoring.importing import entries
from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import Found, Refused
from psreg.formats import dotprompt

YAML = """# A greeting.
_type: prompt
name: Greeting
description: Greets people who come in.
input_variables: [name, place]
partial_variables: {place: Rome, unused: x, lines: "a\\nb", list: [1]}
template_format: f-string
validate_template: false
output_parser: null
metadata: {lc_hub_owner: me}
template: |
  Greet {name} in {place}: {{"place": "{place}", "x": {{x}}}}.
"""


def found_in(files):
    made = {
        PurePosixPath(path): (data if isinstance(data, str) else json.dumps(data)).encode()
        for path, data in files.items()
    }
    return list(prompts_in(made, {}, lambda _: True, is_alone=False))


def of(document, path="a.json"):
    (found,) = found_in({path: document})
    return found


def prompt(template, **facts):
    return {"_type": "prompt", "template": template, **facts}


def constructor(kind, **kwargs):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", kind], "kwargs": kwargs}


def template(text, **facts):
    return constructor("PromptTemplate", template=text, input_variables=[], **facts)


@pytest.mark.parametrize("path", ["greet.yaml", "greet.yml"])
def test_a_prompt_in_yaml(path):
    found = of(YAML, path)
    assert (found.title, found.summary) == ("Greeting", "Greets people who come in.")
    assert found.text == 'Greet {name} in {place}: {"place": "{place}", "x": {x}}.'
    assert found.variables == {"name": None, "place": "Rome"}
    assert found.lost == (
        "metadata", "partial_variables.unused", "partial_variables.lines", "partial_variables.list",
    )  # fmt: skip


def test_a_prompt_that_does_not_say_what_it_is():
    document = {"input_variables": ["a"], "output_parser": None, "template": "Say {a}."}
    found = of(document, "prompts/greet/prompt.json")
    assert (found.title, found.text, found.lost) == ("greet", "Say {a}.", ())
    assert of("input_variables: []\ntemplate: 'Say hello.'\n", "a.yaml").text == "Say hello."
    assert of({"input_variables": [], "template_path": "b.txt"}) == Refused(
        path="a.json", reason="the source does not have `b.txt` beside it"
    )
    assert found_in({"a.json": {"input_variables": [], "prefix": "x"}}) == []


@pytest.mark.parametrize(
    ("language", "text", "read", "lost"),
    [
        ("f-string", "{a} {{a}} {{{b}}} {{ }} {größe}", "{a_2} {a} {{b}} { } {gr_e}", ()),
        ("mustache", "{{a}} {a} {{ b-c }} }} {% {#", "{a_2} {a} {b-c} }} {% {#", ()),
        ("jinja2", "{{a}} {a} {# {{ no }} # #}{{ b }} }}", "{a_2} {a} {b} }}", ("comments",)),
    ],
)
def test_each_language_has_variables_and_literal_braces(language, text, read, lost):
    found = of(prompt(text, template_format=language))
    assert (found.text, found.lost) == (read, lost)


@pytest.mark.parametrize(
    ("language", "logic"),
    [
        *(("f-string", logic) for logic in ("{x!r}", "{x:>9}", "{x.y}", "{x[0]}", "{}", "{0}")),
        *(("f-string", logic) for logic in ('{"x": 1}', "{ x }", "{", "}", "{not closed")),
        *(("mustache", logic) for logic in ("{{#x}}", "{{/x}}", "{{^x}}", "{{>x}}", "{{{x}}}")),
        *(("mustache", logic) for logic in ("{{&x}}", "{{! x}}", "{{=<% %>=}}", "{{x.y}}", "{{")),
        *(("jinja2", logic) for logic in ("{% if x %}", "{{ x | upper }}", "{{ x.y }}", "{{ 1 }}")),
        *(
            ("jinja2", logic)
            for logic in (
                "{{ true }}",
                "{{x()}}",
                "{{- x -}}",
                "{#- x -#}",
                "{# x +#}",
                "{{#x#}",
                "{{{",
            )
        ),
    ],
)
def test_logic_is_refused_by_name(language, logic):
    refused = of(prompt(f"Say {logic}", template_format=language))
    assert refused.reason == f"it has `{logic}`, which a `.prompt` cannot do"


PIECES = st.lists(
    st.sampled_from(("{", "}", "{{", "}}", "{x}", "{{x}}", "{a b}", ".", " ", "\n", None)),
    max_size=14,
)


def rendered(found, **values):
    """Return what the `.prompt` of a text renders to; None if no `.prompt` has such braces."""
    try:
        made = entries.artifact(found)
    except ValueError:
        assert "{{" in found.text or "}}" in found.text
        return None
    given_values = dict.fromkeys(found.variables, values["v"]) if values else {}
    return dotprompt.render(dotprompt.read(made.data), given_values).text


@given(PIECES)
@example(["{", None, "}"])
@settings(deadline=None, max_examples=200)
def test_any_f_string_renders_to_itself(pieces):
    doubled = [piece and piece.replace("{", "{{").replace("}", "}}") for piece in pieces]
    text = "".join("{v}" if piece is None else piece for piece in ["-", *doubled, "-"])
    found = of(prompt(text))
    assert rendered(found, v="1") in (None, text.format(v="1"))
    shown = "".join(
        f"{literal}{{{name}}}" if name else literal
        for literal, name, *_ in string.Formatter().parse(text)
    )
    (name,) = found.variables or ("",)
    assert rendered(found) in (None, shown.replace("{v}", f"{{{name}}}"))


@given(PIECES)
@example(["{", "{x}", None, "}"])
@settings(deadline=None, max_examples=200)
def test_any_mustache_renders_to_itself_or_is_refused(pieces):
    text = "".join("{{v}}" if piece is None else piece for piece in ["-", *pieces, "-"])
    found = of(prompt(text, template_format="mustache"))
    if isinstance(found, Refused):
        assert "{{" in text.replace("{{v}}", " ").replace("{{x}}", " ") or "{{{" in text
        return
    filled = text.replace("{{v}}", "1").replace("{{x}}", "1")
    assert rendered(found, v="1") in (None, filled)


def test_what_stands_around_a_variable_is_not_taken_for_logic():
    refused = of(prompt("{{x}{{v}}}", template_format="mustache"))
    assert refused == Refused(path="a.json", reason="it has `{{x}`, which a `.prompt` cannot do")
    assert of(prompt("{ {{v}} % {{v}} }", template_format="jinja2")).text == "{ {v} % {v} }"


def test_messages_that_only_look_like_langchain_are_messages():
    rows = [{"role": "user", "content": "Say it."}]
    for other in ({"input_variables": []}, {"tools": [{"_type": "prompt"}]}, {"usage": {"lc": 1}}):
        assert of({"messages": rows, **other}).text == "Say it."


def test_what_langchain_dumps():
    found = of(template("Hi {a}.", partial_variables={"a": "you", "n": None}, metadata={"x": 1}))
    assert (found.title, found.text, found.variables) == ("a", "Hi {a}.", {"a": "you"})
    assert found.lost == ("metadata", "partial_variables.n")


def test_a_chat_that_langchain_dumps():
    system = constructor("SystemMessagePromptTemplate", prompt=template("You are {who}. {{x}}"))
    parts = [template("Ask {what} "), template("of {who}.\r\n")]
    human = constructor("HumanMessagePromptTemplate", prompt=parts, additional_kwargs={"a": 1})
    said = constructor("AIMessage", content="Yes, {what}.", type="ai")
    other = constructor("ChatMessagePromptTemplate", prompt=template("Go."), role="user")
    found = of(constructor("ChatPromptTemplate", messages=[system, human, said, other], name="C"))
    assert found.title == "C"
    assert found.text == (
        "system:\nYou are {who}. {x}\n\nuser:\nAsk {what_2} of {who}.\n\n"
        "assistant:\nYes, {what}.\n\nuser:\nGo."
    )
    assert found.lost == ("additional_kwargs",)


@pytest.mark.parametrize("kind", ["chat", "chat_prompt"])
def test_a_chat_in_other_words(kind):
    rows = [
        {"role": "system", "content": "Be {{x}}."},
        ["human", "Hi {{y}}"],
        {"type": "ai", "template": "Yes."},
        {"role": "user", "prompt": {"template": "Bye."}},
    ]
    chat = {"_type": kind, "messages": rows, "template_format": "mustache"}
    assert of({**chat, "partial_variables": {"x": "kind"}}) == Found(
        path="a.json",
        sha256=of({**chat, "partial_variables": {"x": "kind"}}).sha256,
        text="system:\nBe {x}.\n\nuser:\nHi {y}\n\nassistant:\nYes.\n\nuser:\nBye.",
        title="a",
        variables={"x": "kind", "y": None},
        roles=("system", "user", "assistant", "user"),
    )
    assert of({"_type": kind, "messages": [{"prompt": {"template": "Bye."}}]}).text == "Bye."


LITERAL = constructor("HumanMessage", content="Say {{x}}.")
JINJA = constructor("SystemMessagePromptTemplate", prompt=template("a", template_format="jinja2"))
PLAIN = constructor("SystemMessagePromptTemplate", prompt=template("a {x}"))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("x", "it has no list of `messages`"),
        ([], "it has no list of `messages`"),
        (["x"], "a message is not an object"),
        ([["user", "x", "y"]], "a message is not an object"),
        ([constructor("MessagesPlaceholder", variable_name="x")], "a message is a `MessagesPlace"),
        ([["placeholder", "{x}"]], "a message has the role `placeholder`"),
        ([{"role": ["x"], "content": "x"}], "a message has the role ``"),
        ([{"content": "x"}, {"content": "y"}], "one of its messages does not say its role"),
        ([{"role": "user"}], "its `template` is not a text"),
        ([{"role": "user", "prompt": "x"}], "a part of a message is not an object"),
        (
            [{"role": "user", "prompt": constructor("ImagePromptTemplate")}],
            "a part of a message is",
        ),
        ([constructor("AIMessage", content="x", tool_calls=[{}])], "a message has something else"),
        ([constructor("HumanMessage", content=[{"type": "image_url"}])], "a message has something"),
        ([LITERAL, JINJA], "a message that is not a template has `{{`"),
        ([PLAIN, JINJA], "its messages are in `f-string` and in `jinja2`"),
    ],
)
def test_messages_that_are_refused(rows, reason):
    assert of(constructor("ChatPromptTemplate", messages=rows)).reason.startswith(reason)


def test_literal_messages_keep_their_braces_beside_any_template():
    said = constructor("HumanMessage", content="Say {x}.")
    assert of(constructor("ChatPromptTemplate", messages=[said, JINJA])).text.startswith(
        "user:\nSay {x}."
    )
    assert of(constructor("ChatPromptTemplate", messages=[LITERAL])).text == "Say {{x}}."


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"_type": "few_shot", "examples": []}, "a `few_shot` of LangChain is not a text with"),
        (constructor("FewShotPromptTemplate"), "a `FewShotPromptTemplate` of LangChain is not"),
        (constructor("ChatOpenAI", model="x"), "a `ChatOpenAI` of LangChain is not a text with"),
        (prompt("x", template_format="x"), "its `template_format` is `x`"),
        (prompt("x", template_format=["x"]), "its `template_format` is ``"),
        (prompt(["x"]), "its `template` is not a text"),
        (prompt(None), "its `template` is not a text"),
        (template(1), "its `template` is not a text"),
        ({"lc": 1, "id": ["PromptTemplate"], "kwargs": [1]}, "its `template` is not a text"),
        (prompt(None, template_path="../x.txt"), "the source does not have `../x.txt` beside it"),
        (prompt(None, template_path="/etc/passwd"), "the source does not have `/etc/passwd`"),
        ('{"_type": "prompt"', "it is not valid JSON"),
        ('{"_type": "prompt", "a": ' + "[" * 100_000, "it is not valid JSON"),
    ],
)
def test_what_is_refused(document, reason):
    assert of(document).reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x [1]\nb: *x", "it has an alias of YAML: line 3, `b: *x`"),
        ("a: " + "[" * 5_000, "it is not valid YAML: it is nested too deeply"),
        ("a: " + "x" * 20_000, "it has more than 16,384 characters"),
        ("template: !!python/object/apply:os.system ['true']", "its `template` is not a text"),
    ],
)
def test_hostile_yaml_is_refused(text, reason):
    assert of(f"_type: prompt\n{text}\n", "a.yaml").reason == reason


def test_two_values_of_one_name_are_refused():
    one, two = (
        constructor(
            "HumanMessagePromptTemplate", prompt=template("{x}", partial_variables={"x": x})
        )
        for x in ("1", "2")
    )
    refused = of(constructor("ChatPromptTemplate", messages=[one, two]))
    assert refused.reason == "its `partial_variables` have two values for `x`"
    assert of(constructor("ChatPromptTemplate", messages=[one, one])).variables == {"x": "1"}


@pytest.mark.parametrize("document", ['["lc", {"lc": 1}]', '{"a": {"lc": 1}}'])
def test_other_documents_are_left_out(document):
    assert found_in({"a.json": document}) == []


def test_a_template_in_another_file_is_read_within_the_source():
    files = {
        "p/a.yaml": "_type: prompt\ntemplate_path: texts/a.txt\n",
        "p/texts/a.txt": "Hi {x}.\n",
    }
    (found,) = found_in(files)
    assert (found.text, found.variables) == ("Hi {x}.", {"x": None})
    (changed,) = found_in({**files, "p/texts/a.txt": "Hi {y}."})
    assert found.sha256 != changed.sha256


def test_files_are_read_up_to_the_size_of_a_prompt():
    rows = [{"role": "user", "prompt": {"template_path": "a.txt"}}] * 3
    chat = json.dumps({"_type": "chat", "messages": rows})
    (refused,) = found_in({"a.json": chat, "a.txt": "x" * 100_000})
    assert refused.reason == "it has more than 262,144 characters"


@pytest.mark.parametrize(
    "text", ["{#" * 100_000, "{#-" * 80_000 + "#}", "{{" * 100_000, "{" * 250_000]
)
@pytest.mark.parametrize("language", ["f-string", "mustache", "jinja2"])
def test_very_many_braces_are_text_or_refused(language, text):
    found = of(prompt(text, template_format=language))
    is_text = language == ("mustache" if "#" in text else "f-string")
    assert isinstance(found, Found if is_text else Refused)


def test_very_many_variables_and_messages_are_read():
    found = of(prompt("".join(f"{{v{n}}}" for n in range(20_000))))
    assert len(found.variables) == 20_000
    row = {"role": "user", "content": "Hi."}
    assert of({"_type": "chat", "messages": [row] * 20_000}).text.count("user:") == 20_000
