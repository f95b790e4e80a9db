"""`psreg conform` against the stub: the exit codes that `python tests/stub.py --list` promises."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from psreg.cli.main import run
from psreg.conversations.conform import CONFORMANCES
from stub import COLUMNS, running
from support.clients import Client
from support.paths import TESTS
from support.stub_behaviours import BEHAVIOURS, NAMED, failing_later, failing_later_than

STUB = TESTS / "stub.py"
PROTOCOLS = [conformance.name for conformance in CONFORMANCES]
SAID = [behaviour.name for behaviour in BEHAVIOURS if not behaviour.wire]


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_leads_to_the_exit_code_of_the_list(name, capsysbinary):
    with running(name) as stub:
        for protocol in PROTOCOLS:
            code = run(["conform", protocol, "--endpoint", stub.url, "--format", "json"])
            found = json.loads(capsysbinary.readouterr().out)
            assert (protocol, code) == (protocol, NAMED[name].exits[COLUMNS.index(protocol)]), found
            assert found["passed"] is (code == 0)


@pytest.mark.parametrize("name", ["html", "unauthorized", "redirect", "half-json", "busy-long"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_cannot_be_judged_is_exit_2(name, protocol, client):
    with running(name) as stub:
        code, error = client.refused("conform", protocol, "--endpoint", stub.url)
    assert code == 2
    assert error.startswith("ENDPOINT_")


def test_nothing_listens(client):
    done = client.run("conform", "pb2s", "--endpoint", "http://127.0.0.1:9/chat")
    assert done.code == 2
    assert done.err.startswith("psreg: error[ENDPOINT_UNREACHABLE]")
    assert done.out == ""


def test_a_person_sees_prompt_rule_and_evidence(client):
    with running("four-bullets") as stub:
        done = client.run("conform", "pb2s", "--endpoint", f"{stub.url}/chat")
        assert done.code == 1
        assert "- and one more" in done.out
        assert done.out.splitlines()[-1].endswith("/chat does not conform: 3 errors")
        assert client.run("conform", "pb2s", "--endpoint", stub.url, "--quiet").code == 1


def test_prompts_of_ones_own(client):
    (client.place / "mine.json").write_text('["Why?", {"id": "rome", "message": "Rome?"}]')
    with running() as stub:
        options = ("--endpoint", f"{stub.url}/chat?key=hidden", "--prompts", "mine.json")
        done = client.run("conform", "pb2s", *options, "--format", "json")
        quiet = client.run("conform", "pb2s", *options, "--quiet")
    assert done.code == 0
    assert [probe["prompt"] for probe in done.json["probes"]][:2] == ["Why?", "Rome?"]
    assert stub.requests[0][2]["message"] == "Why?"
    assert "hidden" not in done.out
    assert (quiet.code, quiet.out) == (0, "")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("pb2s",), "USAGE"),
        (("pb2s", "--endpoint", "http://a.example/chat"), "BAD_ENDPOINT"),
        (("pb2s", "--endpoint", "http://127.0.0.1:9", "--timeout", "0"), "USAGE"),
        (("pb2s", "--endpoint", "http://127.0.0.1:9", "--timeout", "soon"), "USAGE"),
        (("soap", "--endpoint", "http://127.0.0.1:9"), "USAGE"),
    ],
)
def test_command_lines_that_cannot_be_meant(options, code, client):
    assert client.refused("conform", *options) == (2, code)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_found_is_kept_if_a_later_request_fails(protocol, client):
    with running() as stub:
        stub.behaviour = replace(stub.behaviour, wire=failing_later)
        command = ("conform", protocol, "--endpoint", stub.url, "--record", "r.jsonl")
        done = client.run(*command, "--format", "json")
        assert done.code == 2
        assert done.json["passed"] is False
        assert done.json["error"]["code"].startswith("ENDPOINT_")
        (probe,) = done.json["probes"]
        assert (client.place / "r.jsonl").read_text().count("\n") >= 1
        stub.behaviour = replace(stub.behaviour, wire=failing_later_than(len(stub.requests)))
        done = client.run("conform", protocol, "--endpoint", stub.url)
    assert done.code == 2
    assert f"{probe['id']}: " in done.out
    assert "1 probe" in done.out
    assert "the run is not complete" in done.out
    assert "error[ENDPOINT_" in done.err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_found_is_kept_after_ctrl_c(protocol, client):
    held = threading.Event()

    def second_waits(at):
        if at.number > 1:
            held.set()
            at.wait(60)
        at.right()

    with running() as stub:
        stub.behaviour = replace(stub.behaviour, wire=second_waits)
        command = [sys.executable, "-m", "psreg", "conform", protocol, "--endpoint", stub.url]
        with subprocess.Popen(
            [*command, "--format", "json", "--record", "r.jsonl"], cwd=client.place,
            stdout=subprocess.PIPE, env={**os.environ, "PSREG_HOME": str(client.home)},
        ) as process:  # fmt: skip
            assert held.wait(60)
            process.send_signal(signal.SIGINT)
            found = json.loads(process.stdout.read())
    assert process.returncode == 130
    assert (found["error"]["code"], len(found["probes"])) == ("INTERRUPTED", 1)
    assert (client.place / "r.jsonl").read_text()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_exchanges_are_recorded_as_a_transcript(protocol, client):
    with running() as stub:
        command = ("conform", protocol, "--endpoint", stub.url, "--record", "r.jsonl")
        settings = ("--temperature", "0.1", "--seed", "7")
        done = client.run(*command, *settings, "--format", "json")
        assert (done.code, done.json["passed"]) == (0, True)
        assert client.refused(*command) == (2, "EXISTS")
    assert {body["temperature"] for _, _, body in stub.requests} == {0.1}
    assert {body["seed"] for _, _, body in stub.requests} == {7}
    proofs = [probe["pb2s_proof"] for probe in done.json["probes"]]
    assert all(
        proof["decision"] == "APPROVE" if protocol == "pb2s" else proof is None for proof in proofs
    )
    found = client.run("transcript", "r.jsonl", "--protocol", protocol, "--format", "json")
    assert len(found.json["parsed"]) >= len(proofs)
    if protocol == "pb2s":
        records = [json.loads(line) for line in (client.place / "r.jsonl").read_text().splitlines()]
        assert [record["pb2s_proof"] for record in records] == proofs


def test_an_answer_that_a_limit_cut_off_never_passes(client):
    with running("length") as stub:
        done = client.run("conform", "plsp", "--endpoint", stub.url, "--record", "r.jsonl")
        quiet = client.run("conform", "plsp", "--endpoint", stub.url, "--quiet")
    assert done.code == quiet.code == 1
    assert "this answer was cut off" in done.out
    assert "does not conform: 0 errors, 8 answers cut off" in done.out
    assert "this answer was cut off" in quiet.out
    assert '"finish_reason": "length"' in (client.place / "r.jsonl").read_text()


def test_a_key_that_occurs_twice_is_an_error_as_in_a_transcript(client):
    with running("twice") as stub:
        done = client.run("conform", "pb2s", "--endpoint", stub.url, "--format", "json")
    assert done.code == 1
    assert {d["code"] for d in done.json["diagnostics"]} == {"PROTO001"}
    assert "duplicate key `model`" in done.json["diagnostics"][0]["message"]


def test_the_endpoint_may_be_in_the_environment(client):
    with running() as stub:
        environment = {"OPENAI_BASE_URL": f"{stub.url}/v1", "OPENAI_API_KEY": "sk-1"}
        assert client.run("conform", "plsp", **environment).code == 0
        assert client.run("conform", "pb2s", **environment).code == 2
        assert client.refused("conform", "plsp") == (2, "USAGE")
    assert stub.requests[0][1]["Authorization"] == "Bearer sk-1"


def test_a_query_and_further_headers_are_sent(client):
    with running() as stub:
        command = ("conform", "plsp", "--endpoint", f"{stub.url}/v1?api-version=7")
        assert client.run(*command).code == 0
        assert client.run(*command, "--header", "X-Team: a b").code == 0
        assert client.refused(*command, "--header", "no header") == (2, "USAGE")
        assert client.refused(*command, "--header", "Content-Length: 3") == (2, "USAGE")
        assert client.refused(*command, "--header", "host: evil.example") == (2, "USAGE")
    assert {path for path, _, _ in stub.requests} == {"/v1/chat/completions?api-version=7"}
    assert stub.requests[-1][1]["X-Team"] == "a b"


def test_the_program_that_does_it_with_python_alone(client):
    done = client.run("conform", "pb2s", "--write-script", "scripts/conformance.py")
    assert (done.code, done.out) == (0, "wrote scripts/conformance.py\n")
    script = client.place / "scripts/conformance.py"
    for behaviour, code in (("three-questions", 1), ("twice", 1), ("echo-key-escaped", 2)):
        with running(behaviour) as stub:
            run = subprocess.run(
                [sys.executable, "-I", script, "--endpoint", f"{stub.url}/chat"],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PSREG_API_KEY": "sk-secret-0123456789"},
            )
        assert run.returncode == code, run.stderr
        assert "sk-secret" not in run.stdout + run.stderr
    (client.place / "blocked").write_text("")
    blocked = ("conform", "pb2s", "--write-script", "blocked/conformance.py")
    assert client.refused(*blocked) == (4, "CANNOT_WRITE")


def test_the_list_of_behaviours():
    done = subprocess.run(
        [sys.executable, STUB, "--list"], capture_output=True, text=True, check=True
    )
    rows = done.stdout.partition("\n\n")[0].splitlines()[1:]
    assert len(rows) == len(BEHAVIOURS) == len(NAMED) >= 30
    for row, behaviour in zip(rows, BEHAVIOURS, strict=True):
        assert row.split()[:5] == [behaviour.name, *map(str, behaviour.exits)]


def test_a_behaviour_is_served_until_it_is_stopped(client):
    served = subprocess.Popen(
        [sys.executable, STUB, "--behaviour", "cycles-true", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = served.stdout.readline().split()[1]
        assert client.run("conform", "pb2s", "--endpoint", address).code == 1
    finally:
        served.terminate()
        served.communicate()
