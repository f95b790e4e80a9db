"""The gateway over HTTP, by its command line: what it takes, refuses, records; how often it asks."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from psreg.protocols.pb2s.trace import prompt_hash
from stub import running
from support.clients import Client
from support.exchanges import MESSAGE
from support.upstream import CONTRADICTION, Model, serving


@contextmanager
def gateway(upstream, folder, *options, **environment):
    """Run `psreg gateway` while the block runs; give its address."""
    command = [sys.executable, "-m", "psreg", "gateway", "pb2s", "--upstream", upstream]
    command += ["--port", "0", "--format", "json", *options]
    env = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE) as process:
        text = b""
        while not text.endswith(b"\n}\n"):
            line = process.stdout.readline()
            assert line
            text += line
        document = json.loads(text)
        assert document["schema"] == "psreg.gateway/1"
        assert document["upstream"] == upstream
        try:
            yield document["url"]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 0


def post(url, body, kind="application/json"):
    """Return status and JSON of the answer to `body`."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": kind})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.loads(response.read())
    except HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Give the address of a gateway before a model that behaves, the model, and its folder."""
    folder = tmp_path_factory.mktemp("gateway")
    model = Model()
    with serving(model) as upstream, gateway(upstream, folder) as url:
        yield url, model, folder


def test_a_message_is_answered_and_recorded(place):
    url, model, folder = place
    asked = len(model.requests)
    status, reply = post(url, {"message": MESSAGE})
    assert status == 200
    assert reply["text"].startswith("DRAFT\n")
    assert len(model.requests) - asked == 4
    record = json.loads((folder / "pb2s-trace.jsonl").read_text().splitlines()[-1])
    assert record["prompt_hash"] == prompt_hash(MESSAGE)
    assert record["pb2s_proof"] == reply["pb2s_proof"]
    assert set(record) == {"timestamp", "model_id", "prompt_hash", "pb2s_proof"}


def test_it_conforms(place, tmp_path):
    url, _, folder = place
    log = folder / "pb2s-trace.jsonl"
    done = Client(tmp_path).run(
        "conform", "pb2s", "--endpoint", url, "--trace-log", log, "--format", "json"
    )
    assert (done.code, done.json["diagnostics"]) == (0, [])
    assert [probe["notes"] for probe in done.json["probes"]] == [[], [], []]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"no json", 400, "NOT_JSON"),
        (b"[" * 100_000, 400, "NOT_JSON"),
        (b'{"message": "Why?", "message": "How?"}', 400, "NOT_JSON"),
        ([], 400, "NO_MESSAGE"),
        ({"message": 5}, 400, "NO_MESSAGE"),
        ({"message": "  "}, 400, "NO_MESSAGE"),
    ],
)
def test_what_is_no_message_is_refused(place, body, status, code):
    url, model, _ = place
    asked = len(model.requests)
    found = post(url, body)
    assert found[0] == status
    assert found[1]["schema"] == "psreg.error/1"
    assert found[1]["error"]["code"] == code
    assert len(model.requests) == asked


def test_a_web_page_cannot_post_here(place):
    url, _, _ = place
    assert post(url, {"message": "Hi"}, "text/plain")[0] == 415
    assert post(url, {"message": "Hi"}, "application/x-www-form-urlencoded")[0] == 415


def test_there_is_nothing_else(place):
    url, _, _ = place
    assert post(f"{url}/more", {"message": "Hi"})[0] == 404
    with pytest.raises(HTTPError) as caught:
        urllib.request.urlopen(url)
    with caught.value as error:
        assert (error.code, error.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("length", "status", "code"),
    [(None, 411, "NO_LENGTH"), ("-1", 400, "BAD_REQUEST"), ("1048577", 413, "TOO_LONG"),
     ("9" * 5000, 413, "TOO_LONG")],
)  # fmt: skip
def test_a_length_is_asked_for_and_bounded(place, length, status, code):
    url, _, _ = place
    connection = HTTPConnection(urlsplit(url).netloc)
    connection.putrequest("POST", "/chat")
    connection.putheader("Content-Type", "application/json")
    if length:
        connection.putheader("Content-Length", length)
    connection.endheaders()
    with connection.getresponse() as response:
        assert response.status == status
        assert json.loads(response.read())["error"]["code"] == code
    connection.close()


def test_the_longest_way_to_a_question_is_eight_requests(tmp_path):
    model = Model(refuses=("seed",), REFLECT=CONTRADICTION)
    with serving(model) as upstream, gateway(upstream, tmp_path) as url:
        status, reply = post(url, {"message": MESSAGE})
    assert (status, reply["pb2s_proof"]["decision"]) == (200, "CLARIFY")
    assert reply["pb2s_proof"]["sampler"]["seed"] == "not supported by upstream"
    assert len(model.requests) == 8


def test_a_model_that_never_does_it_right_is_not_asked_for_ever(tmp_path):
    model = Model(DRAFT=["", "It boils."], REFLECT=["x", CONTRADICTION], LEARNED="")
    with serving(model) as upstream, gateway(upstream, tmp_path) as url:
        status, document = post(url, {"message": MESSAGE})
    assert (status, document["error"]["code"]) == (502, "UPSTREAM_CALLS")
    assert len(model.requests) == 8
    assert (tmp_path / "pb2s-trace.jsonl").read_text() == ""


@pytest.mark.parametrize("behaviour", ["error-always", "html", "choices-object", "content-null"])
def test_an_upstream_that_fails_is_asked_once(tmp_path, behaviour):
    with running(behaviour) as stub, gateway(stub.url, tmp_path) as url:
        status, document = post(url, {"message": MESSAGE})
    assert status == 502
    assert document["error"]["code"].startswith("ENDPOINT_")
    assert len(stub.requests) == 1


def test_a_busy_upstream_says_when_to_ask_again(tmp_path):
    with running("busy-long") as stub, gateway(stub.url, tmp_path) as url:
        request = urllib.request.Request(
            url, json.dumps({"message": MESSAGE}).encode(), {"Content-Type": "application/json"}
        )
        with pytest.raises(HTTPError) as caught:
            urllib.request.urlopen(request)
        with caught.value as answer:
            document = json.loads(answer.read())
    assert (answer.code, answer.headers["Retry-After"]) == (503, "3600")
    assert document["error"]["code"] == "ENDPOINT_BUSY"


def test_an_answer_that_a_limit_cut_off_is_not_approved(tmp_path):
    with running("length") as stub, gateway(stub.url, tmp_path) as url:
        status, document = post(url, {"message": MESSAGE})
    assert (status, document["error"]["code"]) == (502, "UPSTREAM_UNUSABLE")
    assert "it was cut off" in document["error"]["message"]
    assert len(stub.requests) == 2


@pytest.mark.parametrize(
    ("mode", "roles"),
    [
        ("any", ["system", "user", "user", "assistant", "user"]),
        ("alternating", ["system", "user", "assistant", "user"]),
        ("no-system", ["user", "assistant", "user"]),
    ],
)
def test_roles_for_models_that_want_an_order(tmp_path, mode, roles):
    model = Model()
    with serving(model) as upstream, gateway(upstream, tmp_path, "--roles", mode) as url:
        assert post(url, {"message": MESSAGE})[0] == 200
    messages = model.requests[1]["messages"]
    assert [message["role"] for message in messages] == roles
    said = "\n\n".join(message["content"] for message in messages)
    assert said.startswith("You answer in separate steps")
    assert MESSAGE in said


def test_a_temperature_may_be_documented(tmp_path):
    hot = ("--temperature", "0.9")
    client = Client(tmp_path)
    refused = client.refused("gateway", "pb2s", "--upstream", "http://127.0.0.1:9", *hot)
    assert refused == (2, "USAGE")
    model = Model()
    documented = (*hot, "--temperature-documented")
    with serving(model) as upstream, gateway(upstream, tmp_path, *documented) as url:
        status, reply = post(url, {"message": MESSAGE})
        assert client.run("conform", "pb2s", "--endpoint", url).code == 0
    assert status == 200
    assert reply["pb2s_proof"]["sampler"]["temperature"] == model.requests[0]["temperature"] == 0.9
    assert reply["pb2s_proof"]["sampler"]["waiver"]


def test_a_hundred_connections_are_taken(place):
    url, _, _ = place
    host = urlsplit(url).netloc
    connections = [HTTPConnection(host) for _ in range(100)]
    body = json.dumps({"message": MESSAGE})
    for connection in connections:
        connection.request("POST", "/chat", body, {"Content-Type": "application/json"})
    replies = []
    for connection in connections:
        with connection.getresponse() as response:
            replies.append((response.status, json.loads(response.read())))
        connection.close()
    assert {status for status, _ in replies} == {200}
    assert len({reply["pb2s_proof"]["audit_ref"] for _, reply in replies}) == 100


def test_the_stub_can_be_the_model(tmp_path):
    with running() as stub, gateway(stub.url, tmp_path) as url:
        done = Client(tmp_path).run("conform", "pb2s", "--endpoint", url)
        _, reply = post(url, {"message": "What does !<g> mean?"})
    assert done.code == 0, done.out
    assert reply["pb2s_proof"]["cycles"] == 2


def test_words_that_are_no_reflection_are_no_answer(tmp_path):
    model = Model(REFLECT="You said: examine the draft.")
    with serving(model) as upstream, gateway(upstream, tmp_path) as url:
        status, document = post(url, {"message": MESSAGE})
    assert (status, document["error"]["code"]) == (502, "UPSTREAM_UNUSABLE")


def test_the_key_goes_upstream_and_into_no_file(tmp_path):
    with running() as stub, gateway(stub.url, tmp_path, PSREG_API_KEY="a-key") as url:
        _, document = post(url, {"message": MESSAGE})
    assert {headers["Authorization"] for _, headers, _ in stub.requests} == {"Bearer a-key"}
    assert "a-key" not in json.dumps(document)


def test_no_answer_leaves_without_a_record(tmp_path):
    log = tmp_path / "logs" / "trace.jsonl"
    log.parent.mkdir()
    with serving(Model()) as upstream, gateway(upstream, tmp_path, "--trace-log", str(log)) as url:
        log.unlink()
        log.parent.rmdir()
        status, document = post(url, {"message": MESSAGE})
    assert (status, document["error"]["code"]) == (500, "CANNOT_WRITE")


def test_what_it_cannot_start_with(tmp_path):
    client = Client(tmp_path)

    def start(*options):
        return client.run("gateway", "pb2s", *options, "--format", "json")

    where = ("--upstream", "http://127.0.0.1:9")
    assert start().code == 2
    assert start("--upstream", "http://example.org").code == 2
    assert start(*where, "--temperature", "0.3").code == 2
    assert start(*where, "--temperature", "cold").code == 2
    nowhere = start(*where, "--port", "0", "--trace-log", tmp_path / "no/where")
    assert (nowhere.code, nowhere.json["error"]["code"]) == (4, "CANNOT_WRITE")
    with serving(Model()) as upstream:
        port = upstream.rpartition(":")[2]
        busy = start(*where, "--port", port)
    assert (busy.code, busy.json["error"]["code"]) == (4, "PORT_BUSY")
    assert not list(client.place.rglob("*.jsonl"))


def test_what_a_person_reads(tmp_path):
    command = [sys.executable, "-m", "psreg", "gateway", "pb2s", "--port", "0"]
    command += ["--upstream", "http://127.0.0.1:9/v1?key=secret"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1) as process:
        lines = [process.stdout.readline().decode(), process.stdout.readline().decode()]
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert process.stderr.read() == b"stopped\n"
    assert lines[0].startswith("answering in PB2S at http://127.0.0.1:")
    assert "pb2s-trace.jsonl" in lines[1]
