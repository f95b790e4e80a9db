"""`conformance.py` is one file, needs Python alone, and is `psreg conform pb2s`."""

import json
import os
import runpy
import subprocess
import sys
from zipfile import ZipFile

import pytest

from psreg.conversations.standalone_script import conformance_script
from stub import running
from support.clients import Client
from support.stub_behaviours import BEHAVIOURS
from support.walks import sampled

SOURCE = conformance_script()


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("scripts") / "conformance.py"
    path.write_bytes(SOURCE)
    return path


def run(script, *arguments, python=(sys.executable, "-I", "-S", "-W", "error"), **environment):
    # -I and -S: neither psreg nor any other package is there.
    env = {key: value for key, value in os.environ.items() if key != "PSREG_API_KEY"} | environment
    command = [*python, script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def test_it_begins_with_what_it_is(script):
    head = SOURCE.partition(b"PK")[0].decode("ascii").splitlines()
    assert head[0] == "#!/usr/bin/env python3"
    assert all(line.startswith("#") for line in head)
    assert any("zipfile -e" in line for line in head)


def test_it_brings_no_more_than_it_needs(script):
    with ZipFile(script) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "__main__.py",
        "psreg",
        "urllib3",
    }
    assert "psreg/http/client.py" in names
    assert not [name for name in names if name.startswith(("psreg/client/", "psreg/forges/"))]


def test_the_libraries_in_it_bring_their_licences(script):
    with ZipFile(script) as archive:
        licences = [name for name in archive.namelist() if "/licenses/" in name]
        assert {name.partition("-")[0] for name in licences} == {"urllib3"}
        assert all(b"Copyright" in archive.read(name) for name in licences)


def test_it_writes_itself(script, tmp_path):
    assert run(script, "--write-script", tmp_path / "again.py").returncode == 0
    assert (tmp_path / "again.py").read_bytes() == SOURCE == conformance_script()


def test_it_says_how_it_is_used(script):
    assert run(script, "--help").returncode == 0
    assert run(script).returncode == 2


CONCERNED = [row for row in BEHAVIOURS if not (row.vpp or row.plsp or row.chat)]
"""The behaviours that are not about another protocol alone."""

FLAGS = {"--timeout 1": ("--timeout", "1")}


@pytest.mark.parametrize(
    "row", sampled(CONCERNED, 6, lambda row: [row.exits[0]]), ids=lambda row: row.name
)
def test_its_verdict_is_that_of_psreg(script, tmp_path, row):
    flags = FLAGS.get(row.flags, ())
    key = {"PSREG_API_KEY": "a-key-of-sixteen-letters"} if "KEY" in row.flags else {}
    with running(row.name) as stub:
        where = ("--endpoint", f"{stub.url}/chat", "--format", "json")
        done = run(script, *where, *flags, **key)
    assert "Traceback" not in done.stderr
    assert done.returncode == row.exits[0], done.stdout + done.stderr
    if row.exits[0] == 2:
        assert json.loads(done.stdout)["error"]["code"].startswith("ENDPOINT_")
        return
    with running(row.name) as stub:
        report = Client(tmp_path).run(
            "conform", "pb2s", "--endpoint", f"{stub.url}/chat", "--format", "json"
        )
    assert report.code == done.returncode
    assert json.loads(done.stdout)["diagnostics"] == report.json["diagnostics"]


def test_the_key_reaches_the_endpoint_and_nothing_else(script):
    with running() as stub:
        done = run(script, "--endpoint", stub.url, PSREG_API_KEY="a-key")
    assert done.returncode == 0
    assert {headers["Authorization"] for _, headers, _ in stub.requests} == {"Bearer a-key"}
    assert {path for path, _, _ in stub.requests} == {"/chat"}
    assert "a-key" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    sampled(
        [
            ("--endpoint", "http://127.0.0.1:9/chat"),
            ("--endpoint", "http://example.org/chat"),
            ("--endpoint", "ftp://127.0.0.1/chat"),
            ("--endpoint", "http://127.0.0.1:x/chat"),
            ("--endpoint", "http://u:p@127.0.0.1/chat"),
            ("--endpoint", "http://127.0.0.1/a b"),
            ("--endpoint", "chat"),
            ("--endpoint", "http://127.0.0.1:9", "--timeout", "0"),
            ("--endpoint", "http://127.0.0.1:9", "--timeout", "nan"),
            ("--endpoint", "http://127.0.0.1:9", "--prompts", "nowhere.json"),
        ],
        4,
        kinds=lambda arguments: [arguments[2:3]],
    ),
    ids=str,
)
def test_what_cannot_be_judged_ends_with_2(script, arguments):
    done = run(script, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "prompts",
    sampled(
        ["", "{}", "[]", "[5]", '[""]', '["a", {"id": "1", "message": "b"}]', '[{"id": "a"}]',
         '[{"id": 5, "message": "b"}]', "[NaN]", json.dumps(["a"] * 101)],
        3,
    ),
)  # fmt: skip
def test_prompts_that_are_none(script, tmp_path, prompts):
    path = tmp_path / "prompts.json"
    path.write_text(prompts)
    for answer in (
        run(script, "--endpoint", "http://127.0.0.1:9", "--prompts", path).returncode,
        Client(tmp_path)
        .run("conform", "pb2s", "--endpoint", "http://127.0.0.1:9", "--prompts", path)
        .code,
    ):
        assert answer == 2


def test_prompts_and_a_log_of_ones_own(script, tmp_path):
    prompts, log = tmp_path / "prompts.json", tmp_path / "trace.jsonl"
    prompts.write_text('["Why?", {"id": "rome", "message": "Rome\\u001b[31m?"}]')
    log.write_text("")
    with running() as stub:
        where = ("--endpoint", stub.url, "--prompts", prompts)
        fine = run(script, *where)
        unlogged = run(script, *where, "--trace-log", log)
        missing = run(script, *where, "--trace-log", tmp_path / "nowhere")
    assert fine.returncode == 0
    assert fine.stdout.startswith("1: Why?\n  ok\n")
    assert "\x1b" not in fine.stdout
    assert unlogged.returncode == 1
    assert unlogged.stdout.count("error[PB2S025]") == 2
    assert missing.returncode == 2


def test_an_older_python_is_told_so(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 10))
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(script), run_name="__main__")
    assert (caught.value.code, capsys.readouterr().err) == (2, "conformance.py needs Python 3.11\n")


def test_it_is_written_by_the_command_line(tmp_path):
    client = Client(tmp_path)
    path = tmp_path / "scripts/conformance.py"
    assert client.run("conform", "pb2s", "--write-script", path).code == 0
    assert path.read_bytes() == SOURCE
    assert os.access(path, os.X_OK)
