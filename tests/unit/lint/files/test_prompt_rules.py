"""The rules of family PROMPT on single cases; tests/corpus has whole files."""

import json

import pytest

from psreg.core.diagnostics import ERROR, INFO, WARNING, Mode
from psreg.formats.dotprompt import read
from psreg.lint.engine import check_file
from psreg.lint.files.prompt_rules import PROMPT_RULES
from support.paths import SHARED, VECTORS, needs

META = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
OTHER = META.replace("dotprompt_", "")
KINDS = {"E-NOVERSION": "PROMPT010", "E-ORDER": "PROMPT002"}


def judged(data, mode=Mode.STRICT):
    """Return (code, severity, text of the place) of each finding about `data`."""
    prompt = read(data.encode() if isinstance(data, str) else data)
    found = []
    for rule in PROMPT_RULES:
        for finding in rule.check(prompt):
            strict = finding.severity or rule.severity
            level = strict if mode is Mode.STRICT else finding.read or finding.severity or rule.read
            found.append((rule.code, level, prompt.text[finding.at.start : finding.at.end]))
    return found


@pytest.mark.parametrize(
    ("text", "code", "strict", "reading", "place"),
    [
        (b"\xff", "PROMPT001", ERROR, ERROR, "\ufffd"),
        (META + "[CONTENT]\nx\n[CONTENT]", "PROMPT002", ERROR, ERROR, "[CONTENT]"),
        (META, "PROMPT003", ERROR, ERROR, ""),
        ("[CONTENT]\nx", "PROMPT003", ERROR, ERROR, ""),
        (META + "[CONTENT]\nx (% y", "PROMPT004", ERROR, WARNING, "(%"),
        (META + "@a 1\n@a 2\n[CONTENT]\nx", "PROMPT007", ERROR, WARNING, "a"),
        (META + "@a\t1\n[CONTENT]\nx", "PROMPT008", WARNING, WARNING, "@a\t1"),
        (OTHER + "[CONTENT]\nx", "PROMPT010", ERROR, WARNING, "format_version"),
        ("[METADATA]\n[CONTENT]\nx", "PROMPT010", ERROR, WARNING, "[METADATA]"),
        (META.replace("1\n", "9\n") + "[CONTENT]\nx", "PROMPT011", ERROR, ERROR, "0.0.9"),
        (META + "[CONTENT]\n{{\n}}", "PROMPT012", WARNING, WARNING, "{{"),
        (META + "[DEFAULTS]\n@a b\n[CONTENT]\n{{a}}", "PROMPT013", WARNING, WARNING, "{{a}}"),
        (META + "[CONTENT]\n{a} {a}", "PROMPT014", INFO, INFO, "{a}"),
        (META + " [Content]\nx", "PROMPT015", WARNING, WARNING, " [Content]"),
        (META + "@a  b\n[CONTENT]\nx", "PROMPT016", WARNING, WARNING, "  "),
        (META + "[CONTENT]\n\n", "PROMPT017", ERROR, WARNING, "[CONTENT]"),
        ("\ufeff" + META + "[CONTENT]\nx", "PROMPT018", WARNING, WARNING, "\ufeff"),
        ("---\n", "PROMPT019", ERROR, ERROR, "---"),
        (b"x" * 1_048_577, "PROMPT024", ERROR, ERROR, ""),
        (META + "[CONTENT]\n{{goal}}", "PROMPT025", WARNING, WARNING, "[CONTENT]"),
        (META + "[CONTENT]\nTo be filled in\nlater.", "PROMPT025", WARNING, WARNING, "[CONTENT]"),
    ],
)
def test_one_mistake_is_one_finding(text, code, strict, reading, place):
    assert judged(text) == [(code, strict, place)]
    assert judged(text, Mode.READ) == [(code, reading, place)]


