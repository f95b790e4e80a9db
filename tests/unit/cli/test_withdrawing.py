"""`psreg revoke` and `psreg purge`, and what the other commands then say, as people use them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.clients import Client
from support.paths import PBES, policy_without_picks

NAME = "email_reply"
FOLDER = f"pbes/prompt/{NAME}"
WHY = "It sends the answers to a stranger."


class Registry(Client):
    """A maintainer with a checkout of a registry, in which two versions are released."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintainer")
        self.root = folder / "checkout"
        shutil.copytree(PBES / "prompt" / NAME, self.root / FOLDER)
        (self.root / "registry").mkdir()
        (self.root / "registry/policy.toml").write_text(policy_without_picks())
        shutil.copytree(self.root / FOLDER / "1.0.0", self.root / FOLDER / "1.0.1")
        for file in (self.root / FOLDER / "1.0.1").glob("*"):
            text = file.read_text().replace("1.0.0", "1.0.1")
            changes = 'changes = "The introduction says more."\n' if file.suffix == ".toml" else ""
            file.write_text(changes + text)
        self.do("publish", "-q")

    def do(self, *words: object, code: int = 0):
        done = self.run(*words, cwd=self.root)
        assert done.code == code, done.out + done.err
        return done

    def json(self, *words: object, code: int = 0) -> dict:
        return self.do(*words, "--format", "json", code=code).json


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


@pytest.fixture
def user(tmp_path: Path, registry: Registry) -> Client:
    """A person who has installed 1.0.1."""
    person = Client(tmp_path / "user")
    done = person.run("install", NAME, "--registry", registry.root)
    assert done.code == 0, done.err
    return person


def use(user: Client, registry: Registry, *words: object):
    return user.run(*words, "--registry", registry.root)


def test_a_revoked_release_is_not_installed_any_more(registry: Registry, user: Client) -> None:
    said = registry.do("revoke", f"{NAME}@1.0.1", "--reason", WHY).out
    assert "registry/actions/0001-revoke.json" in said
    registry.do("publish", "-q")
    for asked in (f"{NAME}@1.0.1", f"{NAME}@^1.0.1"):
        refused = use(user, registry, "install", asked, "--format", "json")
        assert refused.refusal == (3, "TRUST_REVOKED")
        assert WHY in refused.json["error"]["message"]
    assert use(user, registry, "verify").code == 3
    assert WHY in user.run("verify").out
    assert user.run("verify").code == 3
    assert WHY in user.run("list").err
    assert user.run("list", "--format", "json").json["installed"][0]["revoked"]["reason"] == WHY
    assert user.refused("render", NAME) == (3, "TRUST_REVOKED")
    assert user.refused("show", NAME) == (3, "TRUST_REVOKED")
    assert WHY in use(user, registry, "info", NAME).out
    assert WHY in use(user, registry, "search").err
    assert use(user, registry, "install", NAME).code == 0
    assert user.run("list", "--format", "json").json["installed"][0]["version"] == "1.0.0"
    assert user.run("render", NAME, "--allow-missing").code == 0


def test_a_lift_gives_it_back(registry: Registry, user: Client) -> None:
    registry.do("revoke", f"{NAME}@1.0.1", "--quarantine", "--reason", WHY)
    registry.do("publish", "-q")
    assert use(user, registry, "verify").code == 3
    row = registry.json("revoke", f"{NAME}@1.0.1", "--undo", "--reason", "It was a mistake.")
    assert (row["kind"], row["missing"], row["path"]) == (
        "lift",
        0,
        "registry/actions/0002-lift.json",
    )
    registry.do("publish", "-q")
    assert use(user, registry, "verify").code == 0
    assert user.run("verify").code == 0
    assert use(user, registry, "install", f"{NAME}@1.0.1").code == 0


def test_a_purged_release_is_gone(registry: Registry, user: Client) -> None:
    assert registry.do("purge", f"{NAME}@1.0.1", "--reason", WHY).out.count("removed") == 1
    assert not (registry.root / FOLDER / "1.0.1").exists()
    registry.do("publish", "-q")
    assert use(user, registry, "install", f"{NAME}@1.0.1", "--format", "json").refusal == (
        4,
        "PURGED",
    )
    assert use(user, registry, "verify").code == 3
    record = use(user, registry, "info", NAME, "--format", "json").json["record"]
    (purged,) = [row for row in record["releases"] if row["version"] == "1.0.1"]
    assert (purged["release"], purged["files"]) == ({}, [])
    texts = [f.read_bytes() for f in (registry.root / "registry/targets").rglob("*.json")]
    assert not any(b"The introduction says more" in text for text in texts)
    before = json.dumps(record)
    registry.do("publish", "-q")
    assert (
        json.dumps(use(user, registry, "info", NAME, "--format", "json").json["record"]) == before
    )


