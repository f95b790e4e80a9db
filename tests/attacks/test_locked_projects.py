"""A registry attacks while a project is updated: its lock and its prompts stay as they are.

`Client.refused` compares all files where it runs, the lock among them, and the library.
"""

from __future__ import annotations

import json

import pytest

from simulator import METADATA, PAST, lasting

OLD, NEW, OTHER = (b"[CONTENT]\n%s\n" % text for text in (b"old", b"new", b"other"))
COMMANDS = ("update", "add other", "update diary")


@pytest.fixture
def signer():
    """What signs a registry whose first entry a project uses."""
    made = lasting(log=True).release("diary", "1.0.0", OLD, entry_class="prompt")
    return made.release("other", "1.0.0", OTHER, entry_class="prompt")


def rolled_back(registry, before):
    registry.files[f"{METADATA}timestamp.json"] = before[f"{METADATA}timestamp.json"]


def frozen(registry, _):
    registry.timestamp.expires = PAST
    registry.write_timestamp()


def mixed(registry, before):
    name = f"{registry.snapshot.version}.snapshot.json"
    registry.files[METADATA + name] = before[
        f"{METADATA}{registry.snapshot.version - 1}.snapshot.json"
    ]


def forged(registry, _):
    signed = registry.signed(registry.timestamp, "online", "timestamp")
    registry.files[f"{METADATA}timestamp.json"] = signed


def other_bytes(registry, _):
    for path in registry.artifacts:
        registry.files[path] = b"[CONTENT]\nevil\n"


ATTACKS = {
    "TRUST_FROZEN": frozen,
    "TRUST_MIXED": mixed,
    "TRUST_SIGNATURE": forged,
    "TRUST_DIGEST": other_bytes,
}


def locked(attack):
    """Return which versions the lock of the project has."""
    lock = json.loads((attack.client.place / "psreg.lock").read_bytes())
    return {name: row["version"] for name, row in lock["prompts"].items()}


@pytest.mark.attack("T2", *((3, code) for code in (*ATTACKS, "TRUST_ROLLBACK")))
@pytest.mark.parametrize("code", [*ATTACKS, "TRUST_ROLLBACK"])
def test_an_update_is_refused_and_the_next_one_works(attack, code):
    client, registry = attack.client, attack.registry
    assert client.run("add", "diary").code == 0
    before = {**registry.files}
    registry.release("diary", "1.1.0", NEW, entry_class="prompt").publish()
    if code == "TRUST_ROLLBACK":
        assert client.run("info", "diary").code == 0  # so that the newer state was seen
    state = registry.state()
    ATTACKS.get(code, rolled_back)(registry, before)
    for command in COMMANDS:
        assert client.refused(*command.split()) == (3, code), command
    assert locked(attack) == {"diary": "1.0.0"}
    assert client.run("install", "--frozen", "--offline").code == 0
    registry.restore(state)
    attack.learned()
    assert client.run("update").code == 0
    assert locked(attack) == {"diary": "1.1.0"}
