"""What counts as left unfinished, and what merely mentions the word; when an example says little."""

import json

import pytest

from psreg.formats.platforms import FEATURES, PLATFORMS
from psreg.lint.engine import check_file
from support.paths import VECTORS

TECHNIQUE = '{"facilitator_techniques": {"techniques": [{"purpose": %s, "example": %s}]}}'


def said(text, code, path="x.prompt"):
    if path == "x.prompt":
        text = f"[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n{text}\n"
    found = check_file(text.encode(), path=path)
    return [d.message for d in found if d.code == code]


def value(text, field="description"):
    return said(json.dumps({field: text}), "CLR001", "x.pbe.txt")


@pytest.mark.parametrize(
    "text",
    [
        *("TODO", "TBD", "FIXME.", "TODO: tone", "Fine so far. TODO: the rest", "TODO write it"),
        *("- TODO", "> TBD …", "Lorem ipsum", "And lorem ipsum dolor sit", "TODO(eva): ask"),
        *("Dear <your name>", "<Your company name>", "as <your own first name> said"),
    ],
)
def test_left_in(text):
    assert len(value(text)) == 1
    assert len(said(text, "CLR001")) == 1


@pytest.mark.parametrize(
    "text",
    [
        *("A TODO list", "TODO lists are long", "TODO items first", "Mark it as TBD"),
        *('say "TODO: x"', "`TODO: x`", "`<your name>`", '"<your name>"', "‘<your name>’"),
        *("Answer: <your answer>", "<your final verdict, in a word>", "avoid lorem ipsum"),
        *("TODOs", "<name>", "<your", "TODAY: sunny", "Owner: TBD or a name", "todo: lower case"),
    ],
)
def test_merely_mentioned(text):
    assert value(text) == []
    assert said(text, "CLR001") == []


@pytest.mark.parametrize(
    ("document", "number"),
    [
        ({"pbe_name": "unique_identifier", "pbe_version": "semantic_version"}, 2),
        ({"execution": {"behavior": "string"}}, 1),
        ({"execution": {"form": {"title": "string"}}}, 0),
        ({"game_structure": {"phases": [{"name": "string"}]}}, 1),
        ({"save_system": {"save_template": {"x_save": {"name": "string"}}}}, 0),
        ({"save_system": {"load_detection": {"instruction": "string"}}}, 1),
        ({"description": "A string"}, 0),
        ({"string": "description"}, 0),
        ({"execution": {"string": 1}}, 0),
    ],
)
def test_the_words_of_the_specification(document, number):
    assert len(said(json.dumps(document), "CLR001", "x.pbe.txt")) == number


@pytest.mark.parametrize(
    ("toml", "number"),
    [
        ('summary = "TODO"\ntags = ["TBD", "fine"]\n', 2),
        ("changes = '''\nTODO: say'''\nuse_case = 'Lorem ipsum dolor'\n", 2),
        ('summary = "A TODO list"  # TODO: shorter\n', 0),
        ('summary = "TODO lists in order"\n', 0),
        ('summary = "TODO write it"\n', 1),
    ],
)
def test_toml_values(toml, number):
    assert len(said(toml, "CLR001", "release.toml")) == number


@pytest.mark.parametrize(
    ("purpose", "example", "words"),
    [
        ("Encourage the user", "encourage the user.", "repeats"),
        ("Encourage the user to go on with it", "Encourage the user to go on with it!", "repeats"),
        ("Encourage", "Well done, go on", "fewer than 5"),
        ("Encourage", "Well done, please go on", ""),
        ("p", "e", ""),
        ("p", "p", ""),
        ("p", "…", ""),
        ("励ます", "よくできました。次へ進みましょう", ""),
        ("励ます", "はい。", "fewer than 5"),
    ],
)
def test_examples(purpose, example, words):
    text = TECHNIQUE % (json.dumps(purpose), json.dumps(example))
    found = said(text, "CLR003", "x.pbe.txt")
    assert len(found) == bool(words)
    assert words in "".join(found)


def test_features_are_told_from_ordinary_words():
    for feature in FEATURES:
        (message,) = said(f"Use {feature} now.", "CLR002")
        assert message.endswith(f"feature of {PLATFORMS[FEATURES[feature]]}")
    assert said("Keep a canvas, artifacts and projects. Encode Interpreters.", "CLR002") == []


def test_every_platform_has_a_name():
    assert all(PLATFORMS.values())
    assert set(FEATURES.values()) <= set(PLATFORMS)


def test_the_vectors_stay_as_they_are():
    vectors = json.loads((VECTORS / "pbe.json").read_text())
    for vector in vectors:
        if vector["raw"] is not None and not vector["errors"] and not vector["warnings"]:
            found = check_file(vector["raw"].encode(), path="x.pbe.txt")
            standing = [d.code for d in found if d.family == "CLR" and d.severity != "info"]
            assert standing == [], vector["id"]
