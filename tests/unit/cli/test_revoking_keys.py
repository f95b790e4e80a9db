"""`psreg keys revoke`, and lifts that several people sign, as maintainers run them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from psreg.core.ssh_key import SshKey
from support.clients import Client
from support.owners import ANA, BEN, CEM, Owner, entry_toml
from support.paths import PBES

NAME = "email_reply"
FOLDER = f"pbes/prompt/{NAME}"
WHY = "the laptop was stolen"
PEOPLE = ("ana", "ben", "cem")


def fingerprint(owner: Owner) -> str:
    return SshKey.parse(owner.line).fingerprint


class Registry:
    """A registry with a name that ANA and BEN have claimed: one of them must sign."""

    def __init__(self, folder: Path) -> None:
        self.root, self.folder = folder / "checkout", folder
        shutil.copytree(PBES / "prompt" / NAME, self.root / FOLDER)
        (self.root / "registry").mkdir()
        shutil.copy(PBES.parent / "registry/policy.toml", self.root / "registry")
        (self.root / FOLDER / "entry.toml").write_bytes(entry_toml(ANA, BEN))
        self.people: dict[str, Client] = {}
        self.do("publish", "-q")
        self.do("keys", "owners", NAME, "-q")

    def person(self, who: str) -> Client:
        if who not in self.people:
            self.people[who] = Client(self.folder / who)
        return self.people[who]

    def do(self, *words: object, who: str = "main", code: int = 0):
        done = self.person(who).run(*words, cwd=self.root)
        assert done.code == code, done.out + done.err
        return done

    def json(self, *words: object, who: str = "main", code: int = 0) -> dict:
        return self.do(*words, "--format", "json", who=who, code=code).json

    def next_version(self, version: str, by: Owner) -> None:
        """Add a version that an owner has signed."""
        shutil.copytree(self.root / FOLDER / "1.0.0", self.root / FOLDER / version)
        for file in (self.root / FOLDER / version).glob("*"):
            text = file.read_text().replace("1.0.0", version)
            changes = 'changes = "The introduction says more."\n' if file.suffix == ".toml" else ""
            file.write_text(changes + text)
        message = self.do("sign", f"{NAME}@{version}", "--message").out.encode()
        place = self.root / FOLDER / "signatures" / f"{version}.1.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(by.sign(message))

    def install(self, version: str, who: str = "user"):
        asked = ("install", f"{NAME}@{version}", "--registry", self.root, "--format", "json")
        return self.person(who).run(*asked)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


def test_a_revoked_key_signs_nothing_any_more(registry: Registry) -> None:
    registry.next_version("1.0.1", ANA)
    registry.do("publish", "-q")
    (row,) = registry.json("keys", "revoke", fingerprint(ANA), "--reason", WHY)["actions"]
    assert (row["key"], row["after"], row["missing"]) == (fingerprint(ANA), 1, 0)
    registry.next_version("1.0.2", ANA)
    published = registry.json("publish")
    assert [each["version"] for each in published["waiting"]] == ["1.0.2"]
    assert registry.install("1.0.1").code == 0
    assert registry.json("audit")["releases"][1]["signed"] == ["github:1"]
    (registry.root / FOLDER / "signatures/1.0.2.1.txt").unlink()
    message = registry.do("sign", f"{NAME}@1.0.2", "--message").out.encode()
    (registry.root / FOLDER / "signatures/1.0.2.2.txt").write_bytes(BEN.sign(message))
    assert len(registry.json("publish")["released"]) == 1
    assert registry.install("1.0.2").code == 0


def test_what_it_signed_after_an_entry_of_the_log_is_refused(registry: Registry) -> None:
    for version in ("1.0.1", "1.0.2"):
        registry.next_version(version, ANA)
        registry.do("publish", "-q")
    registry.do("keys", "revoke", fingerprint(ANA), "--after", "1", "--reason", WHY)
    told = registry.do("publish").err
    assert "note: keys of owners were revoked; computed again: email_reply" in told
    assert registry.install("1.0.1").code == 0
    assert registry.install("1.0.2").refusal == (3, "TRUST_STATEMENT")
    audited = registry.json("audit", code=1)["releases"]
    assert ["2" in str(row["problems"]) for row in audited if row["problems"]] != []
    registry.do("keys", "revoke", fingerprint(ANA), "--undo", "--reason", "It was found.")
    registry.do("publish", "-q")
    assert registry.install("1.0.2").code == 0


def test_a_release_is_told_to_bear_the_signature_of_a_revoked_key(registry: Registry) -> None:
    """Also if the owners who are left claimed the name again, with that release in it."""

    def told(version: str = "1.0.1") -> str:
        registry.do("install", f"{NAME}@{version}", "--registry", registry.root, "-q", who="user")
        done = registry.do("verify", NAME, who="user")
        lines = done.out.splitlines()
        return next((line.strip() for line in lines if line.startswith("  revoked key")), "")

    for version, owner in (("1.0.1", ANA), ("1.0.2", BEN)):
        registry.next_version(version, owner)
        registry.do("publish", "-q")
    assert told() == ""
    registry.do("keys", "revoke", fingerprint(ANA), "--reason", WHY)
    registry.do("publish", "-q")
    key = f"revoked key  the SSH key {fingerprint(ANA)} is revoked for what the log has"
    assert told() == f"{key} after entry 2; the release was there before"
    assert told("1.0.2") == ""
    (registry.root / FOLDER / "entry.toml").write_bytes(entry_toml(BEN))
    message = registry.do("sign", "--owners", NAME, "--message").out.encode()
    signature = BEN.sign(message, "owners@psreg")
    (registry.root / FOLDER / "signatures/owners.1.1.txt").write_bytes(signature)
    registry.do("keys", "owners", NAME, "-q")
    registry.do("keys", "revoke", fingerprint(ANA), "--after", "0", "--reason", WHY)
    registry.do("publish", "-q")
    assert told() == f"{key} after entry 0, so that it does not count"
    said = registry.do("verify", NAME, who="user").out
    assert "1 must sign a release, and this one was there before\n" in said


def test_keys_that_cannot_be_revoked(registry: Registry) -> None:
    def refused(*words: object) -> str:
        document = registry.json("keys", "revoke", *words, "--reason", WHY, code=2)
        return document["error"]["code"]

    assert refused("SHA256:abc") == "USAGE"
    assert refused(fingerprint(ANA), "--after", "1") == "USAGE"
    assert refused(fingerprint(ANA), "--after", "0", "--undo") == "USAGE"
    assert refused(fingerprint(ANA), "--undo") == "NOT_REVOKED"
    registry.do("keys", "revoke", fingerprint(CEM), "--reason", WHY)
    assert refused(fingerprint(CEM)) == "ALREADY_REVOKED"
    registry.do("keys", "revoke", fingerprint(CEM), "--after", "-1", "--reason", WHY)
    registry.do("publish", "-q")


def test_a_lift_waits_for_the_people_who_hold_the_root(registry: Registry) -> None:
    made = (registry.do("keys", "create", who, who=who).out.splitlines()[0] for who in PEOPLE)
    registry.do("keys", "harden", *made, "-q")
    for who in PEOPLE:
        registry.do("keys", "sign", "--yes", "-q", who=who)
    registry.do("publish", "-q")
    registry.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    registry.do("publish", "-q")
    assert registry.install("1.0.0").refusal == (3, "TRUST_REVOKED")
    lift = registry.json("revoke", f"{NAME}@1.0.0", "--undo", "--reason", "A mistake.")
    assert (lift["missing"], lift["action"]) == (2, 2)
    registry.do("publish", "-q")
    assert registry.install("1.0.0").refusal == (3, "TRUST_REVOKED")
    done = registry.do("keys", "sign", "--yes", who="ana")
    assert f"lift {NAME} 1.0.0: A mistake." in done.err
    assert "1 more person must sign it" in done.out
    registry.do("publish", "-q")
    assert registry.install("1.0.0").refusal == (3, "TRUST_REVOKED")
    (row,) = registry.json("keys", "sign", "--yes", who="cem")["actions"]
    assert row["missing"] == 0
    assert registry.do("keys", "sign", "--yes", who="ben").out == "nothing waits for signatures\n"
    registry.do("publish", "-q")
    assert registry.install("1.0.0").code == 0
    registry.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    registry.do("publish", "-q")
    assert registry.install("1.0.0").refusal == (3, "TRUST_REVOKED")


def test_only_the_key_that_publishes_revokes(registry: Registry) -> None:
    said = registry.json("revoke", f"{NAME}@1.0.0", "--reason", WHY, who="ana", code=3)
    assert said["error"]["code"] == "KEY_MISSING"


def test_an_action_that_nobody_signed_is_refused(registry: Registry) -> None:
    registry.do("revoke", f"{NAME}@1.0.0", "--reason", WHY)
    place = registry.root / "registry/actions/0001-revoke.json"
    signed = place.read_bytes()
    at = signed.index(b'"sig":"') + len(b'"sig":"')
    other = b"%02x" % (int(signed[at : at + 2], 16) ^ 1)
    place.write_bytes(signed[:at] + other + signed[at + 2 :])
    assert registry.json("publish", code=3)["error"]["code"] == "TRUST_SIGNATURE"
    place.write_bytes(signed)
    registry.do("publish", "-q")
