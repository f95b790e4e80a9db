"""`psreg conform` against the stub: the exit codes that `python tests/stub.py --list` promises."""

import json
import os
import subprocess
import sys

import pytest

from psreg.cli.main import run
from psreg.conversations.conform import CONFORMANCES
from stub import COLUMNS, running
from support.clients import Client
from support.paths import TESTS
from support.stub_behaviours import BEHAVIOURS, NAMED

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


def test_the_program_that_does_it_with_python_alone(client):
    done = client.run("conform", "pb2s", "--write-script", "scripts/conformance.py")
    assert (done.code, done.out) == (0, "wrote scripts/conformance.py\n")
    script = client.place / "scripts/conformance.py"
    with running("three-questions") as stub:
        run = subprocess.run(
            [sys.executable, "-I", script, "--endpoint", f"{stub.url}/chat"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 1
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
