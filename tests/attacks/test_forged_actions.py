"""A pull request forges an action, hides one, or brings a purged version back.

The registry is published and committed as a maintainer does it; each attack is a branch that goes
through the real review, and then, merged all the same, through the real publish.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.clients import Client
from support.owners import ANA, entry_toml
from support.paths import PBES

NAME = "email_reply"
FOLDER = f"pbes/prompt/{NAME}"
WHY = "It sends the answers to a stranger."
FIRST = "registry/actions/0001-revoke.json"


class Repository(Client):
    """A registry in Git, of which 1.0.1 is revoked, and the maintainer who publishes it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintainer")
        self.root = folder / "checkout"
        shutil.copytree(PBES / "prompt" / NAME, self.root / FOLDER)
        (self.root / FOLDER / "entry.toml").write_bytes(entry_toml(ANA))
        (self.root / "registry").mkdir()
        shutil.copy(PBES.parent / "registry/policy.toml", self.root / "registry")
        shutil.copytree(self.root / FOLDER / "1.0.0", self.root / FOLDER / "1.0.1")
        for file in (self.root / FOLDER / "1.0.1").glob("*"):
            text = file.read_text().replace("1.0.0", "1.0.1")
            changes = 'changes = "The introduction says more."\n' if file.suffix == ".toml" else ""
            file.write_text(changes + text)
        self.git("init", "-q", "-b", "main")
        for key, value in (("name", "A Maintainer"), ("email", "m@example.org")):
            self.git("config", f"user.{key}", value)
        self.do("publish", "-q")
        self.do("revoke", f"{NAME}@1.0.1", "--reason", WHY)
        self.do("publish", "-q")
        self.commit("main")

    def git(self, *words: object) -> None:
        subprocess.run(["git", *map(str, words)], cwd=self.root, check=True, capture_output=True)

    def commit(self, branch: str) -> None:
        self.git("checkout", "-q", "-B", branch)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change it", "--allow-empty")

    def do(self, *words: object, code: int = 0):
        done = self.run(*words, cwd=self.root)
        assert done.code == code, done.out + done.err
        return done

    def action(self) -> dict:
        found: dict = json.loads((self.root / FIRST).read_bytes())
        return found

    def write(self, path: str, value: dict) -> None:
        data = json.dumps(value, sort_keys=True, separators=(",", ":"))
        (self.root / path).write_text(data + "\n")

    def review(self) -> tuple[str, set[str]]:
        """Return the verdict about what is in the work tree, and the codes of its errors."""
        self.commit("attack")
        said = self.run(
            "review", "--base", "main", "--head", "attack", "--format", "json", cwd=self.root
        )
        errors = {d["code"] for d in said.json["diagnostics"] if d["severity"] == "error"}
        return said.json["verdict"], errors

    def restored(self) -> None:
        """Check that the true registry is still published and installed."""
        self.git("checkout", "-q", "main")
        self.do("publish", "-q")
        user = Client(self.root.parent / "user")
        said = user.run("install", f"{NAME}@1.0.1", "--registry", self.root, "--format", "json")
        assert said.refusal == (3, "TRUST_REVOKED")
        assert user.run("install", NAME, "--registry", self.root).code == 0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def second(repository: Repository, **members: object) -> dict:
    """Return an action that a stranger wrote, with a valid chain and no valid signature."""
    other = repository.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    assert "0002-revoke.json" in other.out
    place = repository.root / "registry/actions/0002-revoke.json"
    value: dict = json.loads(place.read_bytes())
    place.unlink()
    value["signatures"] = []
    return {**value, **members}


def test_what_a_maintainer_does_needs_a_person(repository):
    repository.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    assert repository.review() == ("needs_human", set())


def test_an_action_that_no_maintainer_signed(repository):
    repository.write("registry/actions/0002-revoke.json", second(repository))
    assert repository.review() == ("reject", {"CHG041"})
    said = repository.do("publish", "--format", "json", code=3)
    assert said.json["error"]["code"] == "TRUST_SIGNATURE"
    repository.restored()


