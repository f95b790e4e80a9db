"""`show --bundle` and `copy --bundle`: a prompt with those that it calls in front of it."""

from __future__ import annotations

import json
import os

import pytest

from simulator import Simulator
from support.clients import Client


def prompt(text):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


QUIZ = json.dumps({"pbe_name": "quiz", "pbe_class": "stateless_executor", "x": "@psreg:glossary"})


@pytest.fixture
def client(tmp_path):
    made = Simulator(mode="dev")
    made.release("glossary", "1.0.0", prompt("Old words."), entry_class="prompt")
    made.release("glossary", "2.0.0", prompt("New words for {who}."), entry_class="prompt")
    requires = {"requires": {"glossary": "^1.0"}}
    made.release("quiz", "1.0.0", QUIZ.encode(), entry_class="stateless_executor", release=requires)
    made.release(
        "letter",
        data=prompt("Dear {who}, see @psreg:quiz"),
        entry_class="prompt",
        release={"requires": {"quiz": "*"}},
    )
    made.release(
        "sly", data=prompt("@psreg:glossary"), entry_class="prompt", release={"requires": {}}
    )
    made.release(
        "round",
        data=prompt("@psreg:trip"),
        entry_class="prompt",
        release={"requires": {"trip": "*"}},
    )
    made.release(
        "trip",
        data=prompt("@psreg:round"),
        entry_class="prompt",
        release={"requires": {"round": "*"}},
    )
    folder = made.publish().store(tmp_path / "registry")
    client = Client(tmp_path)
    client.registry = str(folder)
    return client


def show(client, *words, **named):
    return client.run("show", "--bundle", *words, PSREG_REGISTRY=client.registry, **named)


def order(text):
    return [line.split()[2:4] for line in text.splitlines() if line.startswith("===== BEGIN")]


def test_what_is_called_comes_first_in_the_version_that_is_required(client):
    done = show(client, "letter")
    assert done.code == 0
    first = done.out.splitlines()[0]
    assert first.startswith("Run letter 1.0.0, the last prompt below.")
    assert order(done.out) == [["glossary", "1.0.0"], ["quiz", "1.0.0"], ["letter", "1.0.0"]]
    assert "Old words." in done.out
    assert QUIZ in done.out
    assert "Dear {who}, see @psreg:quiz\n" in done.out
    document = show(client, "letter", "--format", "json").json
    assert (document["format"], document["text"]) == ("prompt", done.out)


def test_what_is_installed_is_used(client):
    assert client.run("install", "glossary@1.0.0", PSREG_REGISTRY=client.registry).code == 0
    assert client.run("install", "letter", PSREG_REGISTRY=client.registry).code == 0
    assert order(show(client, "letter").out)[0] == ["glossary", "1.0.0"]
    path = client.library / "quiz/1.0.0/quiz.pbe.txt"
    path.write_bytes(path.read_bytes() + b" ")
    assert show(client, "letter", "--format", "json").refusal == (3, "TRUST_DIGEST")


def test_what_is_installed_gets_what_it_requires(client):
    """Another version of it may be installed, or none any more."""
    ran = [
        client.run("install", each, PSREG_REGISTRY=client.registry)
        for each in ("quiz", "glossary@2.0.0")
    ]
    assert [done.code for done in ran] == [0, 0]
    for _ in range(2):
        assert order(show(client, "quiz").out) == [["glossary", "1.0.0"], ["quiz", "1.0.0"]]
        client.run("uninstall", "glossary")
    assert client.run("install", "sly", PSREG_REGISTRY=client.registry).code == 0
    assert show(client, "sly", "--format", "json").refusal == (1, "CALL_NOT_REQUIRED")


def test_a_project_has_its_locked_versions(client):
    assert client.run("add", "letter", PSREG_REGISTRY=client.registry).code == 0
    assert client.run("install", "glossary@2.0.0", PSREG_REGISTRY=client.registry).code == 0
    assert order(show(client, "letter").out)[0] == ["glossary", "1.0.0"]


def test_a_file_is_the_main_prompt(client):
    file = client.place / "mine.prompt"
    file.write_bytes(prompt("Use @psreg:glossary here."))
    (client.place / "glossary").write_bytes(b"not this file")
    done = show(client, file.name)
    assert done.out.startswith("Run mine, the last prompt below.")
    assert "New words for {who}." in done.out
    file.write_bytes(prompt("Use @psreg:Glossary here."))
    assert show(client, file.name, "--format", "json").refusal == (1, "CALL_NOT_REQUIRED")
    file.write_bytes(b"[METADATA]\n")
    assert show(client, file.name, "--format", "json").refusal == (1, "UNREADABLE")


@pytest.mark.parametrize(
    ("name", "code"), [("sly", "CALL_NOT_REQUIRED"), ("round", "CALLS_IN_A_CYCLE")]
)
def test_what_is_refused(client, name, code):
    assert show(client, name, "--format", "json").refusal == (1, code)


def test_raw_is_of_one_file(client):
    assert show(client, "letter", "--raw", "--format", "json").refusal == (2, "USAGE")


def test_copy_fills_in_the_last_one(client, tmp_path):
    programs, taken = tmp_path / "bin", tmp_path / "taken"
    programs.mkdir()
    (programs / "xclip").write_text(f"#!/bin/sh\ncat > {taken}\n")
    (programs / "xclip").chmod(0o755)
    done = client.run(
        "copy", "--bundle", "letter", "--set", "who=@psreg:sly", PSREG_REGISTRY=client.registry,
        DISPLAY=":0", WAYLAND_DISPLAY="", SSH_TTY="", SSH_CONNECTION="", TMUX="",
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip
    assert done.code == 0
    text = taken.read_text()
    assert order(text) == [["glossary", "1.0.0"], ["quiz", "1.0.0"], ["letter", "1.0.0"]]
    assert "Dear @psreg:sly, see @psreg:quiz\n" in text
