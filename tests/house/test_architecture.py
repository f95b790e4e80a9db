"""The page about the architecture names only paths that exist."""

import re

import pytest

from support.paths import ROOT, SOURCE

PAGE = ROOT / "site/docs/architecture.md"
CODE = re.compile(r"```.*?\n(.*?)```|`([^`]+)`", re.DOTALL)
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/|[\w.*-]+(?:/[\w.*-]+)+", re.ASCII)


def paths(text):
    """Yield the paths in the code of a page: relative to the repository, or to the package."""
    for block, span in CODE.findall(text):
        yield from (word for word in (block or span).split() if PATH.fullmatch(word))


def exists(path):
    return any(next(root.glob(path.rstrip("/")), None) for root in (ROOT, SOURCE / "psreg"))


def sections(text):
    """Return the changes that the page lists, each with its part of the page."""
    _, _, listed = text.partition("\n## Make a change\n")
    changes = re.split(r"\n## ", listed)[0].split("\n### ")[1:]
    return [tuple(change.split("\n", 1)) for change in changes]


CHANGES = sections(PAGE.read_text(encoding="utf-8"))


def test_every_path_on_the_page_exists():
    named = list(paths(PAGE.read_text(encoding="utf-8")))
    assert len(named) > 80
    assert [path for path in named if not exists(path)] == []


@pytest.mark.parametrize(("change", "text"), CHANGES, ids=[change for change, _ in CHANGES])
def test_every_change_says_which_files_and_how_to_check_it(change, text):
    rows = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert [path for path in rows if path.startswith("tools/psreg/")]
    assert text.count("\nCheck: `tests/run.py tests/") == 1


def test_thirteen_changes_are_listed():
    assert len(CHANGES) == 13


def test_a_path_that_is_gone_is_found():
    text = "`tools/psreg/nowhere.py`, `lint/*.html` and `tests/run.py tests/nowhere`, not `a` or /b"
    assert list(paths(text)) == [
        *("tools/psreg/nowhere.py", "lint/*.html", "tests/run.py", "tests/nowhere"),
    ]
    assert [exists(path) for path in paths(text)] == [False, False, True, False]
