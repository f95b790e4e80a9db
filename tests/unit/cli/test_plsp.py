"""`psreg plsp`, and `psreg transcript` of traces, by the real command line and over HTTP."""

import json
import os
import signal
import subprocess
import sys

import pytest

from psreg.conversations.plsp.run import Cycle
from psreg.conversations.plsp.terminal import Recorder
from psreg.system.console import Console
from stub import running
from support.clients import Client

RIGHT = '{"instr": "@set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}\n'
WRONG = RIGHT.replace("S{$a:1;}S", "S{$a:2;}S")


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def write(client):
    def made(name, text):
        (client.place / name).write_text(text)
        return name

    return made


def test_a_transition_is_judged_if_its_dialect_is_declared(client, write):
    def judged(text, *more):
        path = write("t.jsonl", text)
        return client.run("transcript", path, "--protocol", "plsp", *more)

    done = judged(WRONG, "--imf", "psreg-1")
    assert done.code == 1
    assert "expected `$a:1`, found `$a:2`" in done.out
    assert judged(RIGHT, "--imf", "psreg-1").code == 0
    done = judged(WRONG)
    assert done.code == 0
    assert "transition not checked" in done.out
    assert "correct" not in done.out


def test_a_loop_is_run_traced_resumed_and_inspected(client, write):
    program = write("p.txt", '@set:$t=75;\n@upd:$t=$t+1;@sig:!fetch,"temp","n";@sig:!page,"x";\n')
    write("temp.txt", "42\n")
    with running() as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "2")
        done = client.run(*loop, "--trace", "t.jsonl", "--allow-fetch", "temp=temp.txt")
        assert (done.code, done.out) == (0, "")
        assert "psreg: page: x" in done.err
        assert "psreg: 2 cycles, in t.jsonl; all cycles were run" in done.err
        done = client.run(*loop, "--resume", "t.jsonl", "--format", "json")
    assert done.code == 0
    assert done.json["cycles"][0]["instr"].startswith("INSTR: @set:$n=42;@upd:$t=$t+1;")
    assert (done.json["trace"], done.json["ended"]) == ("t.jsonl", "max-cycles")
    assert len((client.place / "t.jsonl").read_text().splitlines()) == 4
    assert client.run("transcript", "t.jsonl", "--protocol", "plsp").code == 0
    done = client.run("plsp", "inspect", "t.jsonl")
    assert done.code == 0
    assert "cycle 2, line 2: INSTR: @upd:$t=$t+1;" in done.out
    assert "  ~ $t: 75 → 76\n" in done.out
    assert done.out.count("  as instructed\n") == 4
    done = client.run("plsp", "inspect", "t.jsonl", "--format", "json")
    assert [cycle["verdict"] for cycle in done.json["cycles"]] == ["as instructed"] * 4


def test_the_trace_goes_to_standard_output_and_logs_to_a_sink(client, write):
    program = write("p.txt", "log it")
    with running("plsp-log") as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "1")
        done = client.run(*loop, "--imf", "", "--log-sink", "log.jsonl")
        assert [json.loads(line)["previous"] for line in done.out.splitlines()] == ["S{}S"]
        assert (client.place / "log.jsonl").read_text() == '["Temp OK", "75"]\n'
        assert "psreg: log: Temp OK, 75" in client.run(*loop, "--imf", "").err
        done = client.run(*loop, "--imf", "", "--log-sink", "nowhere/log", "--format", "json")
    assert done.refusal == (4, "CANNOT_WRITE")


@pytest.mark.parametrize("behaviour", ["plsp-open-block", "plsp-two-blocks"])
def test_a_loop_ends_where_the_block_is_in_doubt(behaviour, client, write):
    program = write("p.txt", "@set:$a=1;")
    with running(behaviour) as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "3")
        done = client.run(*loop)
        assert done.code == 1
        assert len(done.out.splitlines()) == 1
        assert "error[PLSP00" in done.err
        assert "1 cycle; the last block cannot be read" in done.err
        done = client.run(*loop, "--format", "json")
    assert (done.code, done.json["ended"]) == (1, "unreadable")


