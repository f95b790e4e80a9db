"""`psreg keys owners`, `psreg sign` and what other commands say of it, as owners use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.owners import ANA, BEN, CEM, Agent, Owner, entry_toml
from support.paths import PBES, policy_without_picks
from support.warm_psreg import run_psreg

NAME = "email_reply"
FOLDER = f"pbes/prompt/{NAME}"
FIRST = f"{FOLDER}/signatures/1.0.1.1.txt"


class Checkout:
    """A registry in a folder, and a person with a key in `~/.ssh`."""

    def __init__(self, root: Path) -> None:
        self.root, self.person = root / "checkout", root / "person"
        self.env = {**os.environ, "PSREG_HOME": str(root / "home"), "HOME": str(self.person)}
        self.env.pop("SSH_AUTH_SOCK", None)
        shutil.copytree(PBES / "prompt" / NAME, self.root / FOLDER)
        (self.root / "registry").mkdir()
        (self.root / "registry/policy.toml").write_text(policy_without_picks())
        self.give("id_ed25519", ANA)

    def give(self, name: str, owner: Owner) -> Path:
        """Put a key into the person's folder, and return its place."""
        place = self.person / ".ssh" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(owner.private_file)
        place.chmod(0o600)
        place.with_name(f"{name}.pub").write_text(f"{owner.line}\n")
        return place

    def owned_by(self, *owners: Owner, threshold: int = 1) -> None:
        (self.root / FOLDER / "entry.toml").write_bytes(entry_toml(*owners, threshold=threshold))

    def next_version(self) -> None:
        """Add 1.0.1, the same but for its README.md."""
        shutil.copytree(self.root / FOLDER / "1.0.0", self.root / FOLDER / "1.0.1")
        for file in (self.root / FOLDER / "1.0.1").glob("*"):
            text = file.read_text().replace("1.0.0", "1.0.1")
            changes = 'changes = "The introduction says more."\n' if file.suffix == ".toml" else ""
            file.write_text(changes + text)

    def run(self, *words: object, cwd: Path | None = None, code: int = 0):
        done = run_psreg(*words, cwd=cwd or self.root, env=self.env, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def json(self, *words: object, code: int = 0) -> dict:
        return json.loads(self.run(*words, "--format", "json", code=code).stdout)

    def refused(self, *words: object, code: int = 4) -> str:
        """Return the code of an error."""
        return self.json(*words, code=code)["error"]["code"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    shutil.which("ssh-agent") or pytest.skip("OpenSSH is not installed")
    with Agent.running(tmp_path) as running:
        yield running


@pytest.fixture
def claimed(checkout: Checkout) -> Checkout:
    """Two owners have claimed the name, both must sign, and 1.0.1 is ready."""
    checkout.owned_by(ANA, BEN, threshold=2)
    checkout.run("publish", "-q")
    checkout.run("keys", "owners", NAME, "-q")
    checkout.next_version()
    return checkout


def test_who_must_sign(checkout: Checkout) -> None:
    checkout.owned_by(ANA)
    checkout.run("publish", "-q")
    done = checkout.run("keys", "owners", NAME, NAME)
    line, key = done.stdout.splitlines()
    assert line == f"{NAME}: one of them must sign each release from now on"
    assert key.startswith("  github:1 SHA256:")
    done = checkout.run("keys", "owners", NAME)
    assert done.stdout == f"{NAME}: its owners are signed already\n"
    (row,) = checkout.json("keys", "owners", NAME)["names"]
    assert (row["changed"], row["threshold"], row["since"]) == (False, 1, 1)
    assert row["owners"] == [{"account": "github:1", "key": key.split()[1]}]
    checkout.owned_by(ANA, BEN, threshold=2)
    said = checkout.run("keys", "owners", NAME, code=3).stderr
    assert f"0 of 1 owners signed that {NAME} gets other owners" in said
    assert "github:1 SHA256:" in said
    assert checkout.refused("keys", "owners", NAME, "--recover", code=2) == "USAGE"
    assert checkout.refused("keys", "owners", NAME, "--reason", "lost", code=2) == "USAGE"
    checkout.run("sign", "--owners", NAME, "-q")
    assert "2 of them must sign" in checkout.run("keys", "owners", NAME).stdout
    assert checkout.run("keys", "owners", NAME, "-q").stdout == ""


def test_keys_that_only_an_agent_has(claimed: Checkout, agent: Agent) -> None:
    for place in (claimed.person / ".ssh").iterdir():
        place.unlink()
    assert claimed.refused("sign", NAME) == "NO_OWNERS_KEY"
    claimed.env["SSH_AUTH_SOCK"] = agent.socket
    assert claimed.refused("sign", NAME) == "NO_OWNERS_KEY"
    agent.add(CEM, BEN)
    assert claimed.json("sign", NAME)["owner"] == "github:2"
    agent.add(ANA)
    public = claimed.person / "ana.pub"
    public.write_text(f"{ANA.line}\n")
    assert claimed.json("sign", NAME, "--key", public)["signed"] == 2
    folder = claimed.root / FOLDER / "signatures"
    message = claimed.run("sign", NAME, "--message").stdout.encode()
    made = [(folder / f"1.0.1.{number}.txt").read_bytes() for number in (1, 2)]
    assert made == [BEN.sign(message), ANA.sign(message)]
    claimed.run("publish", "-q")


def test_names_that_cannot_be_claimed(checkout: Checkout) -> None:
    checkout.owned_by(ANA)
    assert checkout.refused("keys", "owners", NAME) == "NOT_PUBLISHED"
    checkout.run("publish", "-q")
    assert checkout.refused("keys", "owners", "email_replies") == "NOT_FOUND"
    checkout.owned_by(ANA, threshold=2)
    assert checkout.refused("keys", "owners", NAME, code=1) == "CLAIM_REFUSED"
    elsewhere = checkout.root.parent
    checkout.run("keys", "owners", NAME, cwd=elsewhere, code=4)
    checkout.owned_by(ANA)
    checkout.run("keys", "owners", NAME, "--checkout", checkout.root, cwd=elsewhere)


def test_keys_in_the_checkout_are_refused(checkout: Checkout) -> None:
    checkout.env["PSREG_HOME"] = str(checkout.root / "home")
    assert checkout.refused("keys", "owners", NAME, code=3) == "KEYS_IN_TREE"


def test_two_owners_sign_a_release(claimed: Checkout) -> None:
    done = claimed.run("publish")
    assert f"waiting {NAME} 1.0.1: 0 of 2 owners signed it" in done.stdout
    done = claimed.run("sign", NAME)
    assert done.stdout.startswith(f"signed {NAME} 1.0.1 as github:1 with SHA256:")
    assert f"\n  {FIRST}\n  1 more owner must sign it\n  next: git add {FIRST}\n" in done.stdout
    (waiting,) = claimed.json("publish")["waiting"]
    assert waiting == {"name": NAME, "version": "1.0.1", "signed": 1, "threshold": 2}
    assert "is already signed with SHA256:" in claimed.run("sign", NAME).stdout
    other = claimed.give("work", BEN)
    signed = claimed.json("sign", f"{NAME}@1.0.1", "--key", other)
    assert (signed["owner"], signed["signed"], signed["status"]) == ("github:2", 2, "signed")
    assert signed["path"] == f"{FOLDER}/signatures/1.0.1.2.txt"
    published = claimed.json("publish")
    assert (published["waiting"], len(published["released"])) == ([], 1)
    installed = claimed.run("install", NAME, "--registry", claimed.root)
    assert "1.0.1" in installed.stdout
    again = claimed.json("sign", NAME)
    assert (again["status"], again["path"], again["signed"]) == ("unchanged", None, 2)


def test_a_signature_by_openssh_alone(claimed: Checkout) -> None:
    """What `--message` prints is signed by the real ssh-keygen, and released."""
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    message = claimed.run("sign", NAME, "--message").stdout.encode()
    (claimed.root / FIRST).parent.mkdir()
    for number, owner in enumerate((ANA, BEN), start=1):
        key = claimed.give(f"key{number}", owner)
        command = [program, "-Y", "sign", "-n", "release@psreg", "-f", key]
        made = subprocess.run(command, input=message, capture_output=True, check=True)
        place = claimed.root / FIRST.replace(".1.txt", f".{number}.txt")
        place.write_bytes(made.stdout)
    assert len(claimed.json("publish")["released"]) == 1


def test_what_does_not_count_is_said(claimed: Checkout) -> None:
    (claimed.root / FIRST).parent.mkdir()
    (claimed.root / FIRST).write_bytes(CEM.sign(b"something"))
    done = claimed.run("publish")
    assert f"warning: {FIRST}: " in done.stderr
    assert "is not one of the owners'" in done.stderr


def test_openssh_verifies_what_is_exported(claimed: Checkout, tmp_path: Path) -> None:
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    claimed.run("sign", NAME)
    claimed.run("sign", NAME, "--key", claimed.give("work", BEN))
    claimed.run("publish", "-q")
    claimed.run("install", NAME, "-q", "--registry", claimed.root)
    (row,) = claimed.json("verify", NAME, "--export", tmp_path / "e" / "x")["results"]
    assert [each["account"] for each in row["signed"]] == ["github:1", "github:2"]
    said = claimed.run("verify").stdout
    assert said.startswith(f"{NAME} 1.0.1: verified\n")
    for account in ("github:1", "github:2"):
        assert f"\n  statement    signed by {account} with the SSH key SHA256:" in said
    folder = tmp_path / "e" / "x"
    assert json.loads((folder / "statement.json").read_bytes())["predicate"]["name"] == NAME
    signed = (folder / "statement.pae").read_bytes()

    def said(account: str, signature: str, message: bytes) -> int:
        command = [program, "-Y", "verify", "-f", folder / "allowed_signers", "-I", account]
        command += ["-n", "release@psreg", "-s", folder / signature]
        return subprocess.run(command, input=message, capture_output=True, check=False).returncode

    assert said("github:1", "statement.sig", signed) == 0
    assert said("github:2", "statement.2.sig", signed) == 0
    assert said("github:2", "statement.sig", signed) != 0
    for flipped in range(0, len(signed), 97):
        message = bytearray(signed)
        message[flipped] ^= 1
        assert said("github:1", "statement.sig", bytes(message)) != 0


def test_an_owner_signs_who_owns_the_name_from_now_on(checkout: Checkout) -> None:
    checkout.owned_by(ANA)
    checkout.run("publish", "-q")
    checkout.run("install", NAME, "-q", "--registry", checkout.root)
    assert checkout.refused("sign", "--owners", NAME, code=1) == "NOTHING_TO_SIGN"
    checkout.owned_by(BEN)
    assert checkout.refused("sign", "--owners", f"{NAME}@1.0.0", code=2) == "USAGE"
    said = checkout.run("publish").stdout
    assert f"waiting {NAME} (other owners): 0 of 1 owners signed it\n" in said
    done = checkout.run("sign", "--owners", NAME)
    assert done.stdout.startswith(f"signed the owners of {NAME} as github:1 with SHA256:")
    place = f"{FOLDER}/signatures/owners.1.1.txt"
    assert f"\n  {place}\n  next: git add {place}\n" in done.stdout
    assert "is already signed with" in checkout.run("sign", "--owners", NAME).stdout
    signed = checkout.json("sign", "--owners", NAME)
    assert (signed["version"], signed["threshold"], signed["signed"]) == (None, 1, 1)
    checkout.owned_by(CEM)
    (waiting,) = checkout.json("publish")["waiting_owners"]
    assert waiting == {"name": NAME, "signed": 0, "threshold": 1}
    checkout.owned_by(BEN)
    published = checkout.json("publish")
    assert (published["waiting"], published["waiting_owners"]) == ([], [])
    done = checkout.run("install", NAME, "--registry", checkout.root)
    assert f"psreg: the owners of {NAME} changed: github:2 SHA256:" in done.stderr


def test_an_owner_signs_a_yank(checkout: Checkout) -> None:
    checkout.owned_by(ANA)
    checkout.run("publish", "-q")
    release = f"{NAME}@1.0.0"
    assert "sign --yank" not in checkout.run("yank", release, "--reason", "It is rude.").stdout
    checkout.run("yank", release, "--undo")
    checkout.run("keys", "owners", NAME, "-q")
    done = checkout.run("yank", release, "--reason", "It is rude.")
    assert f"  next: psreg sign --yank {release}\n" in done.stdout
    published = checkout.json("publish")
    (waiting,) = published["waiting_yanks"]
    assert waiting == {"name": NAME, "version": "1.0.0", "signed": 0, "threshold": 1}
    assert published["waiting"] == published["waiting_owners"] == []
    assert checkout.refused("sign", "--yank", NAME, code=2) == "USAGE"
    checkout.run("yank", release, "--reason", "It is rude to you.")
    said = checkout.run("publish").stdout
    assert f"waiting {NAME} 1.0.0 (yank): 0 of 1 owners signed it\n" in said
    checkout.run("yank", release, "--reason", "It is rude.")
    done = checkout.run("sign", "--yank", release)
    assert done.stdout.startswith(f"signed whether {NAME} 1.0.0 is yanked as github:1 with SHA256:")
    assert (checkout.root / FOLDER / "signatures/yank.1.0.0.1.1.txt").exists()
    assert "is already signed with" in checkout.run("sign", "--yank", release).stdout
    assert checkout.json("publish")["waiting_yanks"] == []
    assert checkout.refused("sign", "--yank", release, code=1) == "NOTHING_TO_SIGN"
    done = checkout.run("install", release, "--registry", checkout.root)
    assert "was yanked: It is rude." in done.stderr
    (checkout.root / "registry/metadata/timestamp.json").write_bytes(b"{")
    assert "sign --yank" not in checkout.run("yank", release, "--undo").stdout


def test_the_site_says_who_claimed_a_name(claimed: Checkout, tmp_path: Path) -> None:
    claimed.run("site", "build", "--out", tmp_path / "site", "-q")
    (served,) = (tmp_path / "site/api/v1/owners").iterdir()
    assert served.name == f"{NAME}.json"
    (signed,) = (claimed.root / "registry/targets/owners").glob(f"*.{NAME}.json")
    assert served.read_bytes() == signed.read_bytes()
    said = json.loads(served.read_bytes())
    assert (len(said["owners"]), said["threshold"], said["since"]) == (2, 2, 1)
    assert said == claimed.json("info", NAME, "--registry", claimed.root)["claim"]


def test_openssh_alone_signs_who_follows(checkout: Checkout) -> None:
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    checkout.owned_by(ANA)
    checkout.run("publish", "-q")
    checkout.owned_by(BEN)
    message = checkout.run("sign", "--owners", NAME, "--message").stdout.encode()
    (checkout.root / FIRST).parent.mkdir()
    command = [program, "-Y", "sign", "-n", "owners@psreg", "-f", checkout.give("key", ANA)]
    made = subprocess.run(command, input=message, capture_output=True, check=True)
    (checkout.root / FOLDER / "signatures/owners.1.1.txt").write_bytes(made.stdout)
    assert checkout.json("publish")["waiting_owners"] == []


def test_nothing_to_export(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("publish", "-q")
    checkout.run("install", NAME, "-q", "--registry", checkout.root)
    assert checkout.refused("verify", "--export", tmp_path / "e", code=2) == "USAGE"
    assert checkout.refused("verify", NAME, "--export", tmp_path / "e") == "NOT_SIGNED"
    file = tmp_path / "file"
    file.write_text("")
    checkout.owned_by(ANA)
    checkout.run("sign", NAME)
    checkout.run("publish", "-q")
    assert checkout.refused("verify", NAME, "--export", tmp_path / "e") == "NOT_SIGNED"
    checkout.run("verify", NAME, "--registry", checkout.root)
    assert checkout.refused("verify", NAME, "--export", file) == "CANNOT_WRITE"
    shutil.rmtree(checkout.root / "registry")
    checkout.run("verify", NAME, "--export", tmp_path / "e")
    assert (tmp_path / "e" / "statement.sig").exists()


def test_a_release_that_the_registry_does_not_have(claimed: Checkout) -> None:
    claimed.run("install", NAME, "-q", "--registry", claimed.root)
    (receipt,) = (claimed.root.parent / "home").rglob("receipt.json")
    receipt.write_text(receipt.read_text().replace("1.0.0", "9.0.0"))
    (row,) = claimed.json("verify", code=3)["results"]
    assert row["signed"] == []


def test_keys_that_sign_nothing(claimed: Checkout, tmp_path: Path) -> None:
    shutil.rmtree(claimed.person / ".ssh")
    assert claimed.refused("sign", NAME) == "NO_OWNERS_KEY"
    claimed.give("id_ed25519", CEM)
    done = claimed.run("sign", NAME, code=4)
    assert "no public key in ~/.ssh or the agent is a key of an owner" in done.stderr
    assert "github:1: SHA256:" in done.stderr
    claimed.give("other", ANA).with_name("other.pub").write_text("no key\n")
    assert claimed.refused("sign", NAME) == "NO_OWNERS_KEY"
    done = claimed.run("sign", NAME, "--key", tmp_path / "absent", code=4)
    assert f"error[NOT_FOUND]: {tmp_path / 'absent'} is not there" in done.stderr
    odd = claimed.give("odd", CEM)
    odd.with_name("odd.pub").write_text(f"{ANA.line}\n")
    assert claimed.refused("sign", NAME, "--key", odd) == "CANNOT_SIGN"
    assert not (claimed.root / FIRST).exists()


def test_what_cannot_be_signed(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.refused("sign", NAME) == "NOT_PUBLISHED"
    checkout.run("publish", "-q")
    assert checkout.refused("sign", "email_replies") == "NOT_FOUND"
    assert checkout.refused("sign", f"{NAME}@2.0.0") == "NOT_FOUND"
    checkout.run("sign", NAME, cwd=tmp_path, code=4)


def test_what_is_said_about_a_claimed_name(claimed: Checkout) -> None:
    before = claimed.json("info", NAME, "--registry", claimed.root)
    assert (before["signed"], before["claim"]["threshold"]) == ([], 2)
    claimed.run("sign", NAME)
    claimed.run("sign", NAME, "--key", claimed.give("work", BEN))
    claimed.run("publish", "-q")
    said = claimed.run("info", NAME, "--registry", claimed.root).stdout
    assert "  owners      github:1, github:2; 2 must sign each release\n" in said
    assert "  signed      by github:1, github:2\n" in said


def test_the_audit_says_who_signed(claimed: Checkout) -> None:
    claimed.run("sign", NAME)
    claimed.run("sign", NAME, "--key", claimed.give("work", BEN))
    claimed.run("publish", "-q")
    first, second = claimed.json("audit")["releases"]
    assert (first["signed"], second["signed"]) == ([], ["github:1", "github:2"])
    assert second["keys"] == [ANA.line, BEN.line]
    assert "signed by github:1, github:2" in claimed.run("audit").stdout
