"""`psreg sign --review`, and what other commands say of reviews, as reviewers use them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.owners import ANA, BEN
from unit.cli.test_signing import FOLDER, NAME, Checkout

REVIEW = f"{FOLDER}/reviews/1.0.0.1.txt"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A registry in which Ana owns a prompt and Ben, whose key is at hand, is a reviewer."""
    found = Checkout(tmp_path)
    found.owned_by(ANA)
    policy = found.root / "registry/policy.toml"
    row = f'\n[[reviewer]]\nname = "Ben"\nkeys = ["{BEN.line}"]\n'
    policy.write_text(policy.read_text() + row)
    found.run("publish", "-q")
    return found


def test_a_review_is_shown_by_name(checkout: Checkout) -> None:
    assert checkout.refused("sign", "--review", NAME) == "NO_REVIEWERS_KEY"
    assert checkout.refused("sign", "--review", "--owners", NAME, code=2) == "USAGE"
    key = checkout.give("id_ben", BEN)
    said = checkout.json("sign", "--review", f"{NAME}@1.0.0", "--key", key)
    assert (said["path"], said["owner"]) == (REVIEW, "Ben")
    (checkout.root / REVIEW).unlink()
    done = checkout.run("sign", "--review", NAME, "--key", key).stdout
    assert done.startswith(f"reviewed {NAME} 1.0.0 as Ben with SHA256:")
    assert "is already reviewed with" in checkout.run("sign", "--review", NAME, "--key", key).stdout
    checkout.run("publish", "-q")
    assert checkout.json("sign", "--review", NAME, "--key", key)["status"] == "unchanged"
    where = ("--registry", checkout.root)
    info = checkout.run("info", NAME, *where).stdout
    assert "  reviewed    by Ben" in info
    assert checkout.json("info", NAME, *where)["reviewers"] == ["Ben"]
    (row,) = checkout.json("audit")["releases"]
    assert (row["reviewers"], row["approved_by"], row["problems"]) == (["Ben"], [], [])
    assert "reviewed by Ben" in checkout.run("audit").stdout
    checkout.run("install", NAME, "-q", *where)
    (row,) = checkout.json("verify", NAME, *where)["results"]
    assert (row["reviewers"], row["note"]) == (["Ben"], None)
    said = checkout.run("verify", NAME, *where).stdout
    assert "; reviewed by Ben" in said


def test_ssh_keygen_alone_makes_a_review(checkout: Checkout) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    message = checkout.run("sign", "--review", NAME, "--message").stdout
    key = checkout.give("id_ben", BEN)
    command = ["ssh-keygen", "-Y", "sign", "-n", "review@psreg", "-f", str(key)]
    made = subprocess.run(
        command, input=message.encode(), capture_output=True, check=True, env=checkout.env
    )
    place = checkout.root / REVIEW
    place.parent.mkdir()
    place.write_bytes(made.stdout)
    checkout.run("publish", "-q")
    assert checkout.json("info", NAME, "--registry", checkout.root)["reviewers"]
