"""What is a prompt in a folder: Markdown, Agent Skills, and what is neither."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing import formats
from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import Refused

SKILL = """---
name: pdf-forms
description: >
  Fill in PDF forms.
  Use it for forms.
license: Apache-2.0
allowed-tools: Bash
metadata: {author: me}
---

# PDF forms

Read `reference.md`.
"""


def found_in(files, *, covers=lambda _: True, is_alone=False, fields=None):
    made = {
        PurePosixPath(path): data if isinstance(data, bytes) else data.encode()
        for path, data in files.items()
    }
    return list(prompts_in(made, fields or {}, covers, is_alone=is_alone))


def test_a_skill_is_one_prompt_and_its_other_files_are_lost():
    files = {
        "skills/pdf/SKILL.md": SKILL,
        "skills/pdf/reference.md": "x",
        "skills/pdf/scripts/fill.py": "x",
        "skills/pdf/inner/SKILL.md": "Inner text.",
        "skills/other.md": "Another prompt.",
    }
    other, skill, inner = found_in(files)
    assert (skill.path, skill.title) == ("skills/pdf/SKILL.md", "pdf-forms")
    assert skill.summary == "Fill in PDF forms. Use it for forms."
    assert skill.license == "Apache-2.0"
    assert skill.text == "# PDF forms\n\nRead `reference.md`."
    assert skill.lost == ("allowed-tools", "metadata", "reference.md", "scripts/fill.py")
    assert (inner.title, inner.text) == ("inner", "Inner text.")
    assert other.title == "other"


def test_a_pattern_is_one_prompt_of_two_texts():
    files = {
        "patterns/summarize/system.md": "# Identity\n\nSummarize {it}.\n",
        "patterns/summarize/user.md": "\nINPUT:\n",
        "patterns/summarize/README.md": "x",
        "patterns/translate/system.md": "Translate.",
        "patterns/translate/user.md": " \n",
        "patterns/rate/system.md": "Rate it.",
        "docs/system.md": "About systems.",
        "docs/other.md": "About others.",
    }
    other, about, rate, summarize, translate = found_in(files)
    assert (rate.title, rate.text) == ("rate", "Rate it.")
    assert (summarize.path, summarize.title) == ("patterns/summarize/system.md", "summarize")
    assert summarize.text == "system:\n# Identity\n\nSummarize {it}.\n\nuser:\nINPUT:"
    assert summarize.lost == ("README.md",)
    assert (rate.roles, summarize.roles) == (("system",), ("system", "user"))
    assert (translate.title, translate.text, translate.lost) == ("translate", "Translate.", ())
    assert (other.title, about.title) == ("other", "system")
    files["patterns/summarize/user.md"] = "INPUT: {x}"
    assert found_in(files)[3].sha256 != summarize.sha256
    files["patterns/rate/system.md"] = "---\n- a\n---\nRate it."
    assert isinstance(found_in(files)[2], Refused)
    files["patterns/summarize/user.md"] = b"\xff"
    assert found_in(files)[3] == Refused(
        path="patterns/summarize/system.md", reason="it is not a text in UTF-8"
    )


def test_arguments_of_commands_are_variables():
    text = "---\nargument-hint: '[x]'\n---\nFix $ARGUMENTS, $1, $ARGUMENTS[2] for $10 and $HOME.\n"
    (found,) = found_in({".claude/commands/fix.md": text})
    assert found.text == "Fix {ARGUMENTS}, {1}, {ARGUMENTS_2} for $10 and $HOME."
    assert found.variables == {"ARGUMENTS": None, "1": None, "ARGUMENTS_2": None}
    assert found.lost == ("argument-hint",)


@pytest.mark.parametrize("stated", ["[a, a_b, 'x y', c]", "a a_b c"])
def test_named_arguments_of_commands_are_variables(stated):
    text = f"---\narguments: {stated}\n---\nFix $a, $a_b, $a_c and $abc; $c.\n"
    (found,) = found_in({"commands/fix.md": text})
    assert found.text == "Fix {a}, {a_b}, $a_c and $abc; {c}."
    assert found.lost == ("arguments.x y",) * ("[" in stated)


def test_of_named_arguments_the_longest_counts():
    text = (
        "---\narguments: a abc a-b a-\n---\nFix $a-b, $a-bx, $a-, $abc, $ab; $abc-a, $ARGUMENTS.\n"
    )
    (found,) = found_in({"commands/fix.md": text})
    assert found.text == "Fix {a-b}, {a}-bx, {a-}, {abc}, $ab; {abc}-a, {ARGUMENTS}."


@pytest.mark.parametrize("path", ["docs/fix.md", "commands/fix.md"])
def test_other_texts_about_a_shell_have_no_variables(path):
    (found,) = found_in({path: 'Run "$1" in your shell.' + " Not $ARGUMENTS." * (path[0] == "d")})
    assert found.variables == {}
    assert "$1" in found.text


def test_inputs_of_prompt_files_are_variables():
    text = "Review ${input:file path:which file} and ${input:file path}, not ${selection}.\n"
    (found,) = found_in({".github/prompts/review-code.prompt.md": text})
    assert found.text == "Review {file_path} and {file_path}, not ${selection}."
    assert (found.title, found.variables) == ("review-code", {"file_path": None})
    assert found.lost == ("placeholder of file path",)


def test_rules_of_cursor_are_markdown():
    text = "---\ndescription: Style\nglobs:\nalwaysApply: false\n---\nUse tabs.\n"
    (found,) = found_in({".cursor/rules/style.mdc": text})
    assert (found.title, found.text, found.lost) == ("style", "Use tabs.", ("globs", "alwaysApply"))


def test_a_rule_with_patterns_that_are_not_yaml_is_taken():
    text = "---\ndescription: Style: short\nglobs: **/*.ts, *.tsx\n---\nUse tabs.\n"
    files = {"rules/style.mdc": text, "style.prompt": text, "style.prompty": text}
    rule, *others = found_in(files)
    assert (rule.summary, rule.lost, rule.text) == ("Style: short", ("globs",), "Use tabs.")
    assert rule.as_text == ("description", "globs")
    assert [isinstance(each, Refused) for each in others] == [True, True]


def test_front_matter_is_read_and_what_has_no_place_is_lost():
    text = "---\ntitle: Weekly report\ntags: [A, b]\nlanguage: no\nmodel: x\n1: 2\non: x\n---\n\nWrite it.\n"
    (found,) = found_in({"prompts/weekly.md": text})
    assert (found.title, found.tags, found.languages) == ("Weekly report", ("A", "b"), ("no",))
    assert (found.text, found.lost) == ("Write it.", ("model", "1", "on"))


def test_a_user_names_the_keys():
    text = "---\nheading: H\ntitle: T\n---\nWrite it.\n"
    (found,) = found_in({"a.md": text}, fields={"title": "heading"})
    assert (found.title, found.lost) == ("H", ("title",))


@pytest.mark.parametrize(
    ("matter", "reason"),
    [
        ("a: &x [1]\nb: *x", "its front matter has an alias of YAML: line 3, `b: *x`"),
        ("a: [", "its front matter is not valid YAML: line 2, `a: [`: it is incomplete"),
        ("[" * 5_000, "its front matter is not valid YAML: it is nested too deeply"),
        ("!!python/object/apply:os.system ['true']", "its front matter is not a mapping"),
        ("- a", "its front matter is not a mapping"),
        ("a: " + "x" * 20_000, "its front matter has more than 16,384 characters"),
    ],
)
def test_hostile_front_matter_is_refused(matter, reason):
    (refused,) = found_in({"a.md": f"---\n{matter}\n---\ntext\n"})
    assert refused == Refused(path="a.md", reason=reason)


@pytest.mark.parametrize("matter", ["", "# only a comment\n", "a: 1 * 2\n"])
def test_front_matter_that_says_nothing_of_a_prompt(matter):
    (found,) = found_in({"a.md": f"---\n{matter}---\ntext\n"})
    assert (found.title, found.text) == ("a", "text")


def test_files_about_a_repository_and_other_files_are_left_out():
    names = (
        "README.md",
        "Code-of-Conduct.md",
        "LICENSE.md",
        "LICENSE",
        "a.py",
        "a.txt",
        "Makefile",
    )
    assert found_in(dict.fromkeys(names, "x") | {"b.bin": b"\xff"}) == []


def test_one_file_that_is_no_text_does_not_stop_the_others():
    refused, found = found_in({"a.md": b"\xff\xff", "b.MARKDOWN": "Write it."})
    assert refused == Refused(path="a.md", reason="it is not a text in UTF-8")
    assert found.text == "Write it."


def test_a_file_that_the_user_named_is_a_prompt():
    (found,) = found_in({"README.txt": "Write it."}, is_alone=True)
    assert (found.title, found.text) == ("README", "Write it.")


def test_only_what_is_covered_is_read():
    files = {"a/x.md": "X.", "b/y.md": "Y."}
    (found,) = found_in(files, covers=lambda path: path.startswith("b/"))
    assert found.path == "b/y.md"


def test_a_source_has_an_end(monkeypatch):
    monkeypatch.setattr(formats, "MOST", 2)
    *_, last = found_in({f"{n}.md": "Text." for n in range(5)})
    assert last.path == "2.md"
    assert last.reason.startswith("the source has more than 2 parts")


def test_files_that_no_format_reads_are_not_opened():
    class Files(dict):
        def __getitem__(self, path):
            assert path.suffix == ".md"
            return super().__getitem__(path)

    names = ("a.md", "b.png", "Makefile", "skill/SKILL.md", "skill/font.ttf")
    files = Files({PurePosixPath(name): b"Text." for name in names})
    found = prompts_in(files, {}, lambda _: True, is_alone=False)
    assert [each.path for each in found] == ["a.md", "skill/SKILL.md"]
