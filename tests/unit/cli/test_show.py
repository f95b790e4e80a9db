"""`psreg show`: a prompt in readable form, from a file or from the library."""

import json

import pytest

from support.paths import ROOT
from support.warm_psreg import run_psreg

ENGINE = ROOT / "pbes/interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
PROMPT = ROOT / "pbes/prompt/email_reply/1.0.0/email_reply.prompt"


def show(*arguments):
    return run_psreg("show", *arguments, text=True)


def test_an_engine_reads_like_a_text():
    done = show(ENGINE)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "socratic_tutor 1.0.0 · interactive_engine"
    assert "GAME STRUCTURE" in lines
    assert "{" not in lines[2]
    assert max(map(len, lines)) <= 100


def test_a_prompt_shows_its_variables_and_its_text():
    done = show(PROMPT)
    assert done.returncode == 0
    assert "  {incoming}  required" in done.stdout
    assert "default:" in done.stdout
    assert "\nTEXT\n" in done.stdout


@pytest.mark.parametrize("path", [ENGINE, PROMPT])
def test_raw_is_exactly_the_file(path):
    done = run_psreg("show", "--raw", path)
    assert done.stdout == path.read_bytes()


def test_raw_of_any_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\xff\x00\r\n")
    assert run_psreg("show", "--raw", path).stdout == b"\xff\x00\r\n"
    document = json.loads(show("--raw", ENGINE, "--format", "json").stdout)
    assert document["text"] == ENGINE.read_text()


def test_what_a_prompt_compares_is_shown_as_in_the_file():
    shown = show(ENGINE).stdout
    value = json.loads(ENGINE.read_text())
    assert "INSTALL INSTRUCTIONS" in shown
    assert value["install_instructions"].split(".")[0][:60] in " ".join(shown.split())
    lines = [line.strip() for line in shown.splitlines()]
    template = json.dumps(value["save_system"]["save_template"], indent=2, ensure_ascii=False)
    for line in template.splitlines():
        assert line.strip() in lines


def test_for_machines():
    document = json.loads(show(PROMPT, "--format", "json").stdout)
    assert document["format"] == "prompt"
    assert document["text"] == PROMPT.read_text()


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("x.pbe.txt", "{", 1),
        ("x.pbe.txt", "[1]", 1),
        ("x.prompt", "---\nmodel: x\n---\n", 1),
        ("x.txt", "neither", 2),
    ],
)
def test_what_cannot_be_shown(tmp_path, name, data, code):
    path = tmp_path / name
    path.write_text(data)
    done = show(path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("psreg: error[")


def test_what_is_not_there():
    done = show("no_such_prompt")
    assert done.returncode == 4
    assert "no_such_prompt" in done.stderr


def test_nothing_in_a_file_drives_the_terminal(tmp_path):
    path = tmp_path / "x.prompt"
    path.write_text(
        "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n\x1b]0;pwned\x07 \u202eabc\n"
    )
    done = show(path)
    assert "\x1b" not in done.stdout
    assert "\\u{001b}" in done.stdout
