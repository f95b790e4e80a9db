"""What a new release lacks is written for its author, as far as the rest of it tells."""

from pathlib import PurePosixPath

import pytest

from psreg.index.changes import Author, changes_between
from psreg.service.absent import absent_files
from psreg.service.check import check_tree
from registry_trees import entry, tree, version

HELLO = "pbes/prompt/hello"
AUTHOR = Author(forge="github", id=583231)


def absent(base, head, author=None):
    (release,) = changes_between(base, head).releases
    return {str(path): text for path, text in absent_files(release, author).items()}


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
    assert '{forge = "github", id = 583231, login = ""}' in found[f"{HELLO}/entry.toml"]
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
    assert text.startswith('changes = ""  # what is new since 1.0.0\n')
    assert 'summary = "Says hello, and nothing else."' in text
    assert 'tags = ["greeting"]' in text


@pytest.mark.parametrize("name", ["entry.toml", "release.toml", "README.md"])
def test_what_is_written_is_well_formed(name):
    head = without(tree(entry()), name)
    filled = head | {
        PurePosixPath(path): text.encode() for path, text in absent(tree(), head, AUTHOR).items()
    }
    codes = {d.code for d in check_tree(filled)}
    assert not {c for c in codes if c.startswith("TOML")}
    assert "REG001" not in codes
