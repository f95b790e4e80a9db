"""Reading the issue that the form "Submit a prompt" leaves behind, whatever is written into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.authoring.issue_form import FIELDS, FORM, MAX_BODY, NO_ANSWER, Kind, read_issue
from support.submissions import GOOD, TWO_RUNS, body

WRITTEN = [field for field in FORM if field.kind is not Kind.BOXES]
HEADINGS = [field.heading for field in FORM]

LINES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["```", "```text", "~~~", "### ", "## Name of the prompt", "- [X] mine", ""]),
    st.sampled_from([f"{heading}!" for heading in HEADINGS]),
    st.sampled_from([f"> {heading}" for heading in HEADINGS]),
    st.sampled_from(["<!-- ", "-->", "${{ secrets.X }}", "$(id)", "`id`", "../../x", "@octocat"]),
)
SAID = st.lists(LINES, max_size=4).map("\n".join)


def normal(field, text):
    """Return what the forge keeps of `text`: newlines of one kind, no blank rim outside code."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if field.kind is Kind.CODE else text.strip()


def meant(answers):
    return {key: text for key, text in answers.items() if text.strip() not in ("", *NO_ANSWER)}


@given(st.dictionaries(st.sampled_from(WRITTEN), SAID, max_size=3))
def test_every_text_comes_back_from_its_own_field(said):
    answers = GOOD | {field.id: normal(field, text) for field, text in said.items()}
    form = read_issue(body(answers))
    assert form.answers == meant(answers)
    assert all(o.message == "the field is empty" for o in form.objections)


@given(SAID, st.sampled_from(WRITTEN), st.sampled_from(HEADINGS), SAID)
def test_no_answer_can_pass_for_another_field(before, field, heading, after):
    form = read_issue(body({**GOOD, field.id: f"{before}\n{heading}\n{after}"}))
    assert not form.answers
    assert [o for o in form.objections if heading in o.message]


@given(st.text())
def test_any_issue_is_read(text):
    assert read_issue(text).objections


def test_lines_of_windows():
    assert read_issue(body(GOOD).replace("\n", "\r\n")).answers == GOOD


def test_boxes():
    form = read_issue(body(GOOD, ["files"]))
    assert form.ticked["capabilities"] == ("files: it reads or writes files",)
    assert len(form.open["capabilities"]) == 3
    assert len(form.ticked["promises"]) == 3


def test_code_without_a_fence_and_with_another_one():
    text = body(GOOD).replace("```text\n", "").replace("\n```", "")
    assert read_issue(text).answers == GOOD
    artifact = "```python\nprint()\n```\nand\n```"
    assert read_issue(body({**GOOD, "artifact": artifact})).answers["artifact"] == artifact


def test_an_empty_fence_is_no_answer():
    text = body(GOOD | TWO_RUNS)
    for code in ("run_1_transcript", "run_2_transcript"):
        text = text.replace(f"```text\n{TWO_RUNS[code]}\n```", "```text\n\n```")
    answers = read_issue(text).answers
    assert "run_1_transcript" not in answers
    assert answers["run_1_model"] == "a model"


@pytest.mark.parametrize(
    "field", [field for field in WRITTEN if field.required], ids=lambda f: f.id
)
def test_what_is_required_is_asked_for(field):
    (objection,) = read_issue(body({**GOOD, field.id: ""})).objections
    assert objection.field == field.label
    assert objection.message == "the field is empty"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x" * (MAX_BODY + 1), "more than 65,536 characters"),
        (body(GOOD) + "\ud800", "not UTF-8"),
        (body(GOOD).replace("### Tags to find it by", "### Tags"), "is missing"),
        (
            body(GOOD).replace("### Tags to find it by", "<!-- ### Tags to find it by -->"),
            "missing",
        ),
        ("", "is missing"),
    ],
    ids=["long", "surrogate", "relabelled", "commented", "empty"],
)
def test_what_cannot_be_read_has_a_reason(text, said):
    form = read_issue(text)
    assert said in form.objections[0].message
    assert not form.answers


def test_fields_in_another_order():
    first, second = FIELDS["tags"].heading, FIELDS["license"].heading
    swapped = body(GOOD).replace(first, "@").replace(second, first).replace("@", second)
    (objection,) = read_issue(swapped).objections
    assert "not in the order" in objection.message


def test_a_heading_that_is_missing_or_there_twice_is_named():
    first, second = HEADINGS[:2]
    missing = read_issue(body(GOOD).replace(f"{first}\n", "### Something else\n", 1))
    assert [o.message for o in missing.objections if first in o.message]
    assert not missing.answers
    text = body({**GOOD, WRITTEN[-1].id: f"a\n{second}\nb"})
    assert [o.message for o in read_issue(text).objections if second in o.message]
