"""`psreg install` of another version: what is shown, and when a person is asked."""

from __future__ import annotations

import pytest

from simulator import Simulator
from support.clients import Client

QUESTION = "Type yes to replace"


def prompt(text):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path / "client")


@pytest.fixture
def registry(tmp_path, client):
    made = Simulator()
    for version, text in {"1.0.0": "Hi {name}", "1.1.0": "Hi {name}!", "2.0.0": "Bye"}.items():
        notes = {"changes": f"What is new in {version}."}
        made.release("words", version, prompt(text), entry_class="prompt", release=notes)
    folder = made.publish().store(tmp_path / "registry")
    assert client.run("install", "words@1.0.0", "--registry", folder).code == 0
    return folder


def version(client):
    return client.installed()[0].split("/")[1]


def install(client, registry, what, *options):
    return client.run("install", what, "--registry", registry, *options)


def test_what_changes_is_shown(client, registry):
    done = install(client, registry, "words@^1")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "words 1.0.0 -> 1.1.0"
    assert lines[1] == "  1.1.0: What is new in 1.1.0."
    assert any("installed words 1.1.0 (was 1.0.0)" in line for line in lines)
    assert install(client, registry, "words@^1").out.startswith("already installed")


def test_scripts_are_not_asked(client, registry):
    done = install(client, registry, "words", "--format", "json").json["installed"][0]
    assert (done["replaced"], done["changes"]["major"]) == ("1.0.0", True)
    assert done["changes"]["notes"][0] == {"version": "2.0.0", "text": "What is new in 2.0.0."}
    assert install(client, registry, "words@1.0.0", "-q").out == ""
    again = install(client, registry, "words@1.0.0", "--format", "json").json["installed"][0]
    assert again["changes"] is None


@pytest.mark.parametrize(("typed", "installed", "code"), [("yes", "2.0.0", 0), ("y", "1.0.0", 1)])
def test_a_person_is_asked_before_a_major_step(client, registry, typed, installed, code):
    argv = ("install", "words", "--registry", registry)
    done = client.asked(*argv, question=QUESTION, typed=typed)
    assert done.code == code
    assert version(client) == installed
    assert "words 1.0.0 -> 2.0.0" in done.out


def test_yes_answers_in_advance(client, registry):
    done = client.asked("install", "words", "--yes", "--registry", registry, question="", typed="")
    assert (done.code, version(client)) == (0, "2.0.0")


def test_no_question_before_a_smaller_step(client, registry):
    argv = ("install", "words@1.1.0", "--registry", registry)
    done = client.asked(*argv, question="", typed="")
    assert (done.code, version(client)) == (0, "1.1.0")


def test_a_damaged_file_is_replaced(client, registry):
    path = client.library / client.installed()[0]
    path.write_bytes(b"damaged")
    assert install(client, registry, "words@1.1.0").code == 0
    path = client.library / "words/1.1.0/words.prompt"
    path.unlink()
    assert install(client, registry, "words@1.0.0").code == 0


def test_what_is_only_written_replaces_nothing(client, registry, tmp_path):
    done = install(client, registry, "words", "--to", tmp_path / "out")
    assert "->" not in done.out
    assert version(client) == "1.0.0"
