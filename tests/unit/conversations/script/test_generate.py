"""`conformance.py` is one file, needs Python alone, and judges everything as `psreg conform` does."""

import ast
import json
import os
import re
import runpy
import subprocess
import sys

import pytest

from psreg.conversations.script.generate import conformance_script
from psreg.protocols.pb2s.prompts import own_prompts_json
from psreg.protocols.pb2s.proof_schema import proof_schema
from psreg.protocols.pb2s.rules import PB2S_RULES
from stub import running
from support.clients import Client
from support.stub_behaviours import BEHAVIOURS

SOURCE = conformance_script()


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("scripts") / "conformance.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(script, *arguments, python=(sys.executable, "-I", "-S", "-W", "error"), **environment):
    # -I and -S: neither psreg nor any other package is there.
    env = {key: value for key, value in os.environ.items() if key != "PSREG_API_KEY"} | environment
    command = [*python, script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def test_no_name_is_given_to_two_things():
    names = []
    for node in ast.parse(SOURCE).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=targets):
                names += [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                assert all(alias.asname is None for alias in aliases)
                names += [alias.name for alias in aliases if alias.name != "sys"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_it_imports_the_standard_library_alone():
    nodes = list(ast.walk(ast.parse(SOURCE)))
    plain = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    names = plain + [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    modules = {name.partition(".")[0] for name in names}
    assert modules <= sys.stdlib_module_names | {"__future__"}


def test_it_holds_every_rule_and_the_data(script):
    space = runpy.run_path(str(script), run_name="conformance")
    assert [rule.code for rule in space["PB2S_RULES"]] == [rule.code for rule in PB2S_RULES]
    assert [rule.doc for rule in space["PB2S_RULES"]] == [rule.doc for rule in PB2S_RULES]
    assert space["proof_schema"]() == proof_schema()
    assert space["own_prompts_json"]() == own_prompts_json()


def test_it_says_how_it_is_used(script):
    assert run(script, "--help").returncode == 0
    assert run(script).returncode == 2


CONCERNED = [row for row in BEHAVIOURS if not (row.vpp or row.plsp or row.chat)]
"""The behaviours that are not about another protocol alone."""

FLAGS = {"--timeout 1": ("--timeout", "1")}


@pytest.mark.parametrize("row", CONCERNED, ids=lambda row: row.name)
def test_its_verdict_is_that_of_psreg(script, tmp_path, row):
    flags = FLAGS.get(row.flags, ())
    key = {"PSREG_API_KEY": "a-key-of-sixteen-letters"} if "KEY" in row.flags else {}
    with running(row.name) as stub:
        done = run(script, "--endpoint", f"{stub.url}/chat", *flags, **key)
    assert "Traceback" not in done.stderr
    assert done.returncode == row.exits[0], done.stdout + done.stderr
    if row.exits[0] == 2:
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)
        return
    with running(row.name) as stub:
        report = Client(tmp_path).run(
            "conform", "pb2s", "--endpoint", f"{stub.url}/chat", "--format", "json"
        )
    assert report.code == done.returncode
    found = [d["code"] for d in report.json["diagnostics"]]
    assert sorted(re.findall(r"^  \w+ (PB2S\d{3}) ", done.stdout, re.MULTILINE)) == sorted(found)


def test_the_key_reaches_the_endpoint_and_nothing_else(script):
    with running() as stub:
        done = run(script, "--endpoint", stub.url, PSREG_API_KEY="a-key")
    assert done.returncode == 0
    assert {headers["Authorization"] for _, headers, _ in stub.requests} == {"Bearer a-key"}
    assert {path for path, _, _ in stub.requests} == {"/chat"}
    assert "a-key" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
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
    ids=str,
)
def test_what_cannot_be_judged_ends_with_2(script, arguments):
    done = run(script, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "prompts",
    ["", "{}", "[]", "[5]", '[""]', '["a", {"id": "1", "message": "b"}]', '[{"id": "a"}]',
     '[{"id": 5, "message": "b"}]', "[NaN]", json.dumps(["a"] * 101)],
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
    assert fine.stdout.startswith("1: Why? ok\n")
    assert "\x1b" not in fine.stdout
    assert unlogged.returncode == 1
    assert unlogged.stdout.count("PB2S025") == 2
    assert missing.returncode == 2


def test_an_older_python_is_told_so(script):
    code = f"import sys; sys.version_info = (3, 10); exec(open({str(script)!r}).read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"conformance.py needs Python 3.11\n")


def test_it_is_written_by_the_command_line(tmp_path):
    client = Client(tmp_path)
    path = tmp_path / "scripts/conformance.py"
    assert client.run("conform", "pb2s", "--write-script", path).code == 0
    assert path.read_text(encoding="utf-8") == SOURCE
    assert os.access(path, os.X_OK)
