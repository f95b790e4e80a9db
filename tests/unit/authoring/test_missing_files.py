"""What a new release lacks is written for its author, as far as the rest of it tells."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.identity import Author
from psreg.review.judge import check_change
from support.changes import changes_between
from support.registry_trees import entry, tree, version

HELLO = "pbes/prompt/hello"
AUTHOR = Author(forge="github", id=583231, login="octocat")
GAPS = {"REG008", "REG011", "REG017"}
"""Texts and runs that only the author can give."""


def absent(base, head, author=None):
    (release,) = changes_between(base, head).releases
    return {str(path): text for path, text in missing_files(release, author).items()}


def without(files, *names):
    return {path: data for path, data in files.items() if path.name not in names}


def test_a_whole_release_lacks_nothing():
    assert absent(tree(), tree(entry())) == {}


def test_a_lone_artifact_gets_everything_beside_it():
    head = without(tree(entry()), "entry.toml", "release.toml", "README.md")
    found = absent(tree(), head, AUTHOR)
    assert list(found) == [
        f"{HELLO}/entry.toml",
        f"{HELLO}/1.0.0/release.toml",
        f"{HELLO}/1.0.0/README.md",
    ]
    assert '{forge = "github", id = 583231, login = "octocat"}' in found[f"{HELLO}/entry.toml"]
    assert 'summary = ""' in found[f"{HELLO}/1.0.0/release.toml"]
    assert "## Use case" in found[f"{HELLO}/1.0.0/README.md"]


def test_nobody_owns_what_nobody_is_known_to_ask_for():
    found = absent(tree(), without(tree(entry()), "entry.toml"))
    assert found[f"{HELLO}/entry.toml"].startswith("owners = []")


def test_a_readme_says_what_the_release_says():
    found = absent(tree(), without(tree(entry()), "README.md"))
    assert "Says hello, and nothing else." in found[f"{HELLO}/1.0.0/README.md"]
    assert "To greet somebody." in found[f"{HELLO}/1.0.0/README.md"]


def test_a_release_that_says_little_gives_little():
    head = without(tree(version(release='license = "MIT"\n')), "README.md")
    assert absent(tree(), head)[f"{HELLO}/1.0.0/README.md"].startswith("# Hello\n\n## Use case\n")


def test_a_later_release_says_what_the_previous_one_said():
    head = tree(entry(), version(number="1.1.0"))
    del head[PurePosixPath(f"{HELLO}/1.1.0/release.toml")]
    text = absent(tree(entry()), head)[f"{HELLO}/1.1.0/release.toml"]
    assert text.startswith('changes = ""  # what changed since 1.0.0\n')
    assert 'summary = "Says hello, and nothing else."' in text
    assert 'tags = ["greeting"]' in text


@pytest.mark.parametrize("login", ["", 'x"}]', "a b", "\u202ex", "…"])
def test_a_login_that_is_not_known_is_left_to_write(login):
    author = Author(forge="gitlab", id=7, login=login)
    head = without(tree(entry()), "entry.toml")
    text = absent(tree(), head, author)[f"{HELLO}/entry.toml"]
    owner = 'owners = []  # no owner yet; to own it, add {forge = "gitlab", id = 7, login = "…"}'
    assert text.splitlines()[:2] == [owner, "threshold = 1"]


@pytest.mark.parametrize("login", ["octocat", "octo-cat_x.y", "renovate[bot]", ""])
@pytest.mark.parametrize("names", [("entry.toml",), ("release.toml",), ("README.md",), None])
@pytest.mark.parametrize("later", [False, True])
def test_what_is_pasted_leaves_only_honest_gaps(login, names, later):
    author = Author(forge="github", id=583231, login=login)
    base = tree(entry()) if later else tree()
    head = tree(entry(), version(number="1.1.0")) if later else tree(entry())
    new = [path for path in head if path not in base and path.suffix != ".prompt"]
    lacking = {
        p: data for p, data in head.items() if p not in new or (names and p.name not in names)
    }
    found = absent(base, lacking, author)
    assert later or found
    pasted = {PurePosixPath(path): text.encode() for path, text in found.items()}
    change = changes_between(base, lacking | pasted, author=author)
    said = {d.code for d in check_change(change, all_rules()) if PurePosixPath(d.path) in pasted}
    assert said - {"CHG011"} <= GAPS
    assert "REG016" not in said
