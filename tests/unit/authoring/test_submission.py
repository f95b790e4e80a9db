"""What a submission is called, and what it is rejected for."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import branch_of, branch_of_issue, entries_in, errors_of, title_of
from psreg.cli.rules import all_rules
from psreg.review.review import review
from support.changes import changes_between
from support.registry_trees import entry, tree, version

FOLDER = "pbes/prompt/trip_packer"


def paths(*texts):
    return [PurePosixPath(text) for text in texts]


def test_branches():
    assert branch_of("trip_packer") == "submit/trip_packer"
    assert branch_of_issue(7) == "submit/issue-7"


@pytest.mark.parametrize(
    ("touched", "title"),
    [
        ([f"{FOLDER}/0.1.0/trip_packer.prompt", f"{FOLDER}/entry.toml"], "Add trip_packer 0.1.0"),
        ([f"{FOLDER}/entry.toml"], "Update trip_packer"),
        ([f"{FOLDER}/0.1.0/statement.json"], "Update trip_packer"),
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
