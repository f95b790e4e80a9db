"""Laws of new entries: whatever is answered, the files parse and nothing is left unsaid."""

import json
import tomllib
from pathlib import PurePosixPath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from psreg.authoring.new import (
    Plan,
    changes_of_plain_text,
    missing,
    new_entry,
    objections,
    plain_text,
)
from psreg.authoring.questions import Question, answers, questions
from psreg.cli.rules import all_rules
from psreg.core.classes import CLASSES, PBE_CLASSES
from psreg.core.diagnostics import INFO
from psreg.core.errors import UsageError
from psreg.core.identity import is_name
from psreg.formats import dotprompt, pbe
from psreg.formats.pbe_templates import blanks, template
from psreg.formats.tree import POLICY as POLICY_PATH
from psreg.lint.registry_walk import check_tree
from psreg.review.judge import check_change
from support.authoring import ANSWERS, BESIDE, POLICY
from support.changes import changes_between
from support.paths import SOURCE

PBCT = SOURCE / "pbct.txt"
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,12}(_[a-z0-9]{1,9}){0,3}", fullmatch=True).filter(is_name)
GAPS = {"REG008", "REG017", "PBE020", "PBE024", "PBE027", "PROMPT017", "PROMPT025", "REG033"}
"""What may be missing from an entry whose author has said nothing, or repeated our examples."""

few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def whole(plan):
    return {**new_entry(plan), POLICY_PATH: POLICY.encode()}


def told(todo):
    return {(g.path, g.line, g.column, g.code, g.message) for g in todo}


def found(tree):
    return {
        (d.path, d.start.line, d.start.column, d.code, d.message)
        for d in check_tree(tree, all_rules())
        if d.waived is None and d.severity is not INFO and d.path != str(POLICY_PATH)
    }


@st.composite
def plans(draw):
    """Draw a plan whose answers are true ones, of the examples, some of them missing."""
    entry_class = draw(st.sampled_from(CLASSES))
    said = {q.key: q.read(q.example) for q in questions(entry_class)}
    keys = draw(st.sets(st.sampled_from(sorted(said))))
    return Plan(
        entry_class=entry_class,
        name=draw(NAMES),
        answers={key: said[key] for key in keys},
        policy=POLICY.encode(),
    )


@few
@given(plans())
def test_what_is_missing_is_what_the_check_finds(plan):
    todo = missing(plan, all_rules())
    assert told(todo) == found(whole(plan))
    assert {item.code for item in todo} <= GAPS
    assert all(item.write for item in todo)


@few
@given(plans(), st.data())
def test_any_text_makes_files_that_parse(plan, data):
    text = st.text(max_size=60).filter(lambda t: t.strip() and t.encode("utf-8", "ignore"))
    keys = data.draw(st.sets(st.sampled_from([q.key for q in plan.asked]), max_size=6))
    for question in plan.asked:
        if question.key in keys:
            try:
                plan = plan.with_answer(question.key, question.read(data.draw(text)))
            except ValueError:
                continue
    assert told(missing(plan, all_rules())) == found(whole(plan))
    release = plan.release
    files = new_entry(plan)
    value = tomllib.loads(files[release.folder / "release.toml"].decode())
    assert value["summary"] == plan.answers.get("summary", "")
    assert tuple(value["tags"]) == tuple(plan.answers.get("tags", ()))
    if plan.entry_class == "prompt":
        assert dotprompt.read(files[release.artifact]).metadata["version"] == "0.1.0"
    else:
        document = pbe.read(files[release.artifact])
        assert (document.name, document.version) == (plan.name, "0.1.0")
        if plan.entry_class == "stateless_executor":
            assert document.value["execution"]["primary_goal"] == plan.answers.get("task", "")


@few
@given(plans(), st.data())
def test_an_answer_without_objection_adds_no_error(plan, data):
    question = data.draw(st.sampled_from(plan.asked))
    answer = question.read(data.draw(st.sampled_from(["a", question.example, "[CONTENT]", "MIT"])))
    before = {g.code for g in missing(plan, all_rules()) if g.severity == "error"}
    if not objections(plan, question.key, answer, all_rules()):
        after = {
            g.code
            for g in missing(plan.with_answer(question.key, answer), all_rules())
            if g.severity == "error"
        }
        assert after <= before


def test_the_templates_are_those_of_the_creator_tool():
    """`psreg new` and the interview in a chat ask the same and write the same."""
    tool = json.loads(PBCT.read_bytes())
    assert {entry_class: template(entry_class) for entry_class in PBE_CLASSES} == tool["templates"]
    assert {key: found.example for key, found in blanks().items()} == {
        key: row["example"] for key, row in tool["blanks"].items()
    }
    assert {row["meaning"] for row in tool["blanks"].values()} - {"as above"} == {
        found.meaning for found in blanks().values()
    }


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Say hello.\n\nBe brief.", []),
        ("Greet {name}.", ["these are variables now: name"]),
        ("Say {{x}} (% softly %).", ["not sent as written"]),
        ("Greet {name}: {{x}}.", ["these are variables now: name", "not sent as written"]),
        ("Say:\n[CONTENT]\nhello", ["not sent as written"]),
    ],
)
def test_a_plain_text_becomes_the_content(text, notes):
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + b"\r\n"
    plan = Plan(entry_class="prompt", name="x").with_answer("task", plain_text(data, "x.txt"))
    found = list(changes_of_plain_text(plan))
    assert len(found) == len(notes)
    assert all(note in one for note, one in zip(notes, found, strict=True))
    if not notes:
        made = dotprompt.read(new_entry(plan)[plan.release.artifact])
        assert dotprompt.render(made, {}).text == text


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff"])
def test_what_is_no_text_becomes_nothing(data):
    with pytest.raises(UsageError, match=r"x\.txt"):
        plain_text(data, "x.txt")


