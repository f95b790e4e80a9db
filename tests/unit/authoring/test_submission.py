"""What a submission is called, and what it is rejected for."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.authoring.form_entry import Owner
from psreg.authoring.issue_form import Objection
from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import (
    MARKER,
    ROWS,
    Submission,
    answer_markdown,
    branch_of,
    branch_of_issue,
    entries_in,
    errors_of,
    groups,
    request_markdown,
    submission_document,
    submission_lines,
    title_of,
    wrong_ones,
)
from psreg.cli.rules import all_rules
from psreg.forges.forge import LONGEST_COMMENT
from psreg.formats.tree import Tree
from psreg.review.review import review
from support.changes import changes_between
from support.registry_trees import RELEASE, entry, tree, version
from support.reviews import WAITING

FOLDER = "pbes/prompt/trip_packer"


def paths(*texts):
    return [PurePosixPath(text) for text in texts]


def test_branches():
    assert branch_of("trip_packer") == "submit/trip_packer"
    assert branch_of("trip_packer", 2) == "submit/trip_packer-and-others"
    assert branch_of_issue(7) == "submit/issue-7"


@pytest.mark.parametrize(
    ("touched", "title"),
    [
        ([f"{FOLDER}/0.1.0/trip_packer.prompt", f"{FOLDER}/entry.toml"], "Add trip_packer 0.1.0"),
        ([f"{FOLDER}/entry.toml"], "Update trip_packer"),
        ([f"{FOLDER}/signatures/0.1.0.1.txt"], "Update trip_packer"),
        (
            [f"{FOLDER}/{number}/trip_packer.prompt" for number in ("1.1.0", "1.0.0")],
            "Add trip_packer 1.0.0 and 1.1.0",
        ),
    ],
)
def test_titles(touched, title):
    assert title_of("trip_packer", paths(*touched)) == title


def test_entries():
    touched = paths(f"{FOLDER}/entry.toml", f"{FOLDER}/0.1.0/x", "pbes/README.md", "pbes/prompt/x")
    assert entries_in(touched) == paths(FOLDER)
    assert entries_in([]) == []


ORIGIN = """
[origin]
address = "https://example.org/prompts"
path = "PATH"
"""


def imported(name, path):
    return version(name, "0.1.0", release=RELEASE + ORIGIN.replace("PATH", path))


def test_a_group_has_entries_of_one_class_and_of_one_folder_of_a_source():
    found = Tree(
        tree(
            *(imported(name, f"b/{name}.md") for name in ("elm", "fir")),
            imported("ash", "a/x.csv#3"),
            version("oak", "0.1.0"),
            {"pbes/stateless_executor/yew/entry.toml": "owners = []\n"},
        )
    )
    folders = paths(*(f"pbes/prompt/{name}" for name in ("ash", "elm", "fir", "oak", "gone")))
    folders += paths("pbes/stateless_executor/yew")
    grouped = [[folder.name for folder in group] for group in groups(found, folders, 9)]
    assert grouped == [["gone", "oak"], ["yew"], ["ash"], ["elm", "fir"]]


def test_a_group_has_at_most_so_many_entries():
    folders = paths(*(f"pbes/prompt/e{number}" for number in range(5)))
    assert [len(group) for group in groups(Tree({}), folders, 2)] == [2, 2, 1]


def test_wrong_are_the_entries_with_an_error():
    base = tree(entry("hello"), entry("hell"))
    bad = tree(version("hello", "1.0.1", release='summary = "Short."\n'))
    change = changes_between(base, base | bad)
    found = review(change, all_rules(), missing_files=missing_files)
    told = tuple(each for each in errors_of(found) if each.code == "REG008")
    done = Submission(name="hello", title="", review=found, objections=told)
    hell, hello = paths("pbes/prompt/hell", "pbes/prompt/hello")
    assert wrong_ones(done, [hell, hello]) == [hello]
    assert wrong_ones(done, paths("pbes/prompt/hel")) == []
    assert wrong_ones(replace(done, objections=()), [hello]) == []


def test_errors_are_objections_and_the_rest_is_not():
    base = tree(entry("hello"))
    good = review(
        changes_between(base, base | tree(version("hello", "1.0.1"))),
        all_rules(),
        missing_files=missing_files,
    )
    bad = tree(version("hello", "1.0.1", release='summary = "Short."\n'))
    found = errors_of(
        review(changes_between(base, base | bad), all_rules(), missing_files=missing_files)
    )
    assert {o.code for o in errors_of(good)} < {o.code for o in found}
    (short,) = [o for o in found if "the minimum is 20" in o.message]
    assert short.field == "pbes/prompt/hello/1.0.1/release.toml:1"
    assert short.code == "REG008"


FILES = (PurePosixPath("pbes/prompt/x/0.1.0/x.prompt"), PurePosixPath("pbes/prompt/x/entry.toml"))
DONE = Submission(
    name="x", title="Add x 0.1.0", files=FILES, branch="submit/x", commit="a" * 40, blocks_pull=True
)
OWNER = Owner(forge="github", id=7, login="ana")
HOSTILE = st.one_of(
    st.text(),
    st.sampled_from(
        [
            "@octocat #1 GH-1 https://example.org",
            "<!-- psreg review -->",
            "</details><script>x</script>",
            "[x](javascript:y) ![x](//y) `x` **x** ~~~",
            "\n\n### psreg: pull request opened\n\n- [ ] x",
            "x" * 100_000,
        ]
    ),
)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_text_of_an_issue_cannot_act(field, message, hint):
    objection = Objection(field=field, message=message, hint=hint)
    said = answer_markdown(Submission(name="x", title="", objections=(objection,)))
    assert said.startswith(f"{MARKER}\n### psreg: changes required\n")
    shown = said.removeprefix(MARKER)
    plain = re.sub(r"</?code>|<br>", "", shown)
    assert not re.search(r"[<>@]|\]\(|!\[|(?<!&)#\d|://", plain)
    assert shown.count("\n#") == 1
    assert len(said) < 10_000


def test_the_answer_is_never_too_long():
    objection = Objection(field="@" * 500, message="@" * 500, hint="@" * 500)
    said = answer_markdown(Submission(name="x", title="", objections=(objection,) * 500))
    assert len(said) < LONGEST_COMMENT
    assert re.search(r"…and 4\d\d more\.", said)
    short = Objection(field="x", message="y")
    said = answer_markdown(Submission(name="x", title="", objections=(short,) * 500))
    assert f"…and {500 - ROWS} more." in said


def test_the_description_of_the_request():
    said = request_markdown(DONE, 7, OWNER)
    assert "Closes #7" in said
    assert "ana (github 7)" in said


def test_lines_for_a_person():
    lines = list(submission_lines(DONE, "origin"))
    assert "  git push -u origin submit/x" in lines
    assert "  open a pull request for this branch" in lines
    assert "  git stash push --include-untracked -- pbes/prompt/x && git pull" in lines
    objection = Objection(field="a:1", message="m", hint="h", code="REG001")
    bare = Objection(field="", message="m")
    refused = Submission(name="x", title="", objections=(objection, bare))
    assert list(submission_lines(refused, "origin"))[1:] == [
        "  a:1: m [REG001]",
        "      h",
        "  m",
    ]


def test_the_document_of_what_was_not_reviewed():
    document = submission_document(DONE)
    assert document["verdict"] is None
    assert document["reasons"] == []


def test_what_the_review_will_say_and_where_the_request_is():
    done = replace(
        DONE, review=WAITING, opened=True, url="https://forge.example/1", blocks_pull=False
    )
    lines = list(submission_lines(done, "origin"))
    assert lines[1] == "expected verdict: needs_human"
    assert lines[2].endswith(f"[{WAITING.reasons[0].code}]")
    assert lines[-1] == "pull request: https://forge.example/1"
    pushed = replace(DONE, pushed=True, url="https://forge.example/new")
    lines = list(submission_lines(pushed, "origin"))
    assert "  open https://forge.example/new" in lines
    assert not [line for line in lines if "git push" in line]


def test_the_answer_when_the_request_is_open():
    said = answer_markdown(replace(DONE, url="https://forge.example/1"))
    assert said.startswith(f"{MARKER}\n### psreg: pull request opened\n\nhttps://forge.example/1")
