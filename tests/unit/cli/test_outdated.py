"""`psreg outdated` outside of a project: what is installed, and what newer releases change."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import serving

NOWHERE = "http://127.0.0.1:9"


def prompt(text):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


TEXTS = {"1.0.0": "Hello {name}", "1.1.0": "Hello {name} {other}", "2.0.0-rc.1": "Bye"}


@pytest.fixture
def person(tmp_path):
    """A person who has installed `greeting`, of which there is a newer release, and `diary`."""
    registry = Simulator(log=True).release("diary", data=prompt("Dear"), entry_class="prompt")
    client = Client(tmp_path / "client")
    with serving(registry.files) as server:
        for version, text in TEXTS.items():
            release = {"changes": f"In {version}."}
            registry.release(
                "greeting", version, prompt(text), entry_class="prompt", release=release
            )
        registry.publish()
        client.trust(server.url, registry.pin)
        assert client.run("outdated").out == "nothing is installed\n"
        assert client.run("install", "greeting@1.0.0", "diary").code == 0
        yield SimpleNamespace(run=client.run, client=client, server=server, registry=registry)


SHOWN = """\
name      current  wanted  latest
greeting  1.0.0    1.1.0   1.1.0

greeting 1.0.0 -> 1.1.0
  1.1.0: In 1.1.0.
  floor: major (after 1.0.0 that is 2.0.0 or higher)
"""


def test_versions_notes_differences_and_floor(person):
    before = person.client.library_content()
    done = person.run("outdated")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(SHOWN)
    assert "{other}" in done.out
    assert person.run("outdated", "-q").out == SHOWN[: SHOWN.index("\n\n") + 1]
    assert person.run("outdated", "--exit-code").code == 1
    assert person.client.library_content() == before
    assert not (person.client.place / "psreg.lock").exists()
    assert person.run("install", "greeting").code == 0
    done = person.run("outdated", "--exit-code")
    assert (done.code, done.out) == (0, "everything is up to date\n")


def test_json(person):
    found = person.run("outdated", "--format", "json").json
    assert found["checked"] == 2
    assert found["outdated"] == [
        {"name": "greeting", "current": "1.0.0", "wanted": "1.1.0", "latest": "1.1.0"}
    ]
    (change,) = found["changes"]
    assert (change["before"], change["after"], change["floor"]) == ("1.0.0", "1.1.0", "major")
    assert change["notes"] == [{"version": "1.1.0", "text": "In 1.1.0."}]


def test_without_a_network(person):
    table = SHOWN[: SHOWN.index("\n\n") + 1]
    done = person.run("outdated", "--offline")
    assert done.code == 0, done.err
    assert done.out.startswith(table)
    assert "offline: as of 20" in done.err
    settings = person.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(person.server.url, NOWHERE))
    done = person.run("outdated")
    assert done.code == 0, done.err
    assert done.out.startswith(table)
    (line,) = done.err.splitlines()
    assert "Connection refused; answered as of 20" in line


def test_in_a_project_without_a_network(person):
    assert person.run("add", "greeting@1.0.0").code == 0
    (person.client.place / "psreg.toml").write_text('[prompts]\ngreeting = "^1"\n')
    assert person.run("outdated").out.startswith(SHOWN)
    settings = person.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(person.server.url, NOWHERE))
    done = person.run("outdated")
    assert (done.code, done.out.startswith(SHOWN[:24])) == (0, True)
    (line,) = done.err.splitlines()
    assert "Connection refused; answered as of " in line
    # What writes a lock, which others use too, asks the registry or fails.
    before = (person.client.place / "psreg.lock").read_bytes()
    for command in (["update"], ["add", "diary"], ["sync"]):
        assert person.run(*command, "--format", "json").refusal == (4, "NETWORK")
    assert (person.client.place / "psreg.lock").read_bytes() == before
    shutil.rmtree(person.client.state)
    assert person.run("outdated", "--format", "json").refusal == (4, "NETWORK")
    assert person.run("outdated", "--offline", "--format", "json").refusal == (4, "NOT_KEPT")


def test_a_release_that_is_refused_is_no_suggestion(person):
    record = person.registry.records["greeting"]
    record["releases"][1]["log"] = record["releases"][0]["log"]
    record["serial"] += 1
    person.registry.publish()
    assert person.run("outdated", "--format", "json").refusal == (3, "TRUST_LOG")


def test_several_registries(person, tmp_path):
    other = Simulator(log=True, registry_id="f" * 32)
    for version in ("1.0.0", "1.0.1"):
        other.release("letter", version, prompt(f"Dear {version}"), entry_class="prompt")
    folder = other.publish().store(tmp_path / "other")
    assert person.run("install", "letter@1.0.0", "--registry", folder).code == 0
    names = [row["name"] for row in person.run("outdated", "--format", "json").json["outdated"]]
    assert names == ["greeting", "letter"]
    for registry, name in ((folder, "letter"), ("main", "greeting")):
        found = person.run("outdated", "--registry", registry, "--format", "json").json
        assert [row["name"] for row in found["outdated"]] == [name]
    folder.rename(tmp_path / "moved")
    done = person.run("outdated")
    assert (done.code, done.out.startswith(SHOWN)) == (0, True)
    assert f"letter is from {folder}, which is not one of your registries" in done.err