def test_ctrl_c_keeps_what_was_answered(client, write):
    write("p.txt", "@set:$a=1;\n@sig:!wait,60000;\n")
    environment = {**os.environ, "PSREG_HOME": str(client.home)}
    with running() as stub:
        command = [sys.executable, "-m", "psreg", "plsp", "run", "--endpoint", stub.url]
        command += ["--program", "p.txt", "--max-cycles", "9"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=client.place, env=environment, **pipes) as process:
            line = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, error = process.communicate()
    assert json.loads(line)["next"] == "S{$a:1;}S"
    assert process.returncode == 130
    assert rest == b""
    assert b"it was interrupted" in error


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run"], (2, "USAGE")),
        (["run", "--max-cycles", "0"], (2, "USAGE")),
        (["run", "--max-cycles", "x"], (2, "USAGE")),
        (["run", "--allow-fetch", "temp"], (2, "USAGE")),
        (["inspect", "nowhere.jsonl"], (4, "CANNOT_READ")),
        (["inspect", "words.txt"], (1, "NO_TRACE")),
    ],
)
def test_what_is_refused(arguments, code, client, write):
    write("words.txt", "User: hello\nAssistant: hello\n")
    whole = {"--endpoint": "http://127.0.0.1:9", "--program": "p.txt", "--max-cycles": "1"}
    if arguments[0] == "run" and len(arguments) > 1:
        arguments += [x for k, v in whole.items() if k not in arguments for x in (k, v)]
    assert client.run("plsp", *arguments, "--format", "json").refusal == code


def test_refusals_of_a_run(client, write):
    def refused(program, *more, url="http://127.0.0.1:9"):
        write("p.txt", program)
        loop = ("plsp", "run", "--endpoint", url, "--program", "p.txt", "--max-cycles", "1")
        return client.run(*loop, *more, "--format", "json").refusal

    assert refused("set a to 1") == (2, "BAD_PROGRAM")
    assert refused("@set:$a=1;") == (4, "ENDPOINT_UNREACHABLE")
    assert refused("@set:$a=1;", "--resume", "nowhere.jsonl") == (4, "CANNOT_READ")


def test_inspecting_shows_what_is_wrong(client, write):
    path = write(
        "t.jsonl", WRONG + '{"previous": "S{$a:2;}S", "next": "S{$a:2;"}\n{"next": "S{}S"}\n'
    )
    done = client.run("plsp", "inspect", path, "--imf", "psreg-1", "--read")
    assert done.code == 0
    assert "  wrong\n  PLSP044 error: wrong transition of $a" in done.out
    assert "cycle 2, line 2: (no instruction)\n  the block cannot be read" in done.out
    assert "  = the state is unchanged\n" in done.out


def test_a_trace_holds_even_half_a_character(tmp_path):
    path = tmp_path / "t.jsonl"
    recorder = Recorder(
        console=Console(quiet=True), imf="", path=str(path), kept='{"next": "S{}S"}'
    )
    recorder.keep(
        Cycle(instr="INSTR: x", previous="S{}S", next='S{$a:"\ud800";}S', ended="stopped")
    )
    first, second = path.read_text().splitlines()
    assert json.loads(first) == {"next": "S{}S"}
    assert json.loads(second)["next"] == 'S{$a:"\ud800";}S'
    assert recorder.finish() == 0


@pytest.mark.parametrize(
    "command",
    [
        ("transcript", "t.jsonl", "--protocol", "plsp"),
        ("plsp", "inspect", "t.jsonl"),
        ("plsp", "run", "--endpoint", "http://127.0.0.1:9", "--program", "p", "--max-cycles", "1"),
    ],
)
def test_a_dialect_that_nobody_knows(command, client):
    done = client.run(*command, "--imf", "foo")
    assert done.code == 2
    assert "unknown dialect `foo`; psreg knows `psreg-1`" in done.err
