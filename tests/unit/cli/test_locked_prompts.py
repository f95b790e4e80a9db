"""In a project, `show`, `render`, `copy` and `export` use the prompt that the lock has."""

from __future__ import annotations

import shutil
from hashlib import sha256
from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import serving


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


def test_a_range_that_the_lock_does_not_fit_selects_the_installed_one(team):
    assert "glossary 1.2.0" in team.run("render", "glossary@^1").out
    assert "glossary 2.0.0" in team.run("render", "glossary@^2").out


def test_a_changed_file_of_the_project_is_refused(team):
    file = team.place / "prompts/glossary.prompt"
    file.write_bytes(file.read_bytes() + b"x")
    for command in (["show"], ["show", "--raw"], ["render"], ["copy"]):
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
