"""`psreg mirror`: a copy from which the same is installed with the same pin, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from simulator import METADATA, Simulator
from support.clients import Client
from support.loopback import serving

STAMP = f"{METADATA}timestamp.json"


def prompt(text):
    return f"[CONTENT]\n{text}\n".encode()


def add(registry, name, version="1.0.0", requires=None):
    details = {"release": {"requires": requires}} if requires else {}
    data = prompt(f"{name} {version}")
    return registry.release(name, version, data, entry_class="prompt", **details)


@pytest.fixture
def registry():
    made = Simulator(log=True)
    add(made, "glossary"), add(made, "glossary", "1.1.0")
    add(made, "quiz", requires={"glossary": "^1"})
    return add(made, "diary").publish()


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path / "client")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirror"


@pytest.fixture
def server(registry, client):
    with serving(registry.files) as running:
        client.trust(running.url, registry.pin)
        yield running


def mirrored(client, folder, *options):
    done = client.run("mirror", folder, *options, "--format", "json")
    assert done.code == 0, done.out + done.err
    return done.json


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("psreg-mirror")
        if not path.match("registry/log/checkpoint")  # a copy, which the simulator does not serve
    }


def installs(tmp_path, registry, location, *names):
    """Install as somebody who has only the pin, from a mirror."""
    other = Client(tmp_path / f"other{time.monotonic_ns()}")
    done = other.run("registry", "add", location, "--root-sha256", registry.pin)
    assert done.code == 0, done.err
    return other.run("install", *names)


def test_a_mirror_has_what_the_registry_has(tmp_path, client, registry, server, folder):
    done = mirrored(client, folder)
    assert content(folder) == registry.files
    assert done["written"] == len(registry.files) + 1
    assert done["root_sha256"] == registry.pin
    server.asked.clear()
    again = mirrored(client, folder)
    assert (again["written"], again["unchanged"]) == (0, len(registry.files) + 1)
    assert not [path for path in server.asked if path in registry.files and path != STAMP]
    said = client.run("mirror", folder)
    assert "0 files written" in said.out
    assert client.run("mirror", folder, "-q").out == ""


@pytest.mark.parametrize("how", ["path", "http"])
def test_it_is_installed_from_with_the_same_pin(  # noqa: PLR0917
    tmp_path, client, registry, server, folder, how
):
    mirrored(client, folder)
    server.asked.clear()
    with serving(content(folder)) as copy:
        location = folder if how == "path" else copy.url
        done = installs(tmp_path, registry, location, "quiz", "diary")
        assert done.code == 0, done.err
    assert server.asked == []


def test_a_partial_mirror_has_what_is_required_and_nothing_more(
    tmp_path, client, registry, server, folder
):
    mirrored(client, folder, "--only", "quiz")
    files = content(folder)
    artifacts = sorted(path for path in files if path.startswith("pbes/"))
    assert [path.split("/")[2] for path in artifacts] == ["glossary", "glossary", "quiz"]
    assert not [path for path in files if ".diary." in path]
    assert installs(tmp_path, registry, folder, "quiz").code == 0
    done = installs(tmp_path, registry, folder, "diary")
    assert (done.code, "error[NOT_MIRRORED]" in done.err) == (4, True)
    assert f"`diary` is not in {folder}, which is a mirror of only some names" in done.err
    assert "mirror it again with one more `--only diary`" in done.err
    assert client.run("mirror", folder, "--only", "nothing", "--format", "json").refusal == (
        4,
        "UNKNOWN_NAME",
    )
    refusal = client.run("mirror", folder, "--only", "quiz@1.0.0", "--format", "json").refusal
    assert refusal == (2, "USAGE")


def test_what_is_new_is_added_and_what_is_old_goes_a_run_later(
    tmp_path, client, registry, server, folder
):
    mirrored(client, folder)
    before = content(folder)
    add(registry, "diary", "1.1.0").publish()
    done = mirrored(client, folder)
    assert done["deleted"] == 0
    between = content(folder)
    assert before.keys() <= between.keys()
    add(registry, "diary", "1.2.0").publish()
    assert mirrored(client, folder)["deleted"] > 0
    after = content(folder)
    assert before.keys() - after.keys()
    assert installs(tmp_path, registry, folder, "diary@1.2.0").code == 0


def test_what_was_purged_leaves_at_once(client, registry, server, folder):
    mirrored(client, folder)
    path = next(path for path in content(folder) if "diary" in path and path.startswith("pbes"))
    row = registry.records["diary"]["releases"][0]
    row |= {
        "revoked": {
            "kind": "purge",
            "reason": "a secret",
            "date": "2026-11-21T05:00:00Z",
            "action": 1,
        },
        "v": 2,
    }
    registry.publish()
    done = client.run("mirror", folder, "--format", "json")
    if done.code == 0:
        assert not (folder / path).exists()


def tampered(data):
    return data.replace(b"glossary", b"glissary").replace(b"version", b"varsion", 1)


def test_what_does_not_verify_is_refused_and_the_mirror_stays(client, registry, folder, tmp_path):
    kinds = ("pbes/", "registry/targets/pkg/", "registry/log/tile/", METADATA + "1.r-")
    for number, kind in enumerate(kinds):
        false = {
            path: tampered(data) + b" " if path.startswith(kind) else data
            for path, data in registry.files.items()
        }
        other = Client(tmp_path / f"mirroring{number}")
        place = tmp_path / f"place{number}"
        with serving(false) as server:
            other.trust(server.url, registry.pin)
            done = other.run("mirror", place, "--format", "json")
        assert done.code == 3, (kind, done.out)
        assert not (place / STAMP).exists()


@pytest.mark.parametrize("kind", ["pbes/", "registry/log/tile/", "registry/targets/segments/"])
def test_what_is_missing_is_refused(client, registry, folder, kind):
    files = {path: data for path, data in registry.files.items() if not path.startswith(kind)}
    with serving(files) as server:
        client.trust(server.url, registry.pin)
        done = client.run("mirror", folder, "--format", "json")
    assert done.code == 3 or len(files) == len(registry.files)


def test_files_that_are_too_long_are_refused(client, registry, folder):
    false = {
        path: data + b" " * 2_000_000 if path.startswith("pbes/") else data
        for path, data in registry.files.items()
    }
    with serving(false) as server:
        client.trust(server.url, registry.pin)
        assert client.run("mirror", folder, "--format", "json").refusal == (3, "TRUST_DIGEST")


def test_a_damaged_file_is_fetched_again(client, registry, server, folder):
    mirrored(client, folder)
    path = next(path for path in content(folder) if path.startswith("pbes/"))
    (folder / path).write_bytes(b"damaged")
    (folder / METADATA / "1.root.json").unlink()
    assert mirrored(client, folder)["written"] == 2
    assert content(folder) == registry.files


def test_an_older_registry_does_not_replace_a_newer_mirror(tmp_path, client, registry, folder):
    old = {**registry.files}
    add(registry, "diary", "1.1.0").publish()
    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        mirrored(client, folder)
    other = Client(tmp_path / "other")
    with serving(old) as server:
        other.trust(server.url, registry.pin)
        done = other.run("mirror", folder, "--format", "json")
    assert done.refusal == (3, "TRUST_ROLLBACK")
    assert (folder / STAMP).read_bytes() == registry.files[STAMP]


def test_a_folder_with_something_else_is_left_alone(tmp_path, client, registry, server, folder):
    registry.store(folder)
    before = content(folder)
    foreign = (4, "MIRROR_FOREIGN")
    assert client.run("mirror", folder, "--format", "json").refusal == foreign
    assert content(folder) == before
    note = folder / "psreg-mirror.json"
    for text in ("[]", "{", '{"schema": "psreg.mirror-files/1", "files": {"a": 1}, "old": {}}'):
        note.write_text(text)
        assert client.run("mirror", folder, "--format", "json").refusal == foreign
    value = {"schema": "psreg.mirror-files/1", "root_sha256": "0" * 64, "files": {}, "old": {}}
    note.write_text(json.dumps(value))
    assert client.run("mirror", folder, "--format", "json").refusal == foreign


def test_files_of_others_are_neither_overwritten_nor_deleted(client, registry, server, folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    mirrored(client, folder, "--only", "glossary")
    theirs = next(path for path in registry.files if path.startswith("pbes/") and "diary" in path)
    (folder / theirs).parent.mkdir(parents=True)
    (folder / theirs).write_text("mine")
    refusal = client.run("mirror", folder, "--format", "json").refusal
    assert refusal == (4, "MIRROR_FOREIGN")
    assert (folder / theirs).read_text() == "mine"
    (folder / theirs).write_bytes(registry.files[theirs])
    mirrored(client, folder)
    mirrored(client, folder, "--only", "glossary")  # the others are not needed any more
    done = mirrored(client, folder, "--only", "glossary")
    assert (folder / theirs).read_bytes() == registry.files[theirs]
    assert (folder / "notes.txt").read_text() == "mine"
    assert done["kept"] == []


def test_a_file_that_was_changed_is_kept_and_told(client, registry, server, folder):
    mirrored(client, folder)
    gone = next(path for path in registry.files if path.startswith("pbes/") and "diary" in path)
    (folder / gone).write_text("changed")
    done = client.run("mirror", folder, "--only", "glossary")
    assert done.code == 0
    assert "was changed, and is kept" in done.err
    assert (folder / gone).read_text() == "changed"


def test_links_in_the_folder_are_not_followed(tmp_path, client, registry, server, folder):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    mirrored(client, folder)
    shutil.rmtree(folder / "pbes")
    (folder / "pbes").symlink_to(elsewhere)
    assert client.run("mirror", folder, "--format", "json").refusal == (4, "MIRROR_FOREIGN")
    assert [*elsewhere.iterdir()] == []
    (folder / "pbes").unlink()
    (folder / "psreg-mirror.journal").symlink_to(elsewhere / "x")
    assert client.run("mirror", folder, "--format", "json").refusal == (4, "MIRROR_FOREIGN")


def test_a_list_that_leaves_the_folder_is_not_followed(tmp_path, client, registry, server, folder):
    mirrored(client, folder)
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    note = folder / "psreg-mirror.json"
    value = json.loads(note.read_text())
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    value["old"] = {"../victim": empty}
    note.write_text(json.dumps(value))
    assert client.run("mirror", folder).code != 0
    assert victim.exists()


@pytest.mark.parametrize("after", [1, 7, 19, 30])
def test_a_killed_run_leaves_a_mirror_that_works(  # noqa: PLR0917
    tmp_path, client, registry, server, folder, after
):
    mirrored(client, folder)
    old = {**registry.files}
    for number in range(3):
        add(registry, f"later_{number}")
    registry.publish()
    environment = {**os.environ, "PSREG_HOME": str(client.home)}
    argv = [sys.executable, "-m", "psreg", "mirror", str(folder)]
    asked = len(server.asked)
    running = subprocess.Popen(argv, env=environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while len(server.asked) < asked + after and running.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = installs(tmp_path, registry, folder, "quiz")
    assert done.code == 0, done.err
    assert old[STAMP] != registry.files[STAMP]
    mirrored(client, folder)
    assert (folder / STAMP).read_bytes() == registry.files[STAMP]
    assert not (folder / "psreg-mirror.journal").exists()
    assert content(folder).items() <= registry.files.items()
    done = installs(tmp_path, registry, folder, "later_0", "later_2")
    assert done.code == 0, done.err


def test_a_folder_that_cannot_be_made_is_told(client, registry, server, tmp_path):
    (tmp_path / "file").write_text("")
    refusal = client.run("mirror", tmp_path / "file", "--format", "json").refusal
    assert refusal == (4, "CANNOT_WRITE")
