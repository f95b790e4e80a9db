"""Whatever file a command is told to open, a pipe in its place does not make it wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.warm_psreg import run_psreg

PROMPT = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello {name}\n"
SAFE = ("--endpoint", "http://127.0.0.1:9")
READING = {
    "check": ("check", "pipe"),
    "check a folder": ("check", "folder"),
    "check --fix": ("check", "--fix", "pipe"),
    "show": ("show", "./pipe"),
    "render": ("render", "./pipe"),
    "render --vars": ("render", "x.prompt", "--vars", "pipe"),
    "diff, before": ("diff", "./pipe", "x.prompt"),
    "diff, after": ("diff", "x.prompt", "./pipe"),
    "transcript": ("transcript", "pipe", "--protocol", "vpp"),
    "plsp inspect": ("plsp", "inspect", "pipe"),
    "plsp run --program": ("plsp", "run", *SAFE, "--max-cycles", "1", "--program", "pipe"),
    "plsp run --resume": (
        *("plsp", "run", *SAFE, "--max-cycles", "1", "--program", "loop.txt"),
        *("--resume", "pipe"),
    ),
    "conform --prompts": ("conform", "pb2s", *SAFE, "--prompts", "pipe"),
    "conform --trace-log": ("conform", "pb2s", *SAFE, "--trace-log", "pipe"),
    "try": ("try", "./pipe", *SAFE),
    "try --vars": ("try", "x.prompt", *SAFE, "--vars", "pipe"),
    "try --resume": ("try", "x.prompt", *SAFE, "--resume", "pipe"),
    "try --platforms": ("try", "x.prompt", "--platforms", "pipe"),
    "new --answers": ("new", "prompt", "greeting", "--answers", "../pipe"),
    "new --from": ("new", "prompt", "greeting", "--from", "../pipe"),
    "bump --from": ("bump", "greeting", "auto", "--from", "../pipe"),
}
WRITING = {
    "transcript --fix": ("transcript", "t.jsonl", "--protocol", "plsp", "--fix", "pipe"),
    "gateway --trace-log": (
        "gateway",
        "pb2s",
        "--upstream",
        SAFE[1],
        "--port",
        "0",
        "--trace-log",
        "pipe",
    ),
    "try --record": ("try", "x.prompt", *SAFE, "--record", "pipe"),
}


@pytest.fixture
def place(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder/x.prompt")
    (tmp_path / "x.prompt").write_text(PROMPT)
    (tmp_path / "loop.txt").write_text("INSTR: @set:$a=1;\n")
    (tmp_path / "t.jsonl").write_text('{"next": "S{$a:1}S"}\n')
    return tmp_path


@pytest.mark.parametrize("name", READING)
def test_it_is_refused_where_a_file_is_read(place, name):
    command = READING[name]
    if command[0] in ("new", "bump"):
        (place / "registry/pbes/prompt").mkdir(parents=True)
        place /= "registry"
    done = run_psreg(*command, cwd=place, text=True)
    assert "it is not a regular file" in done.stderr
    assert done.returncode in (2, 4)


@pytest.mark.parametrize("name", WRITING)
def test_without_a_reader_it_is_refused_where_a_file_is_written(place, name):
    done = run_psreg(*WRITING[name], cwd=place, text=True)
    assert "error[CANNOT_WRITE]" in done.stderr
    assert done.returncode == 4


def test_an_event_of_a_forge(place):
    event = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(place / "pipe")}
    done = run_psreg("review", "--forge", "github", cwd=place, env=os.environ | event, text=True)
    assert "error[BAD_ENVIRONMENT]" in done.stderr


def test_a_pipe_that_is_read_takes_what_is_written(place):
    """A log may be a pipe that another program reads, even if that is slow."""
    reader = os.open(place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = run_psreg(*WRITING["transcript --fix"], cwd=place)
        assert done.returncode == 0
        assert os.read(reader, 1000) == b'{"next": "S{$a:1;}S"}\n'
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    "words", ["psreg check <(cat x.prompt)", "cat x.prompt | psreg check /dev/stdin"]
)
def test_a_pipe_of_the_shell_is_a_file(place, words):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", words],
        check=False,
        cwd=place,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "checked 1 file" in done.stdout