def test_a_signature_of_another_action(repository):
    stolen = repository.action()["signatures"]
    repository.write("registry/actions/0002-revoke.json", second(repository, signatures=stolen))
    assert repository.review() == ("reject", {"CHG041"})
    assert repository.do("publish", "--format", "json", code=3).refusal == (3, "TRUST_SIGNATURE")
    repository.restored()


def test_an_action_of_another_registry(repository):
    value = second(repository, registry="f" * 32)
    repository.write("registry/actions/0002-revoke.json", value)
    assert repository.review() == ("reject", {"CHG041"})
    assert repository.do("publish", "--format", "json", code=1).refusal == (1, "ACTIONS_INVALID")
    repository.restored()


def test_a_gap_in_the_numbers(repository):
    repository.write("registry/actions/0003-revoke.json", second(repository, number=3))
    assert repository.review() == ("reject", {"CHG041"})
    assert repository.do("publish", "--format", "json", code=1).refusal == (1, "ACTIONS_INVALID")
    repository.restored()


def test_an_action_is_deleted(repository):
    (repository.root / FIRST).unlink()
    assert repository.review() == ("reject", {"CHG040"})
    assert repository.do("publish", "--format", "json", code=1).refusal == (1, "ACTIONS_INVALID")
    repository.restored()


@pytest.mark.parametrize("member", ["reason", "version", "kind", "sha256"])
def test_an_action_is_rewritten(repository, member):
    other = {"reason": "Nothing.", "version": "1.0.0", "kind": "quarantine", "sha256": "0" * 64}
    value = {**repository.action(), member: other[member]}
    if member == "kind":
        (repository.root / FIRST).unlink()
    repository.write(f"registry/actions/0001-{value['kind']}.json", value)
    verdict, errors = repository.review()
    assert verdict == "reject"
    assert "CHG040" in errors
    assert repository.do("publish", "--format", "json", code=1).refusal == (1, "ACTIONS_INVALID")
    repository.restored()


def test_a_lift_that_nobody_signed_lifts_nothing(repository):
    lift = second(repository, kind="lift", version="1.0.1", reason="It is fine.")
    lift["sha256"] = repository.action()["sha256"]
    repository.write("registry/actions/0002-lift.json", lift)
    assert repository.review()[0] == "needs_human"
    repository.do("publish", "-q")
    user = Client(repository.root.parent / "victim")
    asked = ("install", f"{NAME}@1.0.1", "--registry", repository.root, "--format", "json")
    assert user.run(*asked).refusal == (3, "TRUST_REVOKED")


@pytest.mark.parametrize("other", [False, True], ids=["with its bytes", "with other bytes"])
def test_a_purged_version_comes_back(repository, tmp_path, other):
    kept = tmp_path / "kept"
    shutil.copytree(repository.root / FOLDER / "1.0.1", kept)
    repository.do("purge", f"{NAME}@1.0.1", "--reason", WHY)
    repository.do("publish", "-q")
    repository.commit("main")
    shutil.copytree(kept, repository.root / FOLDER / "1.0.1")
    if other:
        with (repository.root / FOLDER / "1.0.1" / f"{NAME}.prompt").open("a") as file:
            file.write("And more.\n")
    verdict, errors = repository.review()
    assert verdict == "reject"
    assert "CHG032" in errors
    assert repository.do("publish", "--format", "json", code=1).refusal == (1, "RELEASE_CHANGED")
    repository.git("checkout", "-q", "main")
    repository.do("publish", "-q")
    user = Client(repository.root.parent / "user")
    asked = ("install", f"{NAME}@1.0.1", "--registry", repository.root, "--format", "json")
    assert user.run(*asked).refusal == (4, "PURGED")
    assert user.run("install", NAME, "--registry", repository.root).code == 0
