"""Where psreg speaks when no one listens: closed pipes, full disks, closed streams, Ctrl-C."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from support.terminals import END, raw_terminal, read_until

PSREG = [sys.executable, "-m", "psreg"]
SAYS_MUCH = ["explain", "PBE006"]


@pytest.fixture
def reader_gone():
    """A pipe that nobody reads from."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["--version"],
        ["install", "--help"],
        SAYS_MUCH,
        ["bogus", "--format", "json"],
    ],
)
def test_a_reader_that_left_is_no_error(arguments, reader_gone):
    done = subprocess.run(
        [*PSREG, *arguments], stdout=reader_gone, stderr=subprocess.PIPE, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["--help"], SAYS_MUCH, ["bogus", "--format", "json"]])
def test_a_full_disk_is_told(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PSREG, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == 4
    message = (
        b"psreg: error[CANNOT_WRITE]: cannot write to standard output: No space left on device"
    )
    assert done.stderr == message + b"\n"


@pytest.mark.parametrize("command", ["search", "sync", "check .", "publish", "registry list"])
def test_a_folder_that_was_deleted_is_told(command, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        "import os, sys; os.rmdir(os.getcwd()); from psreg.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command.split(), "--format", "json"],
        cwd=gone,
        env={**os.environ, "PSREG_HOME": str(tmp_path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], done.stderr) == (4, "CANNOT_READ", b"")
    assert error["message"] == "the folder in which you are does not exist any more"


@pytest.fixture
def terminal():
    """Return what psreg prints for a person at a terminal."""
    with raw_terminal() as (ours, theirs):

        def run(*arguments):
            done = subprocess.run(
                [*PSREG, *arguments], stderr=theirs, stdout=subprocess.PIPE, timeout=60, check=False
            )
            assert done.returncode
            os.write(theirs, END)
            return read_until(ours, END).removesuffix(END).decode().splitlines()

        yield run


def test_at_a_terminal_an_error_without_a_hint_says_where_to_read_more(terminal):
    *_, more = terminal("check", "nowhere.prompt")
    assert more == "  more: psreg explain NOT_FOUND"


def test_at_a_terminal_a_hint_is_enough(terminal):
    *_, hint = terminal("bogus")
    assert hint == "  hint: Run `psreg --help`."


def test_an_error_that_nobody_reads_keeps_its_code(reader_gone):
    done = subprocess.run([*PSREG, "bogus"], stderr=reader_gone, timeout=60, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("--help >&-", 0),
        ("explain PBE006 >&-", 0),
        ("explain PBE006 2>&-", 0),
        ("bogus 2>&-", 2),
        ("check - --stdin-filename x.prompt <&-", 1),
    ],
)
def test_closed_streams(command, code):
    shell = f'"{sys.executable}" -m psreg {command}'
    done = subprocess.run(shell, shell=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == code
    assert b"Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("machine", [True, False])
def test_ctrl_c_is_an_answer(machine, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as registry:
        where = f"http://127.0.0.1:{registry.getsockname()[1]}/"
        command = [*PSREG, "search", "--registry", where, *["--format", "json"] * machine]
        with (
            subprocess.Popen(
                command,
                cwd=tmp_path,
                env={**os.environ, "PSREG_HOME": str(tmp_path)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process,
            registry.accept()[0] as asked,
        ):
            asked.recv(1)  # and now it waits for an answer
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == b""
    if machine:
        assert json.loads(out)["error"]["code"] == "INTERRUPTED"
    else:
        assert out == b""


@pytest.mark.parametrize(
    "command", [("serve",), ("gateway", "pb2s", "--upstream", "http://127.0.0.1:9")]
)
@pytest.mark.parametrize("port", ["65536", "-1", "x", "²"])
def test_a_port_that_cannot_be(command, port):
    done = subprocess.run(
        [*PSREG, *command, f"--port={port}"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert f"`{port}` is not a port from 0 to 65535" in done.stderr.decode()


@pytest.mark.parametrize("action", ["run", "inspect"])
def test_each_action_has_an_example(action):
    done = subprocess.run(
        [*PSREG, "plsp", action, "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert re.search(rf"^example:\n  psreg plsp {action} ", done.stdout, re.MULTILINE)
