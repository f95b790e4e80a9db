"""`psreg verify` in a project: what its lock has, from the files to the roots, without a network."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from types import SimpleNamespace

import pytest

from psreg.core.ssh_key import SshKey
from simulator import Simulator
from support.clients import Client
from support.loopback import serving
from support.owners import ANA, BEN
from support.simulated_owners import SimulatedOwners, files_of, owned_by


def prompt(text):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


@pytest.fixture
def registry():
    made = Simulator(log=True)
    for version in ("1.0.0", "1.2.0", "2.0.0"):
        made.release("glossary", version, prompt(f"glossary {version}"), entry_class="prompt")
    requires = {"requires": {"glossary": "^1.0"}}
    return made.release("exam", data=prompt("exam"), entry_class="prompt", release=requires)


@pytest.fixture
def team(tmp_path, registry):
    """A project that locks exam and glossary 1.2.0, whose registry has gone away since."""
    client = Client(tmp_path / "client")
    with serving(registry.publish().files) as server:
        client.trust(server.url, registry.pin)
        for command in (["install", "glossary"], ["add", "exam"]):
            assert client.run(*command).code == 0
        answer(client, server.url, "http://127.0.0.1:9/")
        yield SimpleNamespace(
            run=client.run,
            client=client,
            place=client.place,
            server=server,
            registry=registry.registry_id,
            files={name: client.place / f"prompts/{name}.prompt" for name in ("exam", "glossary")},
        )


def answer(client, before, after):
    settings = client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(before, after))


WHEN = "2026-11-22T05:00:00Z"


def rows(done):
    return {row["name"]: row for row in done.json["results"]}


def test_every_locked_prompt_is_verified_up_to_the_pinned_root(team):
    done = team.run("verify", "--format", "json")
    assert (done.code, {name: row["version"] for name, row in rows(done).items()}) == (
        0,
        {"exam": "1.0.0", "glossary": "1.2.0"},
    )
    for row in rows(done).values():
        assert row["compared"] == ["lock", "proof"]
        assert row["path"].startswith(f"{team.place}/prompts/")
        links = [link["link"] for link in row["chain"]]
        assert (links[0], links[-1]) == ("file", "revocations")
        assert {"record", "timestamp", "snapshot", "root", "log"} <= {*links}
    told = team.run("verify").out
    assert "as in psreg.lock" in told
    assert "pinned on this machine" in told


def test_a_name_that_is_not_locked_is_the_installed_one(team):
    assert team.run("verify", "glossary").out.startswith("glossary 1.2.0: verified")
    assert team.run("remove", "exam").code == 0
    done = team.run("verify", "--format", "json")
    assert (done.code, rows(done)["glossary"]["version"]) == (0, "2.0.0")
    done = team.run("verify", "absent", "--format", "json")
    assert done.refusal == (4, "NOT_INSTALLED")


def test_locked_and_installed_names_together(team):
    assert team.run("remove", "exam").code == 0
    answer(team.client, "http://127.0.0.1:9/", team.server.url)
    assert team.run("install", "exam").code == 0
    assert team.run("add", "glossary@^1").code == 0
    done = team.run("verify", "exam", "glossary", "--format", "json")
    assert {name: row["compared"][0] for name, row in rows(done).items()} == {
        "exam": "receipt", "glossary": "lock",
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["appended", "missing", "link"])
def test_a_file_that_is_not_what_was_locked(team, kind):
    file = team.place / "prompts/glossary.prompt"
    if kind == "appended":
        file.write_bytes(file.read_bytes() + b"\n")
    else:
        file.rename(team.place / "moved")
    if kind == "link":
        file.symlink_to(team.place / "moved")
    done = team.run("verify", "--format", "json")
    assert done.refusal == (3, "TRUST_DIGEST")
    assert rows(done)["exam"]["problem"] is None
    assert "`psreg sync --overwrite`" in rows(done)["glossary"]["hint"]
    assert team.run("verify", "exam").code == 0


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"glossary": "^1.0"', '"glossary": "*"', "requires"),
        ('"statement": null', f'"statement": "{"0" * 64}"', "statement"),
    ],
)
def test_a_lock_is_compared_with_what_was_signed(team, before, after, said):
    lock = team.place / "psreg.lock"
    assert before in lock.read_text()
    lock.write_text(lock.read_text().replace(before, after))
    done = team.run("verify", "exam", "--format", "json")
    assert done.refusal == (3, "TRUST_LOCK")
    assert done.json["error"]["message"].endswith(f"than its registry signed: {said}")


def test_another_release_in_the_lock_than_its_digest(team):
    lock = team.place / "psreg.lock"
    text = lock.read_text()
    lock.write_text(text.replace('"version": "1.2.0"', '"version": "1.0.0"'))
    assert lock.read_text() != text
    assert team.run("verify", "--format", "json").refusal == (3, "TRUST_DIGEST")


def test_what_was_signed_is_not_on_this_machine(team):
    shutil.rmtree(team.client.state)
    done = team.run("verify", "--format", "json")
    assert done.refusal == (3, "TRUST_UNPROVEN")
    assert "`psreg sync --overwrite` while the registry" in done.json["error"]["hint"]


def test_the_policy_is_enforced(team):
    with (team.place / "psreg.toml").open("a") as file:
        file.write("\n[policy]\nclaimed_only = true\n")
    done = team.run("verify", "--format", "json")
    assert done.refusal == (3, "POLICY_REFUSED")
    below = team.place / "src/deep"
    below.mkdir(parents=True)
    assert team.run("verify", "--format", "json", cwd=below).refusal == (3, "POLICY_REFUSED")
    assert {row["code"] for row in rows(done).values()} == {"POLICY_REFUSED"}


def test_a_project_without_a_lock_is_not_verified(team):
    (team.place / "psreg.lock").unlink()
    assert team.run("verify", "--format", "json").refusal == (1, "NO_LOCK")
    assert team.run("verify", "glossary").out.startswith("glossary 2.0.0: verified")


def test_a_release_that_was_revoked_since(team, registry):
    row = next(r for r in registry.records["glossary"]["releases"] if r["version"] == "1.2.0")
    row |= {
        "v": 2,
        "revoked": {"kind": "revoke", "reason": "It is bad.", "date": WHEN, "action": 1},
    }
    registry.records["glossary"]["serial"] += 1
    registry.publish()
    assert team.run("verify").code == 0  # which asks nobody
    answer(team.client, "http://127.0.0.1:9/", team.server.url)
    assert team.run("sync").code == 3
    done = team.run("verify", "--format", "json")
    assert done.refusal == (3, "TRUST_REVOKED")
    assert rows(done)["glossary"]["hint"] == "Run `psreg update glossary`."
    assert rows(done)["glossary"]["revoked"]["reason"] == "It is bad."


def test_the_registry_is_asked_if_it_is_named(team):
    answer(team.client, "http://127.0.0.1:9/", team.server.url)
    done = team.run("verify", "--registry", "main", "--format", "json")
    assert done.code == 0
    assert {*map(str, rows(done)["exam"]["compared"])} == {"lock", "proof", "registry"}


def test_what_owners_signed_is_compared_with_the_lock(tmp_path):
    made = Simulator(log=True)
    owners = SimulatedOwners(made)
    made.release("glossary", data=prompt("words"), entry_class="prompt")
    record = made.records["glossary"]
    record |= owned_by(ANA)
    record["releases"][0]["files"] = files_of(record["releases"][0])
    owners.sign("glossary", "1.0.0", ANA)
    client = Client(tmp_path / "client")
    with serving(made.publish().files) as server:
        client.trust(server.url, made.pin)
        assert client.run("add", "glossary").code == 0
    done = client.run("verify", "--format", "json")
    assert done.code == 0, done.out
    assert [each["account"] for each in rows(done)["glossary"]["signed"]] == ["github:1"]
    lock, key = client.place / "psreg.lock", SshKey.parse(ANA.line).fingerprint
    other = SshKey.parse(BEN.line).fingerprint
    assert key in lock.read_text()
    lock.write_text(lock.read_text().replace(key, other))
    assert client.run("verify", "--format", "json").refusal == (3, "TRUST_LOCK")


@pytest.mark.parametrize(("form", "of"), [("cyclonedx", "components"), ("spdx", "packages")])
def test_the_bill_of_materials_of_a_project_has_what_it_locks(team, form, of):
    done = team.run("list", "--format", form)
    assert (done.code, done.err) == (0, "")
    exam, glossary = done.json[of][-2:]
    version = {"cyclonedx": "version", "spdx": "versionInfo"}[form]
    assert (exam["name"], glossary["name"], glossary[version]) == ("exam", "glossary", "1.2.0")
    for each in (exam, glossary):
        told = json.dumps(each)
        assert '"MIT"' in told
        assert team.registry in told
        assert sha256(team.files[each["name"]].read_bytes()).hexdigest() in told
    team.files["exam"].write_bytes(b"x")
    done = team.run("list", "--format", form)
    assert "exam.prompt: SHA-256 is" in done.err
    assert json.dumps(done.json[of]).count('"MIT"') == 1
    (team.place / "psreg.lock").unlink()
    assert team.run("list", "--format", form).code == 1
