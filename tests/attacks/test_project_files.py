"""A clone brings project files of its own: they write nowhere else, and vouch for nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest

from simulator import Simulator, lasting
from support.clients import Client
from support.failing_disk import killed_at, read_only_from
from support.loopback import serving

EVIL = b"[CONTENT]\nevil\n"
GOOD = b"[CONTENT]\ngood\n"
NEWER = b"[CONTENT]\nnewer\n"


@pytest.fixture
def signer():
    made = lasting(log=True).release("diary", "1.0.0", GOOD, entry_class="prompt")
    return made.release("other", "1.0.0", EVIL, entry_class="prompt")


@pytest.fixture
def project(attack):
    """A locked project, whose files a stranger then changes."""
    assert attack.client.run("add", "diary").code == 0
    return attack


def manifest(project, text):
    (project.client.place / "psreg.toml").write_text(text)


def relocked(project, name="diary", **members):
    """Change what the lock says of a prompt."""
    file = project.client.place / "psreg.lock"
    value = json.loads(file.read_bytes())
    value["prompts"][name] |= members
    file.write_text(json.dumps(value))


COMMANDS = ("sync", "install --frozen", "install --frozen --offline")


@pytest.mark.attack("T15", (2, "CONFIG_INVALID"))
@pytest.mark.parametrize("folder", ["../out", "/tmp/out", ".git/hooks", "a/../../out"])
def test_a_folder_outside_of_the_project(project, folder):
    manifest(project, f'folder = "{folder}"\n[prompts]\ndiary = "*"\n')
    for command in COMMANDS:
        assert project.client.refused(*command.split()) == (2, "CONFIG_INVALID")


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"))
@pytest.mark.parametrize("folder", ["prompts", "deep"])
def test_a_link_in_the_place_of_the_folder(project, folder, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    shutil.rmtree(project.client.place / "prompts")
    (project.client.place / folder).symlink_to(victim)
    where = "deep/er" if folder == "deep" else folder
    manifest(project, f'folder = "{where}"\n[prompts]\ndiary = "*"\n')
    for command in COMMANDS:
        assert project.client.refused(*command.split()) == (4, "CANNOT_WRITE")
    assert [*victim.iterdir()] == []


@pytest.mark.attack("T16", (1, "FILE_CHANGED"))
def test_a_link_in_the_place_of_a_file(project, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    file = project.client.place / "prompts/diary.prompt"
    file.unlink()
    file.symlink_to(victim)
    assert project.client.refused("sync") == (1, "FILE_CHANGED")
    assert project.client.run("sync", "--overwrite").code == 0
    assert (victim.read_text(), file.is_symlink(), file.read_bytes()) == ("mine", False, GOOD)


@pytest.mark.attack("T16", (4, "CANNOT_READ"))
@pytest.mark.parametrize("name", ["psreg.toml", "psreg.lock"])
@pytest.mark.parametrize("kind", ["link", "loop", "nowhere", "pipe", "folder"])
def test_what_is_not_a_file_is_not_read(project, name, kind, tmp_path):
    file = project.client.place / name
    shutil.copy(file, tmp_path / "victim")
    file.unlink()
    if kind == "link":
        file.symlink_to(tmp_path / "victim")
    elif kind == "loop":
        file.symlink_to(file)
    elif kind == "nowhere":
        file.symlink_to(tmp_path / "nothing")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    before = (tmp_path / "victim").read_bytes()
    for command in (*COMMANDS, "add other", "remove diary", "lock"):
        done = project.client.run(*command.split(), "--format", "json")
        assert done.refusal == (4, "CANNOT_READ")
        if file.is_symlink():
            assert done.json["error"]["message"].endswith(": it is a symbolic link")
    assert (tmp_path / "victim").read_bytes() == before


@pytest.mark.attack("T1", (3, "TRUST_LOCK"))
@pytest.mark.parametrize("member", ["sha256", "size", "requires"])
def test_a_lock_that_says_something_else(project, member):
    other = json.loads((project.client.place / "psreg.lock").read_bytes())["prompts"]["diary"]
    values = {"sha256": "ab" * 32, "size": other["size"] + 1, "requires": {"other": "*"}}
    if member == "requires":
        assert project.client.run("add", "other").code == 0
        manifest(project, '[prompts]\ndiary = "*"\n')
    relocked(project, **{member: values[member]})
    for command in COMMANDS:
        assert project.client.refused(*command.split()) == (3, "TRUST_LOCK")


@pytest.mark.attack("T1", (3, "TRUST_LOCK"), (4, "NOT_KEPT"), (4, "NO_MATCHING_VERSION"))
def test_a_lock_gives_no_other_name_to_what_is_in_the_cache(project):
    assert project.client.run("add", "other").code == 0
    locked = json.loads((project.client.place / "psreg.lock").read_bytes())["prompts"]
    relocked(project, sha256=locked["other"]["sha256"], size=locked["other"]["size"])
    for command in COMMANDS:
        assert project.client.refused(*command.split()) == (3, "TRUST_LOCK")
    relocked(project, version="1.0.1")
    assert project.client.refused("install", "--frozen", "--offline") == (4, "NOT_KEPT")
    for command in ("sync", "install --frozen"):
        assert project.client.refused(*command.split()) == (4, "NO_MATCHING_VERSION")


@pytest.mark.attack("T5", (1, "LOCK_INVALID"), (4, "CANNOT_READ"), (2, "CONFIG_INVALID"))
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("psreg.lock", b"[" * 200_000),
        ("psreg.lock", b" " * (17 * 1024 * 1024)),
        ("psreg.lock", b'{"a": 1' + b"0" * 5_000 + b"}"),
        ("psreg.lock", b"\xff\xfe"),
        ("psreg.toml", b"a = " + b"[" * 100_000),
        ("psreg.toml", b"# " + b"x" * 300_000),
        ("psreg.toml", b"[prompts]\nx = \xff"),
        ("psreg.toml", b"[prompts]\nx = " + b"9" * 5_000),
    ],
)
def test_files_that_would_take_all_memory(project, name, data):
    (project.client.place / name).write_bytes(data)
    for command in COMMANDS:
        code, error = project.client.refused(*command.split())
        assert error == ("CONFIG_INVALID" if name == "psreg.toml" else error)
        assert code in (1, 2, 4)
    (project.client.place / name).unlink()


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
def test_other_bytes_than_the_locked_ones(project):
    shutil.rmtree(project.client.home / "cache")
    shutil.rmtree(project.client.place / "prompts")
    path = next(path for path in project.registry.files if path.endswith("diary.prompt"))
    project.registry.files[path] = EVIL
    for command in ("sync", "install --frozen"):
        assert project.client.refused(*command.split()) == (3, "TRUST_DIGEST")


@pytest.fixture
def clients(tmp_path):
    """Return a function that makes clients, by number, each in the same locked project."""
    registry = Simulator().release("diary", "1.0.0", GOOD, entry_class="prompt")
    registry.release("diary", "1.1.0", NEWER, entry_class="prompt").publish()
    first = Client(tmp_path / "first")
    with serving(registry.files) as server:
        first.trust(server.url, registry.pin)
        assert first.run("add", "diary@1.0.0").code == 0

        def made(number):
            shutil.copytree(tmp_path / "first", tmp_path / str(number))
            client = Client.__new__(Client)
            client.__dict__ = dict(first.__dict__)
            client.home, client.place = (
                tmp_path / str(number) / each for each in ("home", "place")
            )
            return client

        yield made


def whole(client):
    """Check that each file is one of the two states, whole; return the version that is locked."""
    assert (client.place / "psreg.toml").read_text().startswith("[prompts]\n")
    locked = json.loads((client.place / "psreg.lock").read_bytes())["prompts"]["diary"]["version"]
    file = client.place / "prompts/diary.prompt"
    assert file.read_bytes() in (GOOD, NEWER)
    return locked


def recovered(client):
    """Check that the next run repairs what was interrupted, and leaves nothing behind."""
    done = client.run("add", "diary@1.1.0")
    assert done.code == 0, done.err
    assert whole(client) == "1.1.0"
    assert (client.place / "prompts/diary.prompt").read_bytes() == NEWER
    assert client.run("install", "--frozen").code == 0
    left = [path for path in client.place.rglob("*") if path.name.startswith(".psreg-")]
    assert [path for path in left if "prompts" in path.parts] == []


@pytest.mark.attack("T16", (0, ""), (-signal.SIGKILL, ""))
def test_a_project_is_killed_before_every_change(clients):
    for number in range(1, 200):
        client = clients(number)
        done = client.run("add", "diary@1.1.0", **killed_at(number, client.place))
        whole(client)
        if done.code == 0:
            break
        if (client.place / "psreg.lock").exists() and client.run("sync").code:
            assert client.run("lock", "--check").code == 1
        recovered(client)
    assert 8 < number < 199


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"))
def test_the_disk_of_a_project_is_read_only_from_every_change_on(clients):
    for number in range(1, 200):
        client = clients(number)
        done = client.run("add", "diary@1.1.0", **read_only_from(number, client.place))
        whole(client)
        if done.code == 0:
            break
        recovered(client)
    assert 4 < number < 199
