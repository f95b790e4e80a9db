"""`--offline` asks nobody, and believes what is kept no more than a registry."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from simulator import LATER, PAST, lasting

NOT_KEPT = (4, "NOT_KEPT")


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def kept(attack):
    """A person who searched and installed; then the registry went on."""
    registry, client = attack.registry, attack.client
    registry.release("diary", entry_class="prompt", data=b"Dear {name},\n").publish()
    assert client.run("search").code == 0
    registry.release("later").publish()
    assert client.run("install", "quiz_master", "diary").code == 0
    registry.release("quiz_master", "1.1.0", b"1.1").publish()
    attack.learned()
    attack.server.asked.clear()
    yield attack
    assert attack.server.asked == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("search", "quiz_master  1.0.0"),
        ("search dear", "no prompt matches"),
        ("info quiz_master", "version     1.0.0"),
        ("info diary", "diary"),
        ("install quiz_master", "already installed quiz_master 1.0.0"),
        ("install quiz_master@^1.0", "already installed quiz_master 1.0.0"),
        ("install diary quiz_master --to out", "written diary 1.0.0"),
        ("verify", "quiz_master 1.0.0: verified"),
    ],
)
def test_what_is_kept_is_answered(kept, command, said):
    done = kept.client.run(*command.split(), "--offline")
    assert done.code == 0, done.err
    assert said in done.out + done.err
    if not command.startswith("verify"):
        today = datetime.now(UTC).date()
        days = "|".join(str(today - timedelta(days=n)) for n in (0, 1))
        assert re.search(f"psreg: offline: as of ({days}), timestamp [0-9]+ of", done.err)


def test_commands_that_never_ask(kept):
    for command in ("list", "show --raw quiz_master", "verify"):
        assert kept.client.run(*command.split()).code == 0


@pytest.mark.parametrize(
    "command", ["install quiz_master@1.1.0", "install later", "info later", "install diary@^2"]
)
def test_what_is_not_kept_is_named(kept, command):
    code, error = kept.client.refused(*command.split(), "--offline")
    assert (code, error) in [NOT_KEPT, (4, "NO_MATCHING_VERSION")]


def test_a_catalogue_that_was_never_read(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    assert attack.client.refused("search", "--offline") == NOT_KEPT


def test_a_registry_that_was_never_read(attack):
    for command in ("search", "info quiz_master", "install quiz_master"):
        assert attack.client.refused(*command.split(), "--offline") == NOT_KEPT
    assert attack.server.asked == []


def test_a_folder_needs_no_network(attack, tmp_path):
    folder = attack.registry.store(tmp_path / "registry")
    done = attack.client.run("install", "quiz_master", "--offline", "--registry", folder)
    assert done.code == 0


def test_verify_asks_one_or_none(kept):
    assert kept.client.refused("verify", "--offline", "--registry", "main") == (2, "USAGE")


def test_what_expired_is_told(attack):
    attack.registry.timestamp.expires = PAST
    attack.registry.sign_all()
    assert attack.client.run("search", "--accept-stale-until", "2999-01-01").code == 0
    done = attack.client.run("search", "--offline")
    assert done.code == 0
    assert f"of the registry, which expired on {PAST:%Y-%m-%d}" in done.err


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("search", "catalog/head.json"),
        ("search", "targets/segments"),
        ("info quiz_master", "pkg/quiz_master.json"),
        ("install quiz_master", "pkg/quiz_master.json"),
    ],
)
def test_a_kept_file_was_changed(kept, command, place):
    (state,) = kept.client.state.iterdir()
    found = state / place
    for file in [found] if found.is_file() else [*found.iterdir()]:
        file.write_bytes(file.read_bytes() + b" ")
    assert kept.client.refused(*command.split(), "--offline") == (3, "TRUST_DIGEST")


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
@pytest.mark.parametrize("options", [(), ("--to", "out")])
def test_an_installed_file_was_changed(kept, options):
    path = kept.client.library / "quiz_master" / "1.0.0" / "quiz_master.pbe.txt"
    path.write_bytes(b"forged")
    refused = kept.client.refused("install", "quiz_master", "--offline", *options)
    assert refused == (3, "TRUST_DIGEST")
    assert not (kept.client.place / "out").exists()


@pytest.mark.attack("T17", (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize(
    ("command", "proof"), [("search", "catalog/head"), ("info diary", "pkg/diary")]
)
def test_kept_metadata_was_changed(kept, command, proof):
    (state,) = kept.client.state.iterdir()
    place = state / f"{proof}.proof"
    value = json.loads(place.read_text())
    path = next(path for path in value["files"] if path.endswith("snapshot.json"))
    value["files"][path] = value["files"][path].replace(f"{LATER:%Y}-", "2099-")
    place.write_text(json.dumps(value))
    assert kept.client.refused(*command.split(), "--offline") == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T7", (3, "TRUST_UNCLAIMED"))
def test_an_unclaimed_name_is_refused_on_demand(kept):
    options = ("--offline", "--require-claimed")
    assert kept.client.refused("install", "quiz_master", *options) == (3, "TRUST_UNCLAIMED")
