"""entry.toml with and without a yanked version."""

import tomllib
from pathlib import PurePosixPath

import pytest

from psreg.authoring.bump import entry_called
from psreg.authoring.yank import LONGEST, not_yanked, yanked
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.formats.tree import Tree
from support.registry_trees import entry, tree

OWNERS = '# who may change it\nowners = [{forge = "github", id = 7}]\n'
ENTRY = PurePosixPath("pbes/prompt/hello/entry.toml")


def hello(text):
    return entry_called(Tree({**tree(entry("hello")), ENTRY: text.encode()}), "hello")


def test_a_reason_is_added_and_everything_else_stays():
    edited = yanked(hello(OWNERS), "1.0.0", 'It says "no".').decode()
    assert edited.startswith(OWNERS)
    assert tomllib.loads(edited)["yanked"] == {"1.0.0": 'It says "no".'}


def test_a_second_reason_takes_the_place_of_the_first():
    text = f'{OWNERS}\n[yanked]\n"1.0.0" = "old" # seen\n"0.9.0" = "older"\n'
    edited = yanked(hello(text), "1.0.0", "new")
    assert tomllib.loads(edited.decode())["yanked"] == {"1.0.0": "new", "0.9.0": "older"}


def test_a_reason_is_taken_back():
    text = f'{OWNERS}\n[yanked]\n"1.0.0" = "old"\n"0.9.0" = "older"\n'
    edited = not_yanked(hello(text), "1.0.0")
    assert tomllib.loads(edited.decode())["yanked"] == {"0.9.0": "older"}
    last = not_yanked(hello(edited.decode()), "0.9.0")
    assert "yanked" not in tomllib.loads(last.decode())
    assert last.decode().startswith(OWNERS)


@pytest.mark.parametrize(
    "reason", ["", " ", "two\nlines", "\x1b[2J", "x" * (LONGEST + 1), ".", "n/a", "TODO"]
)
def test_a_reason_is_one_line(reason):
    with pytest.raises(UsageError):
        yanked(hello(OWNERS), "1.0.0", reason)


def test_only_what_is_there_is_yanked_and_given_back():
    with pytest.raises(UnavailableError) as caught:
        yanked(hello(OWNERS), "9.0.0", "why")
    assert "1.0.0" in caught.value.hint
    with pytest.raises(UnavailableError):
        not_yanked(hello(OWNERS), "1.0.0")


@pytest.mark.parametrize("text", ["owners = [", "yanked = 7\n", '\xff[yanked]\n"1.0.0" = "x"\n'])
def test_a_file_that_cannot_be_edited_is_said(text):
    with pytest.raises(FindingsError) as caught:
        yanked(hello(text), "1.0.0", "why")
    assert caught.value.code == "CANNOT_EDIT"
