"""What every command prints under `--format json` is what its published schema says, always.

Each command is run by its real command line, where it succeeds and where it fails. The schemas
are closed for this: a member that none of them names is a mistake of ours, though readers have to
expect one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from psreg.cli.commands import COMMANDS
from simulator import Simulator
from stub import running
from support import review_cases
from support.bare import Bare
from support.catalogue import checkout
from support.clients import Client
from support.loopback import serving
from support.paths import PBES

SCHEMAS = files("psreg.formats") / "schemas"
PBE = '{"pbe_name": "hello", "pbe_version": "1.0", "pbe_class": "stateless_executor"}\n'
PROMPT = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello {name}\n"
OUTPUTS = {
    "check": ("report",),
    "explain": ("explain",),
    "render": ("render",),
    "show": ("show",),
    "copy": ("copy",),
    "export": ("export",),
    "mcp": ("mcp",),
    "path": ("path",),
    "open": ("open",),
    "completion": ("completion",),
    "man": ("man",),
    "install": ("install", "project"),
    **dict.fromkeys(("add", "remove", "lock", "sync"), ("project",)),
    **{name: (name,) for name in ("outdated", "update", "why", "tree", "cache")},
    "uninstall": ("uninstall",),
    "list": ("list",),
    "info": ("info",),
    "search": ("search",),
    "verify": ("verify",),
    "registry": ("registry",),
    "mirror": ("mirror",),
    "publish": ("publish", "report"),
    "audit": ("audit",),
    "doctor": ("doctor",),
    "keys": ("keys",),
    "sign": ("sign",),
    "yank": ("yank",),
    "revoke": ("withdrawal",),
    "purge": ("withdrawal",),
    "site": ("site",),
    "serve": ("serve",),
    "deploy": ("deploy",),
    "new": ("new",),
    "import": ("import",),
    "init": ("init",),
    "bump": ("bump",),
    "diff": ("diff",),
    "submit": ("submit", "submit_batch"),
    "review": ("review",),
    "conform": ("conform", "script"),
    "gateway": ("gateway",),
    "try": ("try", "try_platforms", "models"),
    "transcript": ("transcript",),
    "plsp": ("plsp_run", "plsp_inspect"),
}
"""Schemas of what a command prints when it could do its work."""

ANA = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")

FORMS = sorted({name for names in OUTPUTS.values() for name in names} | {"error"})


def named(uri):
    return Resource.from_contents(schema(uri.rpartition("/")[2].removesuffix(".schema.json")))


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())


def closed(value):
    """Return a schema that allows only what it names."""
    if isinstance(value, list):
        return [closed(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {key: closed(item) for key, item in value.items()}
    if value.get("type") in ("object", ["object", "null"]) and "properties" in value:
        return {"additionalProperties": False, **inner}
    return inner


def check(name, document):
    validator = Draft202012Validator(closed(schema(name)), registry=Registry(retrieve=named))
    found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    assert found == []


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def say(client):
    """Run a command, demand its exit code, and judge its one document; return the document."""

    def run(name, code, *argv, cwd=None, typed=""):
        done = client.run(*argv, "--format", "json", cwd=cwd, typed=typed)
        assert done.code == code, (done.out, done.err)
        check(name, done.json)
        assert name == "error" or name in OUTPUTS[argv[0]]
        return done.json

    return run


@pytest.fixture
def registry(tmp_path):
    made = Simulator(mode="dev").release("quiz_master", "1.0.0", yanked="broken")
    tested = [{"platform": "claude", "result": "pass", "date": "2026-11-01"}]
    made.release("quiz_master", "1.1.0", release={"tested": tested})
    made.release("diary", entry_class="prompt", data=PROMPT.encode(), release={"tags": ["calm"]})
    made.records["diary"]["deprecated"] = {"reason": "old"}
    return made.publish().store(tmp_path / "registry")


def test_every_command_has_a_schema():
    assert {command for _, command, _ in COMMANDS} == set(OUTPUTS)


@pytest.mark.parametrize("name", FORMS)
def test_a_schema_is_one_and_says_what_everything_is(name):
    document = schema(name)
    Draft202012Validator.check_schema(document)
    assert document["$id"] == f"/schemas/{name}.schema.json"
    assert document["title"]
    assert document["description"].endswith(".")
    for example in document.get("examples", []):
        check(name, example)
    rows = list(properties(document))
    assert rows
    for key, row in rows:
        assert "description" in row or "$ref" in row, key


def properties(value):
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "properties":
                yield from item.items()
            yield from properties(item)


def test_a_report(say, client):
    (client.place / "hello.pbe.txt").write_text(PBE)
    assert say("report", 1, "check", "hello.pbe.txt")["counts"]["error"] > 1
    (client.place / "a.prompt").write_text(PROMPT)
    assert say("report", 0, "check", "a.prompt")["counts"]["error"] == 0
    assert "diff" in say("report", 1, "check", "hello.pbe.txt", "--diff")
    assert say("report", 1, "check", "hello.pbe.txt", "--fix")["fixed"]
    assert "text" in say("report", 1, "check", "-", "--fix", typed=PBE)


def test_a_report_of_waived_findings(say):
    found = say("report", 0, "check", cwd=PBES)["diagnostics"]
    assert {d["waived_by"] for d in found if d["waived"] is not None} == {"policy"}


def test_no_report(say):
    say("error", 4, "check", "nowhere.prompt")
    say("error", 2, "check", "--select", "PBE999")
    say("error", 2, "check", "-", typed="neither")


def test_rules(say):
    assert say("explain", 0, "explain", "PBE006")["code"] == "PBE006"
    assert len(say("explain", 0, "explain", "--all")) > 50
    assert len(say("explain", 0, "explain", "PS080")) == 5
    assert say("explain", 0, "explain", "NO_HOME")["exit_code"] == 4
    assert say("explain", 0, "explain", "NOT_JSON")["exit_code"] is None
    assert len(say("explain", 0, "explain", "--errors")) > 100
    say("error", 2, "explain", "PBE999")


def test_a_prompt_rendered_and_shown(say, client):
    path = client.place / "a.prompt"
    path.write_text(PROMPT)
    path.with_name("v.json").write_text('{"other": "x"}')
    values = ("--vars", "v.json", "--allow-missing")
    assert say("render", 0, "render", path, *values)["unknown"] == ["other"]
    assert say("show", 0, "show", path)["format"] == "prompt"
    path.with_name("b.pbe.txt").write_text(PBE)
    assert say("show", 0, "show", "b.pbe.txt")["format"] == "pbe"
    say("error", 1, "render", path)
    say("error", 4, "render", "nowhere.prompt")
    say("error", 4, "show", "nowhere.prompt")
    say("error", 4, "show", "nothing")


def test_the_life_of_an_installation(say, client, registry):
    where = ("--registry", registry)
    say("list", 0, "list")
    for status in ("installed", "unchanged"):
        rows = say("install", 0, "install", "quiz_master", "diary", *where)["installed"]
        assert {row["status"] for row in rows} == {status}
    say("install", 0, "install", "diary", "--to", "out", *where)
    assert len(say("list", 0, "list")["installed"]) == 2
    assert say("verify", 0, "verify", *where)["checked"] == 2
    next(client.library.rglob("diary.prompt")).write_text("changed")
    assert say("verify", 3, "verify", "diary")["results"][0]["problem"]
    say("uninstall", 0, "uninstall", "diary")
    say("error", 4, "uninstall", "diary")
    say("error", 4, "verify", "diary")
    say("error", 4, "install", "nothing", *where)
    say("error", 2, "install", "A B", *where)
    say("error", 2, "list", "--bogus")


def test_a_project(say, client, registry):
    say("error", 4, "lock")
    client.run("registry", "add", registry)
    assert say("project", 0, "add", "diary")["changed"]
    for command in ("lock", "lock --check", "sync", "install --frozen"):
        assert say("project", 0, *command.split())["changed"] == []
    assert say("tree", 0, "tree")["rows"][0]["name"] == "diary"
    assert say("verify", 0, "verify")["results"][0]["compared"] == ["lock", "proof"]
    assert say("path", 0, "path", "diary")["path"].endswith("prompts/diary.prompt")
    assert say("why", 0, "why", "diary")["reasons"]
    say("error", 4, "why", "quiz_master")
    say("project", 0, "add", "quiz_master@1.0.0")
    (client.place / "psreg.toml").write_text('[prompts]\ndiary = "*"\nquiz_master = "^1"\n')
    assert say("outdated", 1, "outdated", "--exit-code")["outdated"][0]["wanted"] == "1.1.0"
    assert say("update", 0, "update", "--dry-run")["changes"][0]["after"] == "1.1.0"
    assert say("update", 0, "update", "quiz_master", "--precise", "1.1.0")["changes"]
    say("error", 2, "update", "--precise", "1.1.0")
    assert say("outdated", 0, "outdated", "--exit-code")["outdated"] == []
    say("error", 4, "update", "nothing")
    assert say("cache", 0, "cache", "dir")["files"] > 4
    assert say("cache", 0, "cache", "verify")["deleted"] == []
    assert say("cache", 0, "cache", "clean")["deleted"]
    with (client.place / "psreg.toml").open("a") as file:
        file.write('[[targets]]\ntarget = "agents-md"\n')
    assert say("project", 0, "sync")["exports"][0]["status"] == "written"
    (client.place / "prompts/diary.prompt").write_text("changed")
    say("error", 1, "sync")
    say("error", 2, "install", "--frozen", "diary")
    rows = say("project", 0, "remove", "diary", "quiz_master")["files"]
    assert {row["status"] for row in rows} == {"kept", "removed"}
    say("error", 4, "remove", "diary")


def test_a_shell(say, tmp_path):
    assert "complete -" in say("completion", 0, "completion", "bash")["script"]
    say("error", 2, "completion", "csh")
    assert "psreg-path.1" in say("man", 0, "man", "path")["pages"]
    assert "psreg.1" in say("man", 0, "man", "--to", str(tmp_path / "man"))["pages"]
    say("error", 2, "man", "patth")


def test_using_a_prompt_elsewhere(say, client, registry, tmp_path, monkeypatch):
    (tmp_path / "xclip").write_text("#!/bin/sh\ncat > /dev/null\n")
    (tmp_path / "xclip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for name, value in {"DISPLAY": ":9", "WAYLAND_DISPLAY": "", "BROWSER": "true"}.items():
        monkeypatch.setenv(name, value)
    where = ("--registry", registry)
    assert say("copy", 0, "copy", "diary", "--set", "name=Ana", *where)["to"] == "the clipboard"
    say("error", 1, "copy", "diary", *where)
    say("install", 0, "install", "diary", *where)
    to = ("--target", "openai", "--to", str(tmp_path / "exports"))
    export = say("export", 0, "export", "diary", "--set", "name=Ana", *to)
    assert export["files"][0]["path"].endswith("diary.openai.json")
    say("error", 1, "export", "diary", *to)
    assert len(say("export", 0, "export", "--list")["targets"]) > 10
    assert say("path", 0, "path", "diary")["path"].endswith("diary.prompt")
    say("error", 4, "path", "quiz_master")
    say("error", 4, "open", "diary", *where)
    paths = [each for each in registry.rglob("*") if each.is_file()]
    files = {str(each.relative_to(registry)): each.read_bytes() for each in paths}
    with serving(files) as server:
        pin = hashlib.sha256(files["registry/metadata/1.root.json"]).hexdigest()
        client.trust(server.url, pin)
        assert say("open", 0, "open", "diary")["opened"]


def test_finding(say, registry, tmp_path):
    where = ("--registry", registry)
    assert say("search", 0, "search", *where)["count"] == 2
    assert say("info", 0, "info", "quiz_master", *where)["selected"] == "1.1.0"
    say("error", 4, "search", "--registry", tmp_path / "nowhere")
    say("error", 4, "info", "nothing", *where)


def test_registries(say, registry):
    assert say("registry", 0, "registry", "add", registry, "--name", "main")["added"]["default"]
    assert say("registry", 0, "registry", "list")["registries"][0]["name"] == "main"
    assert say("registry", 0, "registry", "remove", "main", "--forget")["forgotten"]
    say("error", 4, "registry", "remove", "main")
    say("error", 2, "registry", "add")


def test_mirroring(say, registry, tmp_path):
    done = say("mirror", 0, "mirror", tmp_path / "copy", "--registry", registry)
    assert done["written"] > done["deleted"] == 0
    say("error", 4, "mirror", registry, "--registry", registry)


def test_publishing(say, tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(PBES / "prompt/email_reply", root / "pbes/prompt/email_reply")
    shutil.copytree(PBES.parent / "registry", root / "registry", ignore=only_policy)
    assert say("publish", 0, "publish", cwd=root)["released"]
    assert say("publish", 0, "publish", "--resign", cwd=root)["released"] == []
    assert say("audit", 0, "audit", cwd=root)["checked"] == 1
    say("error", 4, "audit", "--registry-dir", "elsewhere", cwd=root)
    assert say("doctor", 0, "doctor", cwd=root)["mode"] == "dev"
    assert say("doctor", 1, "doctor", "--production", cwd=root)["registry"]
    say("error", 4, "doctor", "elsewhere", cwd=root)
    (root / "pbes/stray.prompt").write_text(PROMPT)
    assert say("report", 1, "publish", cwd=root)["counts"]["error"]
    say("error", 4, "publish", cwd=tmp_path)


def only_policy(_folder, names):
    return [name for name in names if name != "policy.toml"]


def test_authoring(say, tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(PBES / "prompt/email_reply", root / "pbes/prompt/email_reply")
    assert say("new", 0, "new", "prompt", "trip_packer", cwd=root)["gaps"]
    imported = say("import", 0, "import", "-", "--address", "https://a.org", cwd=root, typed="Go.")
    assert imported["rows"][0]["status"] == "taken"
    assert say("bump", 0, "bump", "email_reply", "minor", cwd=root)["previous"] == "1.0.0"
    assert say("bump", 0, "bump", "email_reply", "auto", cwd=root)["diff"]["floor"] == "patch"
    folder = root / "pbes/prompt/email_reply"
    same = say("diff", 0, "diff", folder / "1.0.0", "email_reply@1.0.0", cwd=root)
    assert (same["floor"], same["changes"]) == ("none", [])
    text = next((folder / "1.1.0").glob("*.prompt")).read_text()
    (root / "draft.prompt").write_text(text + "Be kind to {person}.\n")
    found = say("diff", 0, "diff", "email_reply", "draft.prompt", cwd=root)
    assert (found["floor"], found["least"]) == ("major", "2.0.0")
    found = say("bump", 0, "bump", "email_reply", "auto", "--from", "draft.prompt", cwd=root)
    assert found["version"] == "2.0.0"
    release = "email_reply@1.0.0"
    assert say("yank", 0, "yank", release, "--reason", "It is rude.", cwd=root)["reason"]
    assert say("yank", 0, "yank", release, "--undo", cwd=root)["reason"] is None
    say("error", 4, "yank", release, "--undo", cwd=root)
    say("error", 2, "new", "prompt", "Not A Name", cwd=root)
    say("error", 4, "bump", "nothing", "patch", cwd=root)


def test_submitting(say, tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(PBES / "prompt/email_reply", root / "pbes/prompt/email_reply")
    say("error", 2, "submit", cwd=root)
    for step in (["init", "-q"], [*ANA, "commit", "-qm", "Start", "--allow-empty"]):
        subprocess.run(["git", *step], cwd=root, check=True)
    for key, value in (("name", "Ana"), ("email", "ana@example.org")):
        subprocess.run(["git", "config", f"user.{key}", value], cwd=root, check=True)
    assert say("submit", 1, "submit", cwd=root)["objections"]
    (root / "registry").mkdir()
    shutil.copy(PBES.parent / "registry/policy.toml", root / "registry")
    for step in (["add", "registry"], ["commit", "-qm", "Decide"]):
        subprocess.run(["git", *step], cwd=root, check=True)
    assert say("submit", 0, "submit", cwd=root)["branch"] == "submit/email_reply"
    (done,) = say("submit_batch", 0, "submit", "--batch", cwd=root)["submissions"]
    assert done["branch"] == "submit/email_reply"


def test_a_new_registry(say, tmp_path):
    made = tmp_path / "made"
    assert say("init", 0, "init", made, "--forge", "gitlab")["forges"] == ["gitlab"]
    say("error", 2, "init", made)
    assert say("init", 0, "init", made, "--force")["kept"]


def test_loops(say, client):
    (client.place / "p.txt").write_text('@set:$a=1;@sig:!fetch,"a","b";\n')
    (client.place / "a").write_text("2")
    trace = client.place / "t.jsonl"
    with running() as stub:
        loop = ["plsp", "run", "--endpoint", stub.url, "--program", "p.txt", "--max-cycles", "2"]
        ran = say("plsp_run", 0, *loop, "--trace", trace, "--allow-fetch", "a=a")
    assert ran["cycles"][0]["fetched"] == {"b": "2"}
    trace.write_text(trace.read_text() + '{"previous": "S{$a:1;}S", "next": "S{$c:2;>$c;}S"}\n')
    assert say("plsp_inspect", 0, "plsp", "inspect", trace)["counts"]["warning"] == 2
    say("error", 4, *loop)
    trace.write_text("User: hello\nAssistant: hello\n")
    say("error", 1, "plsp", "inspect", trace)


def test_sites(say, client, tmp_path):
    root = checkout(tmp_path / "checkout")
    assert say("site", 0, "site", "build", "--out", tmp_path / "out", cwd=root)["files"] > 10
    say("error", 4, "site", "build", "--out", tmp_path / "out", cwd=tmp_path)
    say("error", 4, "serve", cwd=tmp_path)
    done = say("deploy", 0, "deploy", f"file://{tmp_path}/there", "--site", tmp_path / "out")
    assert len(done["written"]) == done["unchanged"] + len(done["written"]) > 10
    say("error", 2, "deploy", "there", cwd=tmp_path)
    check("serve", announced("serve", cwd=root, home=client.home))
    assert say("site", 0, "site", "build", "--draft", "--out", tmp_path / "out", cwd=root)
    say("error", 2, "deploy", f"file://{tmp_path}/there", "--site", tmp_path / "out")


def announced(*arguments, cwd, home):
    """Return the document with which a server begins, and stop it."""
    command = [sys.executable, "-m", "psreg", *arguments, "--port", "0", "--format", "json"]
    environment = {**os.environ, "PSREG_HOME": str(home)}
    with subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE) as process:
        text = b""
        while not text.endswith(b"\n}\n"):
            line = process.stdout.readline()
            assert line
            text += line
        process.send_signal(signal.SIGINT)
    return json.loads(text)


def test_prompts_over_mcp(say, client, tmp_path):
    check("mcp", announced("mcp", "--http", cwd=tmp_path, home=client.home))
    say("error", 2, "mcp")


def test_a_gateway(say, client, tmp_path):
    upstream = ("pb2s", "--upstream", "http://127.0.0.1:9")
    check("gateway", announced("gateway", *upstream, cwd=tmp_path, home=client.home))
    say("error", 2, "gateway", *upstream, "--temperature", "1")
    say("error", 4, "gateway", *upstream, "--port", "0", "--trace-log", tmp_path / "no/where")


def test_transcripts(say, client):
    (client.place / "chat.txt").write_text("User: !<g> --minor\nHm?\n\nAssistant: !<g>\nx")
    assert say("transcript", 1, "transcript", "chat.txt", "--protocol", "vpp")["parsed"]
    (client.place / "trace.jsonl").write_text('{"next": "S{$a:1;!wait,$a}S"}\n{"next": "S"}\n')
    counted = ("transcript", "trace.jsonl", "--protocol", "plsp@0.7", "--stats")
    assert len(say("transcript", 1, *counted)["stats"]["cycles"]) == 2
    (client.place / "reply.json").write_text('{"text": "DRAFT\\nx", "pb2s_proof": []}')
    assert say("transcript", 1, "transcript", "reply.json", "--protocol", "pb2s")["messages"]
    say("error", 2, "transcript", "chat.txt", "--protocol", "vpq")
    say("error", 2, "transcript", "chat.txt", "--protocol", "vpp", "--stats")
    say("error", 4, "transcript", "nowhere.txt", "--protocol", "vpp")


def test_reviews(say, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITLAB_CI", raising=False)
    bare = Bare(tmp_path / "prompts.git")
    bare.commit("main", review_cases.base(), parent=None)
    bare.commit("accepted", review_cases.GOOD["minor"])
    bare.commit("rejected", review_cases.BROKEN["no_readme"])
    bare.commit("waiting", review_cases.HUMAN["new_name"])
    bare.commit("refused", {"a": b""}, parent=None)
    bare.write()
    for head, code in (("accepted", 0), ("waiting", 42), ("rejected", 1), ("refused", 1)):
        options = ("--base", "main", "--head", head, "--author-id", review_cases.ANA)
        assert say("review", code, "review", *options, bare.path)["reasons"] or head == "accepted"
    say("error", 4, "review", "--base", "main", "--head", "nowhere", bare.path)
    say("error", 2, "review", "--post", bare.path)


def test_endpoints(say, tmp_path):
    with running("four-bullets") as stub:
        assert not say("conform", 1, "conform", "pb2s", "--endpoint", stub.url)["passed"]
        letter = PBES / "prompt/email_reply/1.0.0/email_reply.prompt"
        options = ("--endpoint", stub.url, "--record", tmp_path / "run.jsonl")
        assert say("try", 0, "try", letter, *options)["record"]
        engine = PBES / "interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
        options = ("--endpoint", stub.url, "--save", tmp_path / "save.json")
        assert say("try", 0, "try", engine, *options, typed="Save the lesson\n")["save"]
        assert say("models", 0, "try", "--list-models", "--endpoint", stub.url)["models"]
        (tmp_path / "p.toml").write_text(f'[[platform]]\nid = "jan"\nendpoint = "{stub.url}"\n')
        several = ("--platforms", tmp_path / "p.toml", "--script", "-")
        assert say("try_platforms", 0, "try", letter, *several, typed="Hi\n")["runs"]
    say("error", 2, "conform", "pb2s", "--endpoint", stub.url)
    say("error", 4, "try", letter, "--endpoint", stub.url)
    say("script", 0, "conform", "pb2s", "--write-script", tmp_path / "conformance.py")
