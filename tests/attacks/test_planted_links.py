"""An attacker planted a link or a folder where psreg is about to write."""

from __future__ import annotations

import os

import pytest

from simulator import TEXT
from support.warm_psreg import run_psreg

NAME = "quiz_master.pbe.txt"


@pytest.fixture
def victim(tmp_path):
    """A file that must not change."""
    path = tmp_path / "victim"
    path.write_text("precious")
    yield path
    assert path.read_text() == "precious"


@pytest.mark.attack("T16", (0, ""))
def test_a_link_at_the_target_is_replaced(attack, victim, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / NAME).symlink_to(victim)
    assert attack.client.run("install", "quiz_master", "--to", out).code == 0
    assert not (out / NAME).is_symlink()
    assert (out / NAME).read_bytes() == TEXT


@pytest.mark.attack("T16", (0, ""))
def test_links_in_the_library_are_replaced(attack, victim):
    folder = attack.client.library / "quiz_master" / "1.0.0"
    folder.mkdir(parents=True)
    (folder / NAME).symlink_to(victim)
    (folder / "receipt.json").symlink_to(victim)
    assert attack.client.run("install", "quiz_master").code == 0
    assert (folder / NAME).read_bytes() == TEXT
    assert not (folder / "receipt.json").is_symlink()


@pytest.mark.attack("T16", (0, ""))
@pytest.mark.parametrize("level", ["quiz_master", "quiz_master/1.0.0"])
def test_a_link_in_place_of_a_folder_is_not_followed(attack, tmp_path, level):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = attack.client.library / level
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    assert attack.client.run("install", "quiz_master").code == 0
    assert list(elsewhere.iterdir()) == []
    assert not link.is_symlink()
    assert attack.client.run("uninstall", "quiz_master").code == 0


def test_uninstalling_through_a_link_removes_only_the_link(attack, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "keep").write_text("me")
    attack.client.library.mkdir(parents=True)
    (attack.client.library / "quiz_master").symlink_to(elsewhere)
    assert attack.client.run("uninstall", "quiz_master").code == 0
    assert (elsewhere / "keep").read_text() == "me"
    assert not (attack.client.library / "quiz_master").is_symlink()


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"))
def test_a_folder_in_place_of_the_file(attack, tmp_path):
    (attack.client.library / "quiz_master" / "1.0.0" / NAME / "x").mkdir(parents=True)
    assert attack.client.run("install", "quiz_master").code == 0
    (tmp_path / "out" / NAME).mkdir(parents=True)
    assert attack.install("--to", tmp_path / "out") == (4, "CANNOT_WRITE")


@pytest.mark.attack("T16", (0, ""))
def test_links_in_the_client_state_are_replaced(attack, victim):
    assert attack.client.run("install", "quiz_master").code == 0
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "timestamp.json").unlink()
    (metadata / "timestamp.json").symlink_to(victim)
    (record,) = attack.client.state.glob("*/pkg/quiz_master.json")
    record.unlink()
    record.symlink_to(victim)
    said = attack.client.run("install", "quiz_master")
    assert said.code == 0
    assert "damaged and has been rebuilt" in said.err


def test_an_installed_file_has_ordinary_permissions(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    path = attack.client.library / "quiz_master" / "1.0.0" / NAME
    assert path.stat().st_mode & 0o7777 == 0o644


def test_a_pipe_in_the_client_state_does_not_hang(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "snapshot.json").unlink()
    os.mkfifo(metadata / "snapshot.json")
    assert attack.client.run("install", "quiz_master").code == 0


LOOPS = {
    "the settings": (("config/config.toml",), ("registry", "add", "here")),
    "a key": (("data/keys/x/root.pem",), ("publish", "here")),
    "the folder of keys": (("data/keys",), ("publish", "here")),
    "the state of publish": (("state/publish",), ("publish", "here")),
    "the registry of a checkout": (("here/registry",), ("publish", "here")),
    "the folder to publish to": (("out",), ("publish", "here", "--registry-dir", "out")),
    "the registry to install from": (("out",), ("search", "--registry", "out")),
    "the library": (("data/library",), ("list",)),
    "the folder to install to": (("out",), ("show", "out/quiz.prompt")),
    "the trace to continue": (
        ("out",),
        ("plsp", "run", "here", "--endpoint", "http://127.0.0.1:9", "--trace", "out"),
    ),
    "the site": (("out",), ("site", "build", "here", "--out", "out")),
}


@pytest.mark.parametrize("case", LOOPS)
def test_a_link_that_leads_to_itself_is_an_ordinary_error(tmp_path, case):
    links, command = LOOPS[case]
    (tmp_path / "here/pbes").mkdir(parents=True)
    for link in links:
        (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / link).symlink_to((tmp_path / link).name)
    env = {**os.environ, "PSREG_HOME": str(tmp_path)}
    done = run_psreg(*command, cwd=tmp_path, env=env, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 2, 3, 4}
    for link in links:
        assert (tmp_path / link).is_symlink() or done.returncode == 0
