"""A cloned project brings a registry and settings of its own."""

from __future__ import annotations

import shlex
import shutil
from itertools import product

import pytest

from simulator import TEXT, Simulator
from support.walks import sampled

EVIL = b'{"pbe_name": "quiz_master", "evil": true}\n'


@pytest.fixture
def clone(tmp_path):
    """A folder with a registry of the attacker, as `git clone` makes it."""
    thief = Simulator(registry_id="e" * 32).release("quiz_master", "9.0.0", EVIL).publish()
    return thief.store(tmp_path / "a clone")


def settings(folder, text):
    (folder / ".psreg.toml").write_text(text)


NAMING = (
    'registry = "."',
    'registry = "../a clone"',
    'registry = "here"\n[registries.here]\nurl = "."\n',
)
READING = ("install quiz_master", "search", "info quiz_master")


@pytest.mark.attack("T14", (3, "TRUST_UNPINNED"))
@pytest.mark.parametrize(
    ("text", "command"), sampled([*product(NAMING, READING)], 4, kinds=lambda case: case)
)
def test_a_folder_named_by_a_project_is_not_trusted(client, clone, text, command):
    settings(clone, text)
    done = client.run(*command.split(), "--format", "json", cwd=clone)
    assert done.refusal == (3, "TRUST_UNPINNED")
    assert client.installed() == []
    assert not list(client.state.glob("*"))
    # The hint is the command that a person runs to trust it.
    hint = done.json["error"]["hint"].partition("run: psreg ")[2]
    assert client.run(*shlex.split(hint), cwd=clone).code == 0
    assert client.run(*command.split(), cwd=clone).code == 0


def test_a_registry_that_only_a_project_names_is_not_trusted_by_its_name(client, clone):
    settings(clone, '[registries.here]\nurl = "."\n')
    done = client.run("search", "--registry", "here", "--format", "json", cwd=clone)
    assert done.refusal == (3, "TRUST_UNPINNED")
    assert client.run("search", "--registry", ".", cwd=clone).code == 0


@pytest.mark.attack("T14", (3, "TRUST_OTHER_REGISTRY"), (3, "TRUST_UNPINNED"))
def test_a_clone_does_not_replace_what_came_from_the_pinned_registry(attack, clone):
    client = attack.client
    assert client.run("install", "quiz_master").code == 0
    settings(clone, 'registry = "."')
    assert client.run("install", "quiz_master", cwd=clone).code == 3
    # Not even when the folder was trusted once, or the environment names it.
    assert client.run("registry", "add", clone).code == 0
    for env in ({}, {"PSREG_REGISTRY": str(clone)}):
        done = client.run("install", "quiz_master", "--format", "json", cwd=clone, **env)
        assert done.refusal == (3, "TRUST_OTHER_REGISTRY")
        assert attack.server.url in done.json["error"]["message"]
    path = client.library / "quiz_master" / "1.0.0" / "quiz_master.pbe.txt"
    assert path.read_bytes() == TEXT
    hint = done.json["error"]["hint"].partition("psreg ")[2]
    done = client.run(*shlex.split(hint), "--format", "json", cwd=clone)
    attack.state = None  # from now on the name is of the clone
    assert done.json["installed"][0]["replaced"] == "1.0.0"


@pytest.mark.attack("T14", (3, "TRUST_OTHER_REGISTRY"))
def test_the_checkout_around_us_does_not_replace_either(attack, clone):
    assert attack.client.run("install", "quiz_master").code == 0
    settings = attack.client.home / "config/config.toml"
    here = settings.read_text()
    settings.write_text(here.replace('registry = "main"', ""))
    (clone / "pbes").mkdir(exist_ok=True)
    done = attack.client.run("install", "quiz_master", "--format", "json", cwd=clone)
    settings.write_text(here)
    assert done.refusal == (3, "TRUST_OTHER_REGISTRY")


def test_the_same_bytes_from_another_registry_are_already_installed(client, tmp_path):
    first, second = (
        Simulator(registry_id=digit * 32).release().publish().store(tmp_path / digit)
        for digit in "12"
    )
    assert client.run("install", "quiz_master", "--registry", first).code == 0
    done = client.run("install", "quiz_master", "--format", "json", PSREG_REGISTRY=str(second))
    assert done.json["installed"][0]["status"] == "unchanged"


def test_a_registry_that_is_named_replaces_and_says_so(attack, clone):
    client = attack.client
    assert client.run("install", "quiz_master").code == 0
    done = client.run("install", "quiz_master", "--registry", clone)
    attack.state = None  # from now on the name is of the clone
    change = f"`quiz_master` changes its registry from {attack.server.url} to {clone}"
    assert (done.code, f"psreg: warning: {change}\n" in done.err) == (0, True)
    assert f"installed quiz_master 9.0.0 (was 1.0.0 from {attack.server.url})" in done.out
    again = client.run("install", "quiz_master", "--registry", clone)
    assert (again.code, again.err) == (0, "")
    done = client.run("install", "quiz_master", "--registry", attack.server.url, "--format", "json")
    assert f"changes its registry from {clone} to {attack.server.url}" in done.err
    (row,) = done.json["installed"]
    assert (row["replaced"], row["replaced_registry"]["url"]) == ("9.0.0", str(clone))


@pytest.mark.parametrize(("typed", "code"), [("yes", 0), ("no", 3), ("", 3)])
def test_on_a_terminal_a_named_registry_is_asked_about(attack, clone, typed, code):
    client = attack.client
    assert client.run("install", "quiz_master").code == 0
    words = ("install", "quiz_master", "--registry", clone)
    done = client.asked(*words, question="Type yes to replace it", typed=typed)
    change = f"`quiz_master` changes its registry from {attack.server.url} to {clone}"
    assert (done.code, f"{change}. Type yes" in done.err) == (code, True)
    assert ("9.0.0" in str(client.installed())) == (code == 0)


def test_another_registry_at_the_same_address_is_named_by_its_id(client, tmp_path):
    place = tmp_path / "registry"
    Simulator(registry_id="1" * 32).release().publish().store(place)
    assert client.run("install", "quiz_master", "--registry", place).code == 0
    shutil.rmtree(place)
    Simulator(registry_id="2" * 32).release(data=EVIL).publish().store(place)
    done = client.run("install", "quiz_master", "--registry", place)
    assert f"changes its registry from {place} (11111111) to {place} (22222222)" in done.err


@pytest.mark.parametrize(("typed", "code"), [("yes", 0), ("y", 3), ("", 3)])
def test_on_a_terminal_a_typed_yes_replaces(attack, clone, typed, code):
    client = attack.client
    assert client.run("install", "quiz_master").code == 0
    question = "Type yes to replace it"
    done = client.asked(
        "install", "quiz_master", question=question, typed=typed, PSREG_REGISTRY=str(clone)
    )
    assert done.code == code
    assert ("9.0.0" in str(client.installed())) == (code == 0)
