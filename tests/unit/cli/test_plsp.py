"""`psreg plsp`, and `psreg transcript` of traces, by the real command line and over HTTP."""

import json
import os
import signal
import string
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


@pytest.mark.parametrize(
    ("behaviour", "ended", "why"),
    [
        ("plsp-open-block", "unreadable", "the last block cannot be read"),
        ("plsp-two-blocks", "unreadable", "the last block cannot be read"),
        ("plsp-glued", "unreadable", "the last block cannot be read"),
        ("plsp-prose", "text-around-block", "there is text around the last block"),
        ("plsp-fence", "text-around-block", "there is text around the last block"),
    ],
)
def test_a_loop_ends_where_the_block_is_in_doubt(behaviour, ended, why, client, write):
    program = write("p.txt", '@set:$a=1;@sig:!page,"x";')
    with running(behaviour) as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "3")
        done = client.run(*loop)
        assert done.code == 1
        assert len(done.out.splitlines()) == 1
        assert "error[PLSP00" in done.err
        assert f"1 cycle; {why}" in done.err
        assert "psreg: page" not in done.err
        done = client.run(*loop, "--format", "json")
    assert (done.code, done.json["ended"]) == (1, ended)
    assert done.json["counts"]["error"] >= 1


@pytest.mark.parametrize(
    ("action", "variable"),
    [
        ("!fetch,src", "b"),
        ('!fetch,"src"', "b"),
        ('!fetch,"src","n"', "n"),
        ('!fetch,"src",$a', "a"),
    ],
)
def test_what_a_fetch_brought_is_set_by_the_next_instruction(action, variable, client, write):
    write("src.txt", "42")
    program = write("p.txt", f"@set:$a=1;\n@set:$a=1;@sig:{action};\n@if:$a?();\n")
    with running("plsp-fetch-bare" if action == "!fetch,src" else "conforming") as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "3")
        done = client.run(*loop, "--imf", "", "--allow-fetch", "src=src.txt")
    assert done.code == 0
    last = json.loads(done.out.splitlines()[-1])
    assert last["instr"] == f"INSTR: @set:${variable}=42;@if:$a?();"
    assert f"${variable}:42;" in last["next"]


def test_a_fetch_without_a_free_letter_is_refused(client, write):
    write("src.txt", "42")
    letters = "".join(f"@set:${letter}=1;" for letter in string.ascii_letters)
    program = write("p.txt", f'{letters}@sig:!fetch,"src";')
    with running() as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "1")
        done = client.run(*loop, "--allow-fetch", "src=src.txt")
    assert "!fetch: refused, no letter is free for `src`" in done.err


def test_a_cycle_is_in_the_trace_before_its_actions_are_carried_out(client, write):
    program = write("p.txt", '@sig:!page,"x";@sig:!wait,60000;')
    environment = {**os.environ, "PSREG_HOME": str(client.home)}
    with running() as stub:
        command = [sys.executable, "-m", "psreg", "plsp", "run", "--endpoint", stub.url]
        command += ["--program", program, "--max-cycles", "2", "--trace", "t.jsonl"]
        with subprocess.Popen(
            command, cwd=client.place, env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            while "psreg: page: x" not in process.stderr.readline():
                pass
            process.kill()
    assert process.returncode == -signal.SIGKILL
    (line,) = (client.place / "t.jsonl").read_text().splitlines()
    assert json.loads(line)["next"] == 'S{!page,"x";!wait,60000;}S'
    assert json.loads(line)["notes"] == ["page", "wait 60000 ms"]


def test_a_cycle_is_in_the_trace_even_if_its_source_cannot_be_read(client, write):
    program = write("p.txt", '@sig:!fetch,"src";')
    with running() as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "2")
        done = client.run(*loop, "--trace", "t.jsonl", "--allow-fetch", "src=nowhere.txt")
    assert done.code == 4
    assert "cannot read nowhere.txt" in done.err
    assert len((client.place / "t.jsonl").read_text().splitlines()) == 1


def test_a_run_overwrites_no_file(client, write):
    program = write("p.txt", "@set:$a=1;")
    trace = write("t.jsonl", '{"next": "S{$b:2;}S"}')
    before = (client.place / trace).read_bytes()
    with running() as stub:
        loop = ("plsp", "run", "--endpoint", stub.url, "--program", program, "--max-cycles", "1")
        refused = (2, "EXISTS")
        assert client.run(*loop, "--trace", trace, "--format", "json").refusal == refused
        write("other.jsonl", "something else")
        more = ("--resume", trace, "--trace", "other.jsonl", "--format", "json")
        assert client.run(*loop, *more).refusal == refused
        assert stub.requests == []
        assert client.run(*loop, "--resume", trace, "--trace", "new.jsonl").code == 0
        assert (client.place / trace).read_bytes() == before
        assert client.run(*loop, "--resume", trace, "--trace", f"./{trace}").code == 0
    new = (client.place / "new.jsonl").read_text()
    assert new == (client.place / trace).read_text()
    assert [json.loads(line)["next"] for line in new.splitlines()] == [
        "S{$b:2;}S",
        "S{$b:2;$a:1;}S",
    ]


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
    recorder = Recorder(console=Console(quiet=True), imf="", path=str(path), before="{}\n")
    recorder.keep(
        Cycle(instr="INSTR: x", previous="S{}S", next='S{$a:"\ud800";}S', ended="stopped")
    )
    first, second = path.read_text().splitlines()
    assert json.loads(first) == {}
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
