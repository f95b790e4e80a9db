"""Somebody planted something in the client's own folders: links, pipes, folders, large files."""

from __future__ import annotations

import json
import os
import shutil
import time
from itertools import product

import pytest

from simulator import Simulator
from support.walks import sampled

REBUILT = "damaged"


def link(path, elsewhere):
    path.symlink_to(elsewhere)


def pipe(path, _):
    os.mkfifo(path)


def folder(path, _):
    (path / "x").mkdir(parents=True)


def large(path, _):
    with path.open("wb") as file:
        file.truncate(100_000_000)


def garbage(path, _):
    path.write_bytes(b"\x00{")


PLANTED = (link, pipe, folder, large, garbage)
FILES = (
    "1.root.json",
    "metadata/timestamp.json",
    "metadata/snapshot.json",
    "metadata/targets.json",
    "metadata/releases.json",
    "metadata/r-{bin}.json",
    "metadata/root_history/1.root.json",
    "pkg/quiz_master.json",
)
FOLDERS = (".", "metadata", "metadata/root_history", "pkg")


@pytest.fixture
def elsewhere(tmp_path):
    """A file and a folder that must not change."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "precious").write_text("precious")
    yield place
    assert [path.name for path in place.iterdir()] == ["precious"]
    assert (place / "precious").read_text() == "precious"


@pytest.fixture
def state(attack):
    """The state folder of the one registry, after an installation."""
    assert attack.client.run("install", "quiz_master").code == 0
    (place,) = attack.client.state.iterdir()
    return place


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def replaced(state, name):
    if "{bin}" in name:
        return next((state / "metadata").glob("r-*.json"))
    return state / name


@pytest.mark.parametrize(
    ("name", "plant"), sampled([*product(FILES, PLANTED)], 12, kinds=lambda case: case)
)
def test_a_file_is_set_aside_and_rebuilt(attack, state, elsewhere, name, plant):
    path = replaced(state, name)
    remove(path)
    plant(path, elsewhere / "precious")
    shutil.rmtree(attack.client.library)
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if REBUILT in line]
    # python-tuf replaces a bin and a record that is only garbage without a word.
    assert len(told) == 1 or plant is garbage
    assert path.is_file()
    assert not path.is_symlink()
    assert attack.client.run("install", "quiz_master").err == ""


@pytest.mark.parametrize(
    ("name", "plant"),
    sampled([*product(FOLDERS, [link, pipe, garbage])], 5, kinds=lambda case: case),
)
def test_a_folder_is_set_aside_and_rebuilt(attack, state, elsewhere, name, plant):
    path = (state / name).resolve()
    shutil.rmtree(path)
    plant(path, elsewhere)
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert path.is_dir()
    assert not path.is_symlink()
    assert attack.client.run("install", "quiz_master").err == ""


def everything(state):
    """Return all that is stored of a registry, folders among it."""
    return sorted(str(path.relative_to(state)) for path in state.rglob("*"))


@pytest.mark.unmeasured
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_whatever_is_in_place_of_anything_stored(attack, state, elsewhere, plant):
    commands = (("install", "quiz_master"), ("search", "quiz"), ("info", "quiz_master"))
    for command in commands:
        assert attack.client.run(*command).code == 0
    whole = attack.client.home / "whole"
    shutil.copytree(state, whole, symlinks=True)
    places = [(name, command) for name in everything(state) for command in commands]
    for name, command in sampled(places, 12):
        path = state / name
        if path.is_dir() and plant in (folder, large):
            continue
        target = elsewhere / "precious" if path.is_file() else elsewhere
        remove(path)
        plant(path, target)
        done = attack.client.run(*command)
        assert done.code == 0, (name, command, done.err)
        assert attack.client.run(*command).code == 0
        remove(state)
        shutil.copytree(whole, state, symlinks=True)


@pytest.mark.parametrize("plant", [pipe, garbage])
def test_something_is_in_place_of_the_folder_of_all_registries(attack, state, plant):
    remove(attack.client.state)
    plant(attack.client.state, None)
    done = attack.client.run("install", "quiz_master")
    assert (done.code, REBUILT in done.err) == (0, True)


def test_the_folder_of_all_registries_is_no_link(attack, state, elsewhere):
    shutil.move(attack.client.state, attack.client.home / "moved")
    attack.client.state.symlink_to(elsewhere)
    done = attack.client.run("install", "quiz_master")
    assert (done.code, REBUILT in done.err) == (0, True)
    assert not attack.client.state.is_symlink()


COMMANDS = ("install quiz_master", "search quiz", "list", "verify", "uninstall quiz_master")


@pytest.mark.attack("T16", (3, "STATE_LINKED"))
@pytest.mark.parametrize("command", COMMANDS)
def test_the_folder_of_all_state_is_no_link(attack, state, elsewhere, command):
    """Not even one that leads to the very state: what it leads to may change at any time."""
    data = attack.client.library.parent
    shutil.move(data, attack.client.home / "moved")
    data.symlink_to(attack.client.home / "moved")
    assert attack.client.refused(*command.split()) == (3, "STATE_LINKED")
    data.unlink()
    data.symlink_to(elsewhere)
    said = attack.client.run(*command.split())
    assert f"{data} is a symbolic link, which psreg does not follow" in said.err
    data.unlink()
    (attack.client.home / "moved").rename(data)
    assert attack.client.run("verify").code == 0


@pytest.mark.attack("T16", (3, "STATE_LINKED"))
@pytest.mark.parametrize("kind", ["state", "cache"])
def test_no_folder_that_psreg_makes_is_a_link(attack, elsewhere, kind):
    client = attack.client
    (client.home / kind).symlink_to(elsewhere)
    (client.place / "pbes").mkdir()
    command = {"state": ("publish", "."), "cache": ("cache", "verify")}[kind]
    assert client.refused(*command) == (3, "STATE_LINKED")


@pytest.mark.attack("T16", (3, "STATE_LINKED"))
def test_the_folder_of_the_journal_is_no_link(attack, elsewhere):
    client = attack.client
    (client.home / "state").mkdir()
    (client.home / "state/publish").symlink_to(elsewhere)
    (client.place / "pbes").mkdir()
    assert client.refused("publish", ".") == (3, "STATE_LINKED")


def test_a_folder_that_the_user_names_may_be_linked(attack, tmp_path):
    client = attack.client
    assert client.run("install", "quiz_master").code == 0
    settings = client.home / "config"
    client.home.rename(tmp_path / "disk")
    client.home.symlink_to(tmp_path / "disk")
    settings.rename(tmp_path / "dotfiles")
    settings.symlink_to(tmp_path / "dotfiles")
    assert client.run("install", "quiz_master").err == ""
    assert client.run("verify").code == 0
    data, person = tmp_path / "share", {"PSREG_HOME": "", "HOME": str(tmp_path)}
    (tmp_path / "real").mkdir()
    data.symlink_to(tmp_path / "real")
    served = ("--registry", attack.server.url)
    person |= {"XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(client.home / "xdg")}
    (client.home / "xdg").mkdir()
    (client.home / "xdg/psreg").symlink_to(tmp_path / "dotfiles")
    assert client.run("install", "quiz_master", *served, **person).err == ""
    assert (tmp_path / "real/psreg/library/quiz_master").is_dir()


@pytest.mark.attack("T16", (3, "STATE_LINKED"))
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
@pytest.mark.parametrize("place", ["home", "home/config", "home/data"])
def test_a_link_of_another_user_in_a_shared_folder_is_not_followed(attack, elsewhere, place):
    """A folder such as /tmp, in which everybody may create what is not there yet."""
    path = attack.client.place.parent / place
    aside = path.with_name("aside")
    if path.exists():
        path.rename(aside)
    path.symlink_to(elsewhere)
    os.lchown(path, 65534, 65534)
    path.parent.chmod(0o1777)
    command = ("install", "quiz_master", "--registry", attack.server.url)
    assert attack.client.refused(*command) == (3, "STATE_LINKED")
    path.unlink()
    if aside.exists():
        aside.rename(path)


@pytest.mark.parametrize("plant", [link, pipe, large, garbage])
@pytest.mark.parametrize("command", ["install quiz_master", "list", "verify", "uninstall x"])
def test_something_is_in_place_of_the_library(attack, state, elsewhere, plant, command):
    remove(attack.client.library)
    plant(attack.client.library, elsewhere)
    done = attack.client.run(*command.split())
    assert "library was damaged; it is now library.damaged" in done.err
    assert done.code == (4 if command.startswith("uninstall") else 0)
    assert attack.client.run("install", "quiz_master").code == 0
    assert not attack.client.library.is_symlink()


def test_a_library_that_the_user_names_may_be_linked(attack, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    where = {"PSREG_LIBRARY": str(tmp_path / "link")}
    assert attack.client.run("install", "quiz_master", **where).err == ""
    assert (tmp_path / "disk/quiz_master").is_dir()


@pytest.mark.parametrize("plant", [link, pipe, folder])
@pytest.mark.parametrize("where", ["state", "library"])
def test_a_lock_is_set_aside(attack, state, elsewhere, where, plant):
    lock = state / "lock" if where == "state" else attack.client.library / ".lock"
    lock.unlink()
    plant(lock, elsewhere / "precious")
    shutil.rmtree(attack.client.library / "quiz_master")
    assert attack.client.run("install", "quiz_master").code == 0
    assert lock.is_file()
    assert not lock.is_symlink()


def test_an_edited_root_is_damage_and_not_another_registry(attack, state):
    value = json.loads((state / "1.root.json").read_text())
    value["signed"]["expires"] = "2099-01-01T00:00:00Z"
    (state / "1.root.json").write_text(json.dumps(value))
    done = attack.client.run("install", "quiz_master")
    assert (done.code, REBUILT in done.err) == (0, True)


UNFINISHED = ".psreg-0123456789abcdef"


def test_what_a_killed_run_left_is_deleted(attack, state):
    left = [
        state / UNFINISHED,
        state / "pkg" / UNFINISHED,
        state / "metadata" / "tmpabcdefgh",
        state / "metadata" / "root_history" / "tmpabcdefgh",
        attack.client.library / "quiz_master" / "1.0.0" / UNFINISHED,
    ]
    for path in left:
        path.write_bytes(b"half")
    (attack.client.library / "quiz_master" / "1.0.0" / "receipt.json").unlink()
    assert attack.client.run("install", "quiz_master").code == 0
    assert not [path for path in left if path.exists()]


def test_what_a_killed_run_left_in_a_folder_of_the_user_is_deleted_later(attack, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    new = UNFINISHED.replace("0", "f")
    kept = ["mine", ".psreg-exports.json", ".psreg-0123456789abcdeg", f"{UNFINISHED}0"]
    for name, age in ((UNFINISHED, 7200), (new, 60), *((name, 7200) for name in kept)):
        (out / name).write_bytes(b"half")
        then = time.time() - age
        os.utime(out / name, (then, then))
    assert attack.client.run("install", "quiz_master", "--to", out).code == 0
    left = {path.name for path in out.iterdir()}
    assert left == {new, *kept, "quiz_master.pbe.txt"}


# The library


@pytest.mark.attack("T16", (4, "NOT_INSTALLED"), (3, "TRUST_UNPROVEN"))
@pytest.mark.parametrize("plant", PLANTED)
def test_a_receipt_that_is_none_is_told_and_replaced(attack, state, elsewhere, plant):
    client = attack.client
    receipt = client.library / "quiz_master" / "1.0.0" / "receipt.json"
    receipt.unlink()
    plant(receipt, elsewhere / "precious")
    listed = client.run("list")
    assert (listed.code, listed.out) == (0, "")
    assert "`quiz_master` is damaged" in listed.err
    verified = client.run("verify", "--format", "json")
    assert verified.refusal == (3, "TRUST_UNPROVEN")
    assert [row["name"] for row in verified.json["results"]] == ["quiz_master"]
    assert client.run("verify", "quiz_master").code == 3
    assert client.refused("path", "quiz_master") == (4, "NOT_INSTALLED")
    assert client.run("install", "quiz_master").code == 0
    assert client.run("verify").code == 0


@pytest.mark.attack("T16", (4, "NOT_INSTALLED"))
@pytest.mark.parametrize("level", ["quiz_master", "quiz_master/1.0.0"])
def test_nothing_is_read_through_a_link(attack, state, tmp_path, level):
    client = attack.client
    moved = tmp_path / "moved"
    shutil.move(client.library / level, moved)
    (client.library / level).symlink_to(moved)
    assert client.refused("path", "quiz_master") == (4, "NOT_INSTALLED")
    assert "`quiz_master` is damaged" in client.run("list").err


def test_a_receipt_of_a_newer_psreg_says_so(attack, state):
    client = attack.client
    receipt = client.library / "quiz_master" / "1.0.0" / "receipt.json"
    value = json.loads(receipt.read_text())
    receipt.write_text(json.dumps({**value, "schema": "psreg.receipt/2"}))
    before = receipt.read_text()
    for command in ("list", "verify", "show quiz_master", "install quiz_master"):
        done = client.run(*command.split(), "--format", "json")
        assert done.refusal == (4, "NEWER_FORMAT")
        assert "newer psreg" in done.json["error"]["hint"]
    assert receipt.read_text() == before
    # It stands in the way of nothing else.
    assert "quiz_master" in client.run("search", "quiz").out
    assert client.refused("verify", "diary") == (4, "NOT_INSTALLED")
    attack.registry.release("diary", data=b'{"pbe_name": "diary"}').publish()
    assert client.run("install", "diary").code == 0
    assert client.run("verify", "diary").code == 0


def test_a_registry_of_a_newer_format_says_so(client, tmp_path):
    registry = Simulator().release().publish()
    folder = registry.store(tmp_path / "registry")
    assert client.run("install", "quiz_master", "--registry", folder).code == 0
    (state,) = client.state.iterdir()
    registry.root.unrecognized_fields["psreg"]["mode"] = "witnessed"
    registry.write_root()
    (state / "1.root.json").write_bytes(registry.first_root)
    registry.store(folder)
    assert client.refused("search", "--registry", folder) == (4, "NEWER_FORMAT")
    assert (state / "1.root.json").read_bytes() == registry.first_root


@pytest.mark.attack("T16", (2, "CONFIG_INVALID"))
def test_large_settings_are_refused(attack):
    settings = attack.client.home / "config" / "config.toml"
    before = settings.read_text()
    settings.write_text(before + "#" * 300_000)
    assert attack.client.refused("search") == (2, "CONFIG_INVALID")
    settings.write_text(before)


def dangling(path, _):
    path.symlink_to("nowhere")


def loop(path, _):
    path.symlink_to(path.name)


@pytest.mark.attack("T16", (4, "CANNOT_READ"))
@pytest.mark.parametrize("whose", ["config", "system"])
@pytest.mark.parametrize("plant", [pipe, folder, dangling, loop])
def test_settings_that_cannot_be_read_are_not_left_out(attack, tmp_path, plant, whose):
    """A pin or a lock may be in them."""
    client, registry = attack.client, attack.registry.store(tmp_path / "registry")
    settings = client.home / whose / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    if settings.exists():
        settings.rename(settings.with_suffix(".kept"))
    plant(settings, None)
    for command in (
        ("search",),
        ("install", "quiz_master", "--registry", registry),
        ("registry", "list"),
        ("registry", "add", registry, "--name", "main"),
    ):
        assert client.refused(*command) == (4, "CANNOT_READ")
    assert client.installed() == []
    settings.rename(settings.with_suffix(".planted"))
    if settings.with_suffix(".kept").exists():
        settings.with_suffix(".kept").rename(settings)


def test_settings_may_be_linked_from_elsewhere(client, tmp_path):
    registry = Simulator().release().publish().store(tmp_path / "registry")
    (tmp_path / "dotfiles.toml").write_text(f'registry = "{registry}"\n')
    settings = client.home / "config" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.symlink_to(tmp_path / "dotfiles.toml")
    assert client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T16", (4, "CANNOT_READ"))
@pytest.mark.parametrize("plant", [pipe, folder, dangling, loop])
def test_a_policy_that_cannot_be_read_is_not_left_out(client, plant):
    """It says which names and licences are refused, and what its reviews need."""
    assert client.run("init", ".").code == 0
    policy = client.place / "registry/policy.toml"
    policy.unlink()
    plant(policy, None)
    for command in (("check",), ("check", "pbes"), ("publish",), ("new", "prompt", "greeter")):
        assert client.refused(*command) == (4, "CANNOT_READ")
    assert not (client.place / "registry/metadata").exists()
