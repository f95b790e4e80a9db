"""`psreg publish` never starts over what another clone, or an older commit, has published."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.paths import PBES
from support.pipelines import git
from support.publishing import files
from support.warm_psreg import run_psreg

POLICY = '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "nobody runs prompts in a test"\n'
SIGNED = ("log", "metadata", "targets")


def publish(checkout: Path, home: Path, *args: str, code: int = 0) -> dict[str, Any]:
    """Run `psreg publish` in a checkout, and return its JSON document."""
    env = {**os.environ, "PSREG_HOME": str(home)}
    done = run_psreg("publish", *args, "--format", "json", cwd=checkout, env=env, text=True)
    assert done.returncode == code, done
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def refused(checkout: Path, home: Path, *args: str) -> tuple[str, str]:
    """Return message and hint of a publish that is refused and writes nothing."""
    before = files(checkout)
    document = publish(checkout, home, *args, code=3)
    assert document["error"]["code"] == "METADATA_MISSING"
    assert files(checkout) == before
    return document["error"]["message"], document["error"]["hint"]


def commit(checkout: Path, subject: str) -> str:
    git("add", "--all", cwd=checkout)
    git("commit", "--quiet", "--allow-empty", "-m", subject, cwd=checkout)
    return git("rev-parse", "HEAD", cwd=checkout)


def lose(checkout: Path) -> None:
    for name in SIGNED:
        shutil.rmtree(checkout / "registry" / name, ignore_errors=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """The home of somebody who has never published anything."""
    return tmp_path / "stranger"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A registry in Git that was never published."""
    place = tmp_path / "a registry"
    (place / "registry").mkdir(parents=True)
    (place / "registry/policy.toml").write_text(POLICY)
    shutil.copytree(PBES / "prompt/email_reply", place / "pbes/prompt/email_reply")
    git("init", "--quiet", "--initial-branch=main", cwd=place)
    commit(place, "Start")
    return place


@pytest.mark.parametrize("committed", [False, True], ids=["removed", "removed and committed"])
def test_the_history_shows_a_registry(
    checkout: Path, home: Path, stranger: Path, tmp_path: Path, committed: bool
) -> None:
    first = publish(checkout, home)
    there = files(checkout / "registry")
    with_state = commit(checkout, "Publish")
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(checkout), str(clone), cwd=tmp_path)
    lose(clone)
    if committed:
        commit(clone, "Remove what is derived")
    for person in (home, stranger):
        message, hint = refused(clone, person)
        short = message.split()[-3]
        assert len(short) >= 7
        assert with_state.startswith(short)
        assert "--start-over" in hint
        assert refused(clone, person, "--resign") == (message, hint)
    command = hint.split("`")[1]
    subprocess.run(command, shell=True, check=True, capture_output=True)
    assert files(clone / "registry") == there
    assert publish(clone, home)["registry_id"] == first["registry_id"]
    lose(clone)
    assert publish(clone, home, "--start-over")["registry_id"] != first["registry_id"]


def test_another_branch_shows_a_registry(checkout: Path, home: Path, stranger: Path) -> None:
    git("switch", "--quiet", "-c", "state", cwd=checkout)
    publish(checkout, home)
    commit(checkout, "Publish")
    git("switch", "--quiet", "main", cwd=checkout)
    lose(checkout)
    refused(checkout, stranger)


def test_a_folder_elsewhere_in_the_repository_is_another_registry(
    checkout: Path, home: Path
) -> None:
    first = publish(checkout, home)
    commit(checkout, "Publish")
    lose(checkout)
    other = publish(checkout, home, "--registry-dir", str(checkout / "other"))
    assert other["registry_id"] != first["registry_id"]


def test_the_keys_of_a_registry_that_was_never_committed(
    checkout: Path, home: Path, stranger: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(checkout), str(clone), cwd=tmp_path)
    first = publish(checkout, home)["registry_id"]
    message, hint = refused(clone, home)
    assert str(home / "data/keys" / first) in message
    assert "--start-over" in hint
    for name in SIGNED:
        shutil.copytree(checkout / "registry" / name, clone / "registry" / name)
    assert publish(clone, home)["registry_id"] == first
    lose(clone)
    refused(clone, home)
    assert publish(clone, stranger)["registry_id"] != first


def test_metadata_that_git_ignores_is_of_each_clone_alone(
    checkout: Path, home: Path, tmp_path: Path
) -> None:
    (checkout / ".gitignore").write_text("/registry/metadata/\n/registry/targets/\n")
    commit(checkout, "Ignore what is derived")
    url = checkout.as_uri()
    git("clone", "--quiet", "--depth=1", url, str(tmp_path / "clone"), cwd=tmp_path)
    first = publish(checkout, home)["registry_id"]
    assert publish(tmp_path / "clone", home)["registry_id"] != first
    lose(checkout)
    refused(checkout, home)


def test_a_shallow_clone_cannot_tell(
    checkout: Path, home: Path, stranger: Path, tmp_path: Path
) -> None:
    publish(checkout, home)
    commit(checkout, "Publish")
    lose(checkout)
    commit(checkout, "Remove what is derived")
    url = checkout.as_uri()
    git("config", "uploadpack.allowFilter", "true", cwd=checkout)
    git("clone", "--quiet", "--filter=tree:0", url, str(tmp_path / "bare of trees"), cwd=tmp_path)
    git("clone", "--quiet", "--depth=1", url, str(tmp_path / "clone"), cwd=tmp_path)
    assert "shallow" in refused(tmp_path / "bare of trees", stranger)[0]
    message, hint = refused(tmp_path / "clone", stranger)
    assert "shallow" in message
    assert "--unshallow" in hint
    git("fetch", "--quiet", "--unshallow", cwd=tmp_path / "clone")
    assert "has it" in refused(tmp_path / "clone", stranger)[0]


def test_without_git_nothing_is_known(checkout: Path, home: Path, tmp_path: Path) -> None:
    first = publish(checkout, home)["registry_id"]
    shutil.copytree(checkout, tmp_path / "copy", ignore=shutil.ignore_patterns(".git", *SIGNED))
    assert publish(tmp_path / "copy", home)["registry_id"] != first


@pytest.mark.parametrize(
    ("name", "kind"), [("metadata/1.root.json", "pipe"), ("metadata/timestamp.json", "link")]
)
def test_what_a_checkout_has_in_place_of_metadata(
    checkout: Path, home: Path, name: str, kind: str
) -> None:
    publish(checkout, home)
    place = checkout / "registry" / name
    place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    assert publish(checkout, home, code=4)["error"]["code"] == "CANNOT_READ"


@pytest.mark.parametrize("suffix", [".json", ".id"])
def test_a_pipe_in_the_journal(checkout: Path, home: Path, suffix: str) -> None:
    publish(checkout, home)
    lose(checkout)
    for note in list((home / "state/publish").glob("*.id")):
        note.unlink()
        os.mkfifo(note.with_suffix(suffix))
    assert publish(checkout, home, code=4)["error"]["code"] == "CANNOT_READ"
