"""In a project, what reads a prompt by its name uses the one that the lock has."""

from __future__ import annotations

import json
import shutil
import threading
from hashlib import sha256
from types import SimpleNamespace

import pytest

import psreg
from simulator import Simulator
from stub import running
from support.clients import Client
from support.loopback import answer, serving


def prompt(text):
    return f"[METADATA]\n@name: Glossary\n[CONTENT]\n{text}\n".encode()


@pytest.fixture
def registry():
    made = Simulator(log=True)
    for version in ("1.0.0", "1.2.0", "2.0.0"):
        made.release("glossary", version, prompt(f"glossary {version}"), entry_class="prompt")
    return made.publish()


@pytest.fixture
def team(tmp_path, registry):
    """A project that locks glossary 1.2.0, on a machine on which 2.0.0 is installed."""
    client = Client(tmp_path / "client")
    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        for command in (["install", "glossary"], ["add", "glossary@^1"]):
            assert client.run(*command).code == 0
        yield SimpleNamespace(
            run=client.run, client=client, server=server, registry=registry, place=client.place
        )


def test_the_locked_prompt_is_preferred_to_the_installed_one(team):
    for command in (["show", "--raw"], ["render"]):
        assert "glossary 1.2.0" in team.run(*command, "glossary").out
        assert "glossary 2.0.0" in team.run(*command, "glossary", cwd=team.client.home).out
    done = team.run("export", "glossary", "--target", "text", "--format", "json")
    assert {row["version"] for row in done.json["files"]} == {"1.2.0"}


def test_path_and_try_take_it_without_a_network(team):
    file = team.place / "prompts/glossary.prompt"
    away(team)
    assert team.run("path", "glossary").out == f"{file}\n"
    assert team.run("path", "glossary@^2").out.endswith("/glossary/2.0.0/glossary.prompt\n")
    document = team.run("path", "glossary", "--format", "json").json
    assert document == {"schema": "psreg.path/1", "path": str(file)}
    with running() as stub:
        talk = ["try", "glossary", "--endpoint", stub.url, "--record", "run.jsonl"]
        assert team.run(*talk, typed="Hi\n/exit\n").code == 0
    lines = (team.place / "run.jsonl").read_text().splitlines()
    said = [json.loads(line)["content"] for line in lines]
    assert any("glossary 1.2.0" in each for each in said)
    shutil.rmtree(team.place / "prompts")
    assert team.run("path", "glossary", "--format", "json").refusal == (4, "NOT_INSTALLED")
    assert team.run("cache", "clean").code == 0
    done = team.run("path", "glossary")
    assert (done.code, "NOT_KEPT" in done.err, "`psreg sync`" in done.err) == (4, True, True)


def away(team):
    """Let nobody answer at the address of the registry."""
    settings = team.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(team.server.url, "http://127.0.0.1:9/"))


def test_load_takes_it(team, monkeypatch):
    monkeypatch.setenv("PSREG_HOME", str(team.client.home))
    monkeypatch.chdir(team.place)
    prompt = psreg.load("glossary")
    assert (prompt.name, prompt.version, prompt.text.strip()) == (
        "glossary", "1.2.0", "glossary 1.2.0",
    )  # fmt: skip
    assert prompt.path == str(team.place / "prompts/glossary.prompt")
    assert psreg.load("glossary@^2").version == "2.0.0"
    shutil.rmtree(team.client.home / "cache")
    with pytest.raises(psreg.PsregError, match="is not in the cache") as caught:
        psreg.load("glossary")
    assert (caught.value.code, "`psreg sync`" in caught.value.hint) == ("NOT_KEPT", True)
    assert psreg.load("glossary", registry="main").version == "1.2.0"
    assert team.run("sync").code == 0
    file = team.place / "prompts/glossary.prompt"
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(psreg.PsregError) as caught:
        psreg.load("glossary")
    assert caught.value.code == "TRUST_DIGEST"


def test_load_logs_what_a_person_should_know(team, monkeypatch, caplog):
    row = next(r for r in team.registry.records["glossary"]["releases"] if r["version"] == "1.2.0")
    row["yanked"] = "It is old."
    team.registry.records["glossary"]["serial"] += 1
    team.registry.publish()
    assert team.run("sync").code == 0
    monkeypatch.setenv("PSREG_HOME", str(team.client.home))
    monkeypatch.chdir(team.place)
    assert psreg.load("glossary").version == "1.2.0"
    assert "It is old." in caplog.text
    assert "It is old." in team.run("show", "glossary").err


def test_a_range_that_the_lock_does_not_fit_selects_the_installed_one(team):
    assert "glossary 1.2.0" in team.run("render", "glossary@^1").out
    assert "glossary 2.0.0" in team.run("render", "glossary@^2").out


