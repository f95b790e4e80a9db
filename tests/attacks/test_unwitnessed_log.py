"""Somebody with all keys of a registry shows one person another history: witnesses never saw it."""

from __future__ import annotations

import pytest

from simulator import lasting
from support.simulated_log import witness


@pytest.fixture
def signer():
    return lasting(log=True)


ANNA, BERT = witness("anna.example"), witness("bert.example")


@pytest.fixture
def witnessed(attack):
    """A person who demands both witnesses, which have seen the log as it is."""
    settings = attack.client.home / "config" / "config.toml"
    keys = f'witnesses = ["{ANNA.key}", "{BERT.key}"]\n'
    settings.write_text(settings.read_text() + keys)
    serve(attack, ANNA, BERT)
    attack.learned()
    attack.state = None  # what is honest must be cosigned; `check_honest` sees to it
    return attack


def serve(attack, *witnesses, of=None):
    """Publish the checkpoint with the cosignatures of witnesses, or with those of a note."""
    note = attack.registry.log.note()
    for each in witnesses:
        note += each.line(of or note)
    attack.registry.serve_log(note)
    attack.registry.sign_all()


def check_honest(attack):
    serve(attack, ANNA, BERT)
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0, done.err


def test_what_both_have_seen_is_installed(witnessed):
    check_honest(witnessed)


@pytest.mark.attack("T12", (3, "TRUST_WITNESS"))
@pytest.mark.parametrize("witnesses", [(), (ANNA,), (ANNA, ANNA), (ANNA, witness("bert.example"))])
def test_too_few_have_seen_it(witnessed, witnesses):
    serve(witnessed, *witnesses)
    assert witnessed.install() == (3, "TRUST_WITNESS")
    assert witnessed.client.installed() == []
    check_honest(witnessed)


@pytest.mark.attack("T12", (3, "TRUST_WITNESS"))
def test_they_have_seen_another_state(witnessed):
    before = witnessed.registry.log.note()
    witnessed.registry.release("later").publish()
    serve(witnessed, ANNA, BERT, of=before)
    assert witnessed.install() == (3, "TRUST_WITNESS")
    check_honest(witnessed)


@pytest.mark.attack("T12", (3, "TRUST_WITNESS"))
def test_what_nobody_saw_is_not_verified_later(witnessed):
    """What was installed before the settings demanded witnesses is judged by them, too."""
    check_honest(witnessed)
    chain = witnessed.client.run("verify", "--format", "json").json["results"][0]["chain"]
    texts = [link["text"] for link in chain if link["link"] == "witness"]
    assert texts == [
        f"{name}.example saw that on 2027-01-15T08:00:00Z" for name in ("anna", "bert")
    ]
    settings = witnessed.client.home / "config" / "config.toml"
    settings.write_text(settings.read_text().replace(ANNA.key, witness("carl.example").key))
    for command in ("verify", "install quiz_master --offline"):
        refused = witnessed.client.run(*command.split(), "--format", "json")
        assert (refused.code, "TRUST_WITNESS" in refused.out) == (3, True)


def test_adding_the_registry_again_keeps_them(witnessed):
    client, again = witnessed.client, ("registry", "add", witnessed.server.url, "--name", "main")
    pin = ("--root-sha256", witnessed.registry.pin)
    client.run(*again, *pin)
    (row,) = client.run("registry", "list", "--format", "json").json["registries"]
    assert (row["witnesses"], row["witness_threshold"]) == ([ANNA.key, BERT.key], 2)
    serve(witnessed, ANNA)
    assert client.run(*again, *pin, "--witness", ANNA.key).code == 0
    assert client.run("install", "quiz_master").code == 0
    two = ("--witness", ANNA.key, "--witness", BERT.key)
    assert client.run(*again, *pin, *two, "--witness-threshold", "1").code == 0
    assert client.run("install", "quiz_master").code == 0
    assert client.run(*again, *pin, *two).code == 0
    assert client.run("install", "quiz_master").code == 3


@pytest.mark.parametrize(
    "options",
    [
        ["--witness", "x"],
        ["--witness", ANNA.key, "--witness", ANNA.key],
        ["--witness", ANNA.key, "--witness-threshold", "2"],
        ["--witness", ANNA.key, "--witness-threshold", "0"],
        ["--witness-threshold", "1"],
    ],
)
def test_options_that_mean_nothing(attack, options):
    assert attack.client.refused("registry", "add", attack.server.url, *options) == (2, "USAGE")
    assert attack.server.asked == []


@pytest.mark.parametrize(
    "line",
    [
        'witnesses = "x"',
        "witnesses = [1]",
        "witnesses = []",
        'witnesses = ["x"]',
        f'witnesses = ["{ANNA.key}"]\nwitness_threshold = 2',
        f'witnesses = ["{ANNA.key}"]\nwitness_threshold = true',
        f'witnesses = ["{ANNA.key}", "{ANNA.key}"]',
    ],
)
def test_settings_that_mean_nothing(attack, line):
    settings = attack.client.home / "config" / "config.toml"
    settings.write_text(f"{settings.read_text()}{line}\n")
    assert attack.client.refused("install", "quiz_master") == (2, "CONFIG_INVALID")


def test_a_registry_without_witnesses_stays_as_it_is(attack):
    assert attack.client.run("install", "quiz_master").code == 0
