"""What an entry may be called, and which artifacts fit a class."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.naming import require_class, require_class_of, require_free_name
from psreg.authoring.new import Plan, new_entry
from psreg.cli.rules import all_rules
from psreg.core.classes import CLASSES, Format
from psreg.core.errors import UsageError
from psreg.formats.tree import POLICY as POLICY_PATH
from support.authoring import POLICY

TREE = {**new_entry(Plan(entry_class="prompt", name="trip_packer")), POLICY_PATH: POLICY.encode()}
TREE[PurePosixPath("pbes/prompt/trip_packer/entry.toml")] = b'owners = []\naliases = ["suitcase"]\n'


def code(function, *arguments):
    with pytest.raises(UsageError) as caught:
        function(*arguments)
    return caught.value.code, caught.value.hint


def test_classes():
    for entry_class in CLASSES:
        require_class(entry_class)
    assert code(require_class, "Prompts") == ("CLASS_UNKNOWN", "Did you mean `prompt`?")


@pytest.mark.parametrize(
    ("name", "entry_class", "answer"),
    [
        ("Trip-Packer", "prompt", ("BAD_NAME", "Write `trip_packer`.")),
        ("x" * 65, "prompt", ("BAD_NAME", "Start with a letter, as in `trip_packer`.")),
        ("nul", "prompt", ("BAD_NAME", "Choose another name.")),
        (
            "trip_packer",
            "prompt",
            ("NAME_TAKEN", "Run `psreg bump trip_packer patch` to start a new version of it."),
        ),
        ("trip_packer", "stateless_executor", ("NAME_TAKEN", "Choose another name.")),
        ("suitcase", "prompt", ("NAME_TAKEN", "Choose another name.")),
    ],
)
def test_names_that_are_not_free(name, entry_class, answer):
    assert code(require_free_name, TREE, entry_class, name, all_rules()) == answer


def test_names_that_are_free():
    require_free_name(TREE, "prompt", "recipe_finder", all_rules())
    require_free_name({}, "prompt", "x", all_rules())


def test_a_name_that_resembles_another_one():
    assert code(require_free_name, TREE, "prompt", "trippacker", all_rules())[0] == "NAME_REFUSED"


@pytest.mark.parametrize(
    ("data", "filename", "entry_class", "answer"),
    [
        (b"# notes", "notes.md", "prompt", "UNKNOWN_FORMAT"),
        (b"{}", "x", "prompt", "CLASS_DIFFERS"),
        (b'{"pbe_class": "interactive_engine"}', "x", "prompt", "CLASS_DIFFERS"),
        (b'{"pbe_class": "interactive_engine"}', "x", "stateless_executor", "CLASS_DIFFERS"),
        (b"[METADATA]", "x", "interactive_engine", "CLASS_DIFFERS"),
    ],
)
def test_artifacts_of_another_class(data, filename, entry_class, answer):
    assert code(require_class_of, data, filename, entry_class, "x")[0] == answer


def test_artifacts_that_fit():
    assert require_class_of(b"{}", "x.pbe.txt", "stateless_executor", "x") is Format.PBE
    assert require_class_of(b'{"pbe_class": 1}', "x", "interactive_engine", "x") is Format.PBE
    assert require_class_of(b"[METADATA]", "x", "prompt", "x") is Format.PROMPT
