"""A stranger asks for a name that people take for a known one; the real review answers."""

import json
from pathlib import PurePosixPath

import pytest

from support.bare import Bare
from support.registry_trees import entry, tree

KNOWN, OWNER = "quiz_master", 'owners = [{forge = "github", id = 1, login = "ana"}]\n'
STRANGER = 'owners = [{forge = "github", id = 2, login = "eve"}]\n'


def reviewed(client, tmp_path, name):
    """Return the exit code of the review of a new name, and the codes of what it found."""
    bare = Bare(tmp_path / "prompts.git")
    known, asked = tree(entry(KNOWN, toml=OWNER)), tree(entry(name, toml=STRANGER))
    policy = PurePosixPath("registry/policy.toml")
    bare.commit("main", {str(path): data for path, data in known.items()}, parent=None)
    bare.commit("next", {str(path): data for path, data in asked.items() if path != policy})
    bare.write()
    words = ("review", "--base", "main", "--head", "next", "--author-id", "2", bare.path)
    done = client.run(*words, "--format", "json")
    return done.code, {each["code"] for each in json.loads(done.out)["diagnostics"]}


@pytest.mark.attack("T13", (1, ""))
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("quizmaster", "NAME001"),  # written the same, but for what people leave out
        ("quiz_rnaster", "NAME002"),  # looks the same
        ("qu1z_master", "NAME001"),
        ("quiz_maste", "NAME003"),  # one keystroke
        ("quiz_mastre", "NAME003"),
    ],
)
def test_it_is_rejected(client, tmp_path, name, code):
    answer, found = reviewed(client, tmp_path, name)
    assert (answer, code in found) == (1, True), found


@pytest.mark.attack("T13", (42, ""))
@pytest.mark.parametrize("name", ["quiz_mistrr", "official_quiz_master", "quiz_master_pro"])
def test_a_person_decides(client, tmp_path, name):
    answer, found = reviewed(client, tmp_path, name)
    assert (answer, any(each.startswith("NAME") for each in found)) == (42, True), found


def test_another_name_is_not_touched(client, tmp_path):
    _, found = reviewed(client, tmp_path, "trip_packer")
    assert not any(each.startswith("NAME") for each in found)