def test_a_changed_file_of_the_project_is_refused(team):
    file = team.place / "prompts/glossary.prompt"
    file.write_bytes(file.read_bytes() + b"x")
    talk = ["try", "--endpoint", "http://127.0.0.1:9"]
    for command in (["show"], ["show", "--raw"], ["render"], ["copy"], ["path"], talk):
        done = team.run(*command, "glossary")
        assert (done.code, done.out) == (3, "")
        assert "psreg: error[TRUST_DIGEST]" in done.err
        assert "`psreg sync --overwrite`" in done.err
    assert team.run("sync", "--overwrite").code == 0
    assert team.run("show", "glossary").code == 0


def test_a_link_in_place_of_the_file_is_refused(team):
    file = team.place / "prompts/glossary.prompt"
    file.rename(team.place / "moved.prompt")
    file.symlink_to(team.place / "moved.prompt")
    assert team.run("show", "glossary", "--format", "json").refusal == (3, "TRUST_DIGEST")


def test_without_the_folder_the_cache_has_it_and_nothing_is_written(team):
    shutil.rmtree(team.place / "prompts")
    assert "glossary 1.2.0" in team.run("render", "glossary", "--offline").out
    assert not (team.place / "prompts").exists()
    assert team.run("cache", "clean").code == 0
    assert "glossary 1.2.0" in team.run("render", "glossary").out


def test_a_lock_is_not_believed_because_it_is_there(team):
    file, lock = team.place / "prompts/glossary.prompt", team.place / "psreg.lock"
    evil = b"[CONTENT]\nglossary 9\n"
    before = next(a for p, a in team.registry.artifacts.items() if "/1.2.0/" in p)
    text = lock.read_text()
    lock.write_text(text.replace(sha256(before).hexdigest(), sha256(evil).hexdigest()))
    assert lock.read_text() != text
    file.write_bytes(evil)
    assert team.run("show", "glossary", "--format", "json").refusal == (3, "TRUST_LOCK")


def test_the_policy_of_the_project_applies(team):
    with (team.place / "psreg.toml").open("a") as file:
        file.write("\n[policy]\nclaimed_only = true\n")
    assert team.run("show", "glossary", "--format", "json").refusal == (3, "POLICY_REFUSED")


def test_the_policy_applies_to_what_is_only_shown(team):
    assert team.run("uninstall", "glossary").code == 0
    (team.place / "psreg.toml").write_text("[policy]\nclaimed_only = true\n")
    (team.place / "psreg.lock").unlink()
    for command in ("show", "render", "copy"):
        done = team.run(command, "glossary", "--format", "json")
        assert done.refusal == (3, "POLICY_REFUSED")
    (team.place / "psreg.toml").write_text("[policy]\nclaimed_only = false\n")
    assert "glossary 2.0.0" in team.run("render", "glossary").out


def test_a_diff_begins_with_the_locked_prompt(team):
    document = team.run("diff", "glossary", "glossary@^2", "--format", "json").json
    versions = [document[side]["version"] for side in ("before", "after")]
    assert versions == ["1.2.0", "2.0.0"]
    file = team.place / "prompts/glossary.prompt"
    file.write_bytes(file.read_bytes() + b"x")
    done = team.run("diff", "glossary", "glossary@^2", "--format", "json")
    assert done.refusal == (3, "TRUST_DIGEST")


def test_sync_fetches_several_files_at_the_same_time_and_each_once(tmp_path, registry):
    names = [f"made_{number}" for number in range(4)]
    for name in names:
        registry.release(name, "1.0.0", prompt(name), entry_class="prompt")
    registry.publish()
    author, other = Client(tmp_path / "author"), Client(tmp_path / "other")
    with serving(registry.files) as server:
        author.trust(server.url, registry.pin)
        assert author.run("add", *names).code == 0
    pairs = threading.Barrier(2, timeout=20)

    def together(handler):
        pairs.wait()
        answer(handler, 200, registry.files[handler.path.lstrip("/")])

    paths = [f"pbes/prompt/{name}/1.0.0/{name}.prompt" for name in names]
    with serving(registry.files, dict.fromkeys(paths, together)) as server:
        other.trust(server.url, registry.pin)
        server.asked.clear()
        shutil.copytree(author.place, other.place, dirs_exist_ok=True)
        shutil.rmtree(other.place / "prompts")
        assert other.run("sync").code == 0
        assert sorted(server.asked) == sorted({*server.asked})
    assert sorted(path.name for path in other.place.glob("prompts/*.prompt")) == [
        f"{name}.prompt" for name in names
    ]