@pytest.mark.parametrize(
    "text",
    [
        META + "[CONTENT]\nx",
        META + "@a 1\n[DEFAULTS]\n@a 1\n[CONTENT]\n{{b}} {{{a}}}",
        OTHER + "@dotprompt_format_version 0.0.1\n[CONTENT]\nx",
        META + "@model_tested some model\n@version 1\n@anything else\n[CONTENT]\nx",
    ],
)
def test_a_sound_prompt_is_left_alone(text):
    assert judged(text) == []


def test_every_rule_explains_itself():
    codes = [rule.code for rule in PROMPT_RULES]
    assert codes == sorted(set(codes))
    for rule in PROMPT_RULES:
        assert rule.summary.endswith(".")
        assert rule.body.startswith("## Why\n")
        assert "\n## Fix\n" in rule.body


def test_the_vectors_hold():
    for vector in json.loads((VECTORS / "prompt.json").read_text("utf-8")):
        errors = [code for code, severity, _ in judged(vector["file"]) if severity is ERROR]
        assert errors == [KINDS[kind] for kind in vector["errors"]], vector["id"]


def test_the_specifications_own_example_is_clean():
    (example, *_) = json.loads((VECTORS / "prompt.json").read_text("utf-8"))
    assert judged(example["file"]) == [("PROMPT014", INFO, "{clue}")]


@needs("corpus/dotprompt")
@pytest.mark.parametrize(
    ("name", "inputs"),
    [("asistente_ia", []), ("example", ["characteristic"]), ("text_summarizer", ["texto_input"])],
)
def test_the_authors_files_have_the_wrong_version_key_and_nothing_else(name, inputs):
    data = (SHARED / "corpus/dotprompt" / f"{name}.prompt").read_bytes()
    infos = [("PROMPT014", INFO, f"{{{name}}}") for name in inputs]
    assert judged(data) == [("PROMPT010", ERROR, "format_version"), *infos]
    assert judged(data, Mode.READ) == [("PROMPT010", WARNING, "format_version"), *infos]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (META + "[CONTENTS]\nx", "CONTENT", "[CONTENTS]"),
        (META + "[CONTNET]\nx", "CONTENT", "[CONTNET]"),
        (META.replace("[METADATA]", "[METDATA]") + "[CONTENT]\nx", "METADATA", "[METDATA]"),
        (META + "[Content_]\nx", "CONTENT", "[Content_]"),
    ],
)
def test_a_misspelt_header_is_named(text, right, wrong):
    prompt = read(text.encode())
    (issue,) = (issue for issue in prompt.issues if issue.code == "PROMPT003")
    assert prompt.text[issue.span.start : issue.span.end] == wrong
    assert issue.hint == f"Write `[{right}]` here."


def test_a_line_in_brackets_is_not_every_header():
    (issue,) = (i for i in read((META + "[NOTES]\nx").encode()).issues if i.code == "PROMPT003")
    assert issue.span.start == issue.span.end


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("[DEFAULT]", "Write `[DEFAULTS]`."),
        ("[defualts]", "Write `[DEFAULTS]`."),
        ("[OPTIONS]", "Use the sections [METADATA], [DEFAULTS] and [CONTENT]."),
        ("tone warm", "Write an entry as `@key value`, with one space."),
    ],
)
def test_a_line_before_content_says_what_is_meant(line, hint):
    found = check_file(f"{META}{line}\n@a b\n[CONTENT]\nOn {{a}}.".encode(), path="x.prompt")
    assert hint in {d.hint for d in found if d.code == "PROMPT008"}


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("{ topic }", "Write `{topic}` in place of `{ topic }`."),
        ("{topic }", "Write `{topic}` in place of `{topic }`."),
        ("{Topic}", "Did you mean `@Topic`?"),
        ("{a}", "Use it, or delete it."),
    ],
)
def test_an_unused_default_says_which_variable_is_meant(variable, hint):
    text = f"{META}[DEFAULTS]\n@topic tea\n[CONTENT]\nWrite on {variable}."
    found = check_file(text.encode(), path="x.prompt")
    assert [d.hint for d in found if d.code == "PROMPT028"] == [hint]
