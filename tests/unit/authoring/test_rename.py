"""Moving an artifact to another name and version: only what says them changes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.authoring.rename import with_release
from psreg.core.diagnostics import ERROR
from psreg.core.identity import ReleaseId
from psreg.formats import dotprompt, pbe
from psreg.lint.engine import check_file
from support.paths import PBES

ENGINE = (PBES / "interactive_engine/spaced_recall/1.0.0/spaced_recall.pbe.txt").read_bytes()
ARTIFACTS = sorted([*PBES.rglob("*.pbe.txt"), *PBES.rglob("*.prompt")])


def release(name, version, entry_class="interactive_engine"):
    return ReleaseId(entry_class=entry_class, name=name, version=version)


@pytest.mark.parametrize("path", ARTIFACTS, ids=lambda path: path.stem)
def test_there_and_back_is_where_it_was(path):
    home = ReleaseId.of(path.relative_to(PBES.parent))
    data = path.read_bytes()
    assert with_release(data, home) == data
    away = with_release(data, release("other_name", "9.8.7", home.entry_class))
    assert [d for d in check_file(away, path=path.name) if d.severity is ERROR] == []
    if home.entry_class == "prompt":
        assert dotprompt.read(away).metadata["version"] == "9.8.7"
    else:
        assert (pbe.read(away).name, pbe.read(away).version) == ("other_name", "9.8.7")
    assert with_release(away, home) == data


def test_a_version_in_the_save_that_is_another_one_stays():
    data = ENGINE.replace(b'"pbe_version": "1.0.0"', b'"pbe_version": "7.7.7"', 1)
    moved = pbe.read(with_release(data, release("spaced_recall", "2.0.0")))
    template = moved.value["save_system"]["save_template"]["spaced_recall_save"]
    assert (moved.version, template["pbe_version"]) == ("2.0.0", "1.0.0")


def test_the_instruction_quotes_the_new_save_key():
    value = json.loads(ENGINE)
    value["save_system"]["load_detection"]["instruction"] = (
        "On spaced_recall_save, not my_spaced_recall_save: go"
    )
    moved = pbe.read(with_release(json.dumps(value).encode(), release("cards", "1.0.0")))
    instruction = moved.value["save_system"]["load_detection"]["instruction"]
    assert instruction == "On cards_save, not my_spaced_recall_save: go"


@pytest.mark.parametrize("instruction", [None, 3, "No key here"])
def test_an_instruction_without_the_key_stays(instruction):
    value = json.loads(ENGINE)
    value["save_system"]["load_detection"]["instruction"] = instruction
    moved = pbe.read(with_release(json.dumps(value).encode(), release("cards", "1.0.0")))
    assert moved.value["save_system"]["load_detection"]["instruction"] == instruction
    assert list(moved.value["save_system"]["save_template"]) == ["cards_save"]


@pytest.mark.parametrize("root", ["a/b~c", 'quo"te', "zwölf"])
def test_keys_that_json_escapes_are_found(root):
    value = json.loads(ENGINE)
    (old,) = value["save_system"]["save_template"].values()
    value["save_system"]["save_template"] = {root: old}
    moved = pbe.read(with_release(json.dumps(value).encode(), release("cards", "3.0.0")))
    template = moved.value["save_system"]["save_template"]
    assert list(template) == ["cards_save"]
    assert template["cards_save"]["pbe_version"] == "3.0.0"


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b'{"pbe_version": 1}', b"{}"])
def test_what_says_no_version_stays_as_it_is(data):
    assert with_release(data, release("x", "1.0.0")) == data
    assert with_release(data, release("x", "1.0.0", "prompt")) == data


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_survive(data):
    for entry_class in ("prompt", "interactive_engine"):
        assert isinstance(with_release(data, release("x", "1.0.0", entry_class)), bytes)