def test_pages_of_what_was_withdrawn(registry: Registry, tmp_path: Path) -> None:
    site, bucket = tmp_path / "site", tmp_path / "bucket"
    secret = b"The introduction says more."

    def holds(folder: Path) -> bool:
        return any(secret in file.read_bytes() for file in folder.rglob("*") if file.is_file())

    def build_and_deploy() -> None:
        registry.do("site", "build", "--out", site, "--base-url", "https://prompts.example/")
        registry.do("deploy", f"file://{bucket}", "--site", site)

    registry.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    registry.do("publish", "-q")
    build_and_deploy()
    page = (site / "prompt" / NAME / "1.0.0/index.html").read_text()
    assert WHY in page
    assert "ps-take" not in page
    assert f"psreg install {NAME}@1.0.0</" not in page.partition("Check it yourself")[0]
    assert holds(site)
    assert holds(bucket)
    registry.do("purge", f"{NAME}@1.0.1", "--reason", "It contains a secret.")
    registry.do("publish", "-q")
    build_and_deploy()
    listed = json.loads((site / "api/v1/advisories.json").read_bytes())["advisories"]
    assert [each["summary"] for each in listed] == [
        f"{NAME} 1.0.0 was revoked",
        f"{NAME} 1.0.1 was removed",
    ]
    advisory = json.loads((site / listed[0]["path"]).read_bytes())
    assert advisory["affected"][0]["versions"] == ["1.0.0"]
    assert (site / "registry/actions/0002-purge.json").is_file()
    assert "It contains a secret." in (site / "prompt" / NAME / "index.html").read_text()
    assert not holds(registry.root)
    assert not holds(site)
    assert [f for f in bucket.rglob("*") if f.is_file() and secret in f.read_bytes()] == []


def test_a_purged_version_does_not_come_back(registry: Registry) -> None:
    kept = registry.root.parent / "kept"
    shutil.copytree(registry.root / FOLDER / "1.0.1", kept)
    registry.do("purge", f"{NAME}@1.0.1", "--reason", WHY)
    registry.do("publish", "-q")
    shutil.copytree(kept, registry.root / FOLDER / "1.0.1")
    assert registry.json("publish", code=1)["error"]["code"] == "RELEASE_CHANGED"
    assert (
        registry.json("revoke", f"{NAME}@1.0.1", "--undo", "--reason", "x", code=2)["error"]["code"]
        == "ALREADY_REVOKED"
    )


def test_actions_are_only_added(registry: Registry) -> None:
    for version in ("1.0.0", "1.0.1"):
        registry.do("revoke", f"{NAME}@{version}", "--reason", WHY)
    registry.do("publish", "-q")
    folder = registry.root / "registry/actions"
    first, second = (folder / name for name in ("0001-revoke.json", "0002-revoke.json"))
    one, two = first.read_bytes(), second.read_bytes()

    def refused(code: int = 1) -> str:
        return registry.json("publish", code=code)["error"]["code"]

    second.unlink()
    assert refused() == "ACTIONS_INVALID"
    first.unlink()
    second.write_bytes(two)
    assert refused() == "ACTIONS_INVALID"
    first.write_bytes(one.replace(b"stranger", b"STRANGER"))
    second.write_bytes(two)
    assert refused() == "ACTIONS_INVALID"
    first.write_bytes(one)
    registry.do("publish", "-q")


def test_what_an_action_cannot_be_about(registry: Registry) -> None:
    def refused(*words: object, code: int) -> str:
        return registry.json(*words, "--reason", WHY, code=code)["error"]["code"]

    assert refused("revoke", NAME, code=2) == "USAGE"
    assert refused("revoke", f"{NAME}@9.9.9", code=4) == "NOT_FOUND"
    assert refused("revoke", f"{NAME}@1.0.1", "--undo", code=2) == "NOT_REVOKED"
    assert refused("revoke", f"{NAME}@1.0.1", "--undo", "--quarantine", code=2) == "USAGE"
    for bad in (" ", "n/a", ".", "one\nanother"):
        said = registry.json("revoke", f"{NAME}@1.0.1", "--reason", bad, code=2)
        assert said["error"]["code"] == "BAD_REASON"
    registry.do("revoke", f"{NAME}@1.0.1", "--reason", WHY)
    assert refused("revoke", f"{NAME}@1.0.1", code=2) == "ALREADY_REVOKED"
