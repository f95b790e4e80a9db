"""Somebody can write the state folder, and makes up what was verified there."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys

import pytest

from psreg.client.verified.facts import FILE, KEY
from simulator import Simulator
from support.loopback import serving
from support.paths import SOURCE
from support.walks import sampled

FALSE = b'{"pbe_name": "quiz_master", "pbe_version": "1.0.0", "evil": true}\n'


@pytest.fixture
def state(attack):
    """The state folder of the one registry, after two installations."""
    for _ in range(2):
        assert attack.client.run("install", "quiz_master").code == 0
    (place,) = attack.client.state.iterdir()
    assert (place / FILE).exists()
    yield place
    (place / "pkg" / "quiz_master.json").unlink()


def planted(attack, state, key):
    """Make the facts say that a false record is listed, with the code that a key gives."""
    place = state / "pkg" / "quiz_master.json"
    record = json.loads(place.read_bytes())
    path = record["releases"][0]["path"]
    record["releases"][0] |= {"sha256": hashlib.sha256(FALSE).hexdigest(), "size": len(FALSE)}
    data = json.dumps(record).encode()
    place.write_bytes(data)
    attack.registry.files[path] = FALSE
    facts = json.loads((state / FILE).read_bytes().partition(b"\n")[2])
    facts["listings"]["pkg/quiz_master.json"][0] = [len(data), hashlib.sha256(data).hexdigest()]
    facts["accepted"] = {}
    body = json.dumps(facts).encode()
    code = hmac.digest(key, body, "sha256").hex().encode()
    (state / FILE).write_bytes(code + b"\n" + body)


def files_in(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.attack("T16", (0, ""))
def test_with_the_key_they_would_be(attack, state):
    """Who can read it can write the pin, and the library."""
    attack.state = None
    planted(attack, state, (attack.client.home / "config" / KEY).read_bytes())
    assert attack.client.run("install", "quiz_master").code == 0
    assert FALSE in attack.client.library_content().values()


@pytest.mark.attack("T16", (3, "TRUST_REWRITTEN"))
@pytest.mark.parametrize("key", [b"", b"k" * 32])
def test_facts_without_the_key_are_not_believed(attack, state, key):
    planted(attack, state, key)
    assert attack.install() == (3, "TRUST_REWRITTEN")


@pytest.mark.attack("T16", (3, "TRUST_REWRITTEN"))
@pytest.mark.parametrize("mode", [0o644, 0o620, 0o602])
def test_a_key_that_others_can_read_or_write_is_not_used(attack, state, mode):
    key = attack.client.home / "config" / KEY
    key.chmod(mode)
    planted(attack, state, key.read_bytes())
    assert attack.install() == (3, "TRUST_REWRITTEN")


@pytest.mark.attack("T16", (3, "TRUST_REWRITTEN"))
def test_a_pin_of_the_system_is_worth_more_than_a_key_of_the_user(attack, state):
    settings = attack.client.home / "config" / "config.toml"
    system = attack.client.home / "system" / "config.toml"
    system.parent.mkdir()
    settings.rename(system)
    planted(attack, state, (settings.parent / KEY).read_bytes())
    assert attack.install() == (3, "TRUST_REWRITTEN")


@pytest.mark.attack("T16", (0, ""))
def test_an_old_state_that_was_true_is_not_the_one_that_is_shown(attack, state):
    """Who restores a backup of the state folder gets what the registry shows, not what it showed."""
    old = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    attack.registry.release(version="1.1.0", data=b"new").publish()
    attack.learned()
    assert attack.client.run("install", "quiz_master").code == 0
    for path, data in old.items():
        path.unlink()
        path.write_bytes(data)
    done = attack.client.run("install", "quiz_master", "--format", "json")
    assert done.json["installed"][0]["version"] == "1.1.0"


@pytest.mark.attack("T16", (0, ""))
def test_facts_that_are_cut_off_prove_nothing(attack, state):
    """Nor do changed ones; all is verified again, and remembered."""
    whole = (state / FILE).read_bytes()
    for size in sampled(range(0, len(whole), 97), 5):
        for data in (whole[:size], whole[:size] + b"0" + whole[size + 1 :]):
            (state / FILE).write_bytes(data)
            assert attack.client.run("install", "quiz_master").code == 0
            assert (state / FILE).read_bytes() == whole


@pytest.mark.attack("T16", (3, "TRUST_ROLE"), (3, "TRUST_PIN"), (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize("copied", ["the facts", "all but the root", "all of it"])
def test_the_facts_of_another_registry_of_the_same_user(attack, state, copied):
    """The same key vouches for them. The attacker owns that registry, and now the address of ours."""
    client, registry = attack.client, attack.registry
    other = Simulator(registry_id="f" * 32).release(data=FALSE).publish()
    with serving(other.files) as server:
        pinned = ("--root-sha256", other.pin, "--name", "other")
        assert client.run("registry", "add", server.url, *pinned).code == 0
        asked = ("install", "quiz_master", "--registry", "other", "--to", "theirs")
        assert client.run(*asked).code == 0
    (theirs,) = (folder for folder in client.state.iterdir() if folder != state)
    kept, copied_from = files_in(state), files_in(theirs)
    assert client.run("registry", "remove", "other", "--forget").code == 0
    for path, data in copied_from.items():
        if (
            copied == "all of it"
            or path == FILE
            or (copied[4:7] == "but" and path != "1.root.json")
        ):
            (state / path).parent.mkdir(exist_ok=True, parents=True)
            (state / path).write_bytes(data)
    registry.files.clear()
    registry.files |= other.files
    assert attack.install()[0] == 3
    for path, data in kept.items():
        (state / path).write_bytes(data)


@pytest.mark.attack("T16", (3, "TRUST_UNCLAIMED"))
def test_what_was_accepted_is_refused_once_more_is_demanded(attack, state):
    assert state
    assert attack.install("--require-claimed") == (3, "TRUST_UNCLAIMED")


def test_what_is_installed_already_needs_neither_python_tuf_nor_cryptography(attack, state):
    assert state
    attack.server.asked.clear()
    code = (
        "import sys; from psreg.__main__ import main; main(); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[1:] = ['install', 'quiz_master']; {code}"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PSREG_HOME": str(attack.client.home)},
        cwd=attack.client.place,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "psreg.client.verified.targets" in loaded
    assert not {"tuf", "cryptography", "securesystemslib", "psreg.client.tufclient"} & loaded
    assert sorted(attack.server.asked) == [
        "registry/metadata/2.root.json",
        "registry/metadata/timestamp.json",
    ]