@pytest.mark.parametrize("entry_class", CLASSES)
def test_every_question_is_complete(entry_class):
    asked = questions(entry_class)
    assert len({q.key for q in asked}) == len(asked)
    for question in asked:
        assert question.meaning != "as above"
        assert question.read(question.example)


def test_words_may_come_as_a_list_or_with_commas():
    question = Question(key="tags", meaning="", example="", several=True)
    assert question.read("a, b,,") == ("a", "b")
    assert question.read(["a", "b"]) == ("a", "b")
    for wrong in (None, [1], [" "], "\ud800"):
        with pytest.raises(ValueError):
            question.read(wrong)


def test_all_faults_of_a_file_of_answers_are_told_at_once():
    with pytest.raises(ValueError, match=r"(?s)`nonsense`.*`task`"):
        answers({"nonsense": 1, "task": 2, "summary": "fine"}, questions("prompt"))


def test_an_objection_is_about_the_new_answer_only():
    said = ANSWERS["prompt"] | {key: BESIDE[key] for key in ("summary", "use_case")}
    plan = Plan(entry_class="prompt", name="x", answers=said, policy=b"")
    assert objections(plan, "summary", "Too short", all_rules()) == (
        "`summary` has 9 characters; the minimum is 20 [REG008]",
    )
    assert objections(plan, "use_case", "Whenever.", all_rules()) == ()


def test_what_a_policy_waives_is_no_gap():
    plan = Plan(entry_class="prompt", name="x")
    assert "REG011" in {item.code for item in missing(plan, all_rules())}
    waived = Plan(entry_class="prompt", name="x", policy=POLICY.encode())
    assert "REG011" not in {item.code for item in missing(waived, all_rules())}


def prompt_of(version):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n@version {version}\n\n[CONTENT]\nHi\n"


@pytest.mark.parametrize(
    ("states", "means", "begins"),
    [
        ("1.0.0", "1.0.0", "1.0.0"),
        ("v1.0", "1.0.0", "1.0.0"),
        ("0.1.0", "0.1.0", "0.1.0"),
        ("1.0.0-rc.2", "1.0.0-rc.2", "1.0.0-rc.2"),
        ("3.2.0", "3.2.0", "1.0.0"),
        ("v1.2", "1.2.0", "1.0.0"),
        ("1.0.1", "1.0.1", "1.0.0"),
        ("0.4.1", "0.4.1", "0.1.0"),
        ("2.0.0-rc.1", "2.0.0-rc.1", "1.0.0"),
        ("1.0.0-beta", "1.0.0-beta", "1.0.0"),
    ],
)
def test_an_artifact_keeps_the_version_it_states_if_an_entry_may_begin_with_it(
    states, means, begins
):
    plan = Plan(entry_class="prompt", name="x", artifact=prompt_of(states).encode())
    assert (plan.stated, plan.release.version) == (means, begins)
    files = new_entry(plan)
    moved = files[PurePosixPath(f"pbes/prompt/x/{begins}/x.prompt")]
    assert moved == prompt_of(begins).encode()
    change = changes_between({}, files)
    assert "CHG006" not in {found.code for found in check_change(change, all_rules())}


def test_an_engine_that_exists_moves_in_and_only_the_other_files_are_asked_about():
    artifact = PBCT.read_bytes()
    plan = Plan(entry_class="interactive_engine", name="workshop", artifact=artifact)
    assert plan.release.version == "1.0.0"
    assert [q.key for q in plan.asked] == [
        "summary",
        "use_case",
        "tags",
        "license",
        "languages",
        "example",
    ]
    moved = new_entry(plan)[plan.release.artifact]
    assert b'"pbe_name": "workshop"' in moved
    assert b"pbct_save" not in moved
    assert {item.code for item in missing(plan, all_rules())} == {
        "PBE027",  # it is our example, under another name
        "REG008",
        "REG011",
        "REG017",
    }


def test_in_a_tree_its_neighbours_are_seen():
    tree = whole(Plan(entry_class="prompt", name="code_review"))
    plan = Plan(entry_class="prompt", name="codereview")
    assert "NAME001" in {item.code for item in missing(plan, all_rules(), tree)}
    assert "NAME001" not in {item.code for item in missing(plan, all_rules())}


def test_answers_are_read_as_what_is_asked_for():
    said = {"task": " Say hello. ", "tags": "a, b", "languages": ["en"]}
    read = answers(said, questions("prompt"))
    assert read == {"task": "Say hello.", "tags": ("a", "b"), "languages": ("en",)}


@pytest.mark.parametrize("entry_class", CLASSES)
def test_without_answers_every_place_is_named(entry_class):
    plan = Plan(entry_class=entry_class, name="trip_packer", answers={}, policy=POLICY.encode())
    gaps = missing(plan, all_rules())
    assert gaps
    assert told(gaps) == found(whole(plan))
    assert all(gap.write for gap in gaps)
