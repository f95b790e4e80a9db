"""Someone blocks the network, so that what is known already is used for longer than it may be."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from simulator import LATER, METADATA, PAST, Simulator, lasting
from support.loopback import answer, reset, serving

NOWHERE = "http://127.0.0.1:9"
TIMESTAMP = f"{METADATA}timestamp.json"


@pytest.fixture
def signer():
    return lasting(log=True)


@pytest.fixture
def known(attack):
    """A person who searched and installed; then the registry went on."""
    registry, client = attack.registry, attack.client
    registry.release("diary", entry_class="prompt", data=b"Dear {name},\n").publish()
    assert client.run("search").code == 0
    assert client.run("install", "quiz_master", "diary").code == 0
    registry.release("quiz_master", "1.1.0", b"1.1").publish()
    attack.learned()
    return attack


def block(attack):
    settings = attack.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(attack.server.url, NOWHERE))


def days():
    """Return what today is, or was when the test began."""
    today = datetime.now(UTC).date()
    return [str(today - timedelta(days=n)) for n in (0, 1)]


ANSWERED = {
    "search": "quiz_master  1.0.0",
    "info quiz_master": "version     1.0.0",
    "open diary": f"{NOWHERE}/prompt/diary/",
    "install quiz_master": "already installed quiz_master 1.0.0",
    "install diary quiz_master --to out": "written diary 1.0.0",
    "install quiz_master --quiet": "",
}


@pytest.mark.parametrize("command", ANSWERED)
def test_one_line_says_of_which_day_the_answer_is(known, command):
    block(known)
    done = known.client.run(*command.split(), BROWSER="true")
    assert done.code == 0, done.err
    assert ANSWERED[command] in done.out
    (line,) = done.err.splitlines()
    assert line.startswith(f"psreg: cannot read {NOWHERE}/registry/metadata/")
    as_of = "|".join(days())
    assert re.search(f"; answered as of ({as_of}), which is valid until {LATER:%Y-%m-%d}$", line)


@pytest.mark.parametrize("command", ["search", "info diary", "install quiz_master"])
def test_json_says_it_too(known, command):
    assert known.client.run(*command.split(), "--format", "json").json["registry"]["as_of"] is None
    block(known)
    assert (
        known.client.run(*command.split(), "--format", "json").json["registry"]["as_of"] in days()
    )


def test_the_network_ends_within_an_answer(known):
    files = [path for path in known.registry.files if path != TIMESTAMP]
    for path in files:
        known.tricks[path] = reset
    done = known.client.run("info", "quiz_master")
    assert (done.code, "version     1.0.0" in done.out) == (0, True)
    assert "answered as of" in done.err


def test_a_host_that_is_not_well(known):
    known.tricks[TIMESTAMP] = lambda handler: answer(handler, 503, b"")
    done = known.client.run("search")
    assert (done.code, "answered as of" in done.err) == (0, True)


@pytest.mark.attack("T3", (4, "NETWORK"))
@pytest.mark.parametrize("command", ["search", "info quiz_master", "install quiz_master"])
def test_what_has_expired_is_not_used(attack, command):
    known, until = attack.registry, ("--accept-stale-until", "2999-01-01")
    known.timestamp.expires = PAST
    known.sign_all()
    for each in (["search"], ["install", "quiz_master"]):
        attack.client.run(*each, *until)
    known.timestamp.expires = LATER
    known.timestamp.version += 1
    known.sign_all()
    attack.learned()
    settings = attack.client.home / "config/config.toml"
    before = settings.read_text()
    block(attack)
    error = attack.client.run(*command.split(), "--format", "json").json["error"]
    assert error["code"] == "NETWORK"
    assert f"expired on {PAST:%Y-%m-%d}" in error["message"]
    assert error["hint"].endswith("`--offline` uses it all the same.")
    settings.write_text(before)


@pytest.mark.attack("T3", (4, "NETWORK"))
@pytest.mark.parametrize(
    ("command", "lack"),
    [
        ("install later", "`later` is not kept on this machine"),
        ("info later", "`later` is not kept on this machine"),
        ("install quiz_master@1.1.0", "1.1.0"),
    ],
)
def test_what_is_not_known_is_named(known, command, lack):
    settings = known.client.home / "config/config.toml"
    before = settings.read_text()
    block(known)
    error = known.client.run(*command.split(), "--format", "json").json["error"]
    assert error["code"] == "NETWORK"
    assert "Connection refused; " in error["message"]
    assert lack in error["message"]
    assert "--offline" not in error["hint"]
    settings.write_text(before)


def page(handler):
    answer(handler, 200, b"<!doctype html><title>Sign in</title>", Content_Type="text/html")


def elsewhere(handler):
    answer(handler, 302, b"", Location="http://login.invalid/")


def forged(attack):
    value = json.loads(attack.registry.files[TIMESTAMP])
    value["signed"]["version"] += 1
    data = json.dumps(value).encode()
    return lambda handler: answer(handler, 200, data)


ANSWERS = {
    "a login page": (lambda _: page, (4, "NETWORK_LOGIN")),
    "status 401": (lambda _: lambda handler: answer(handler, 401, b""), (4, "NETWORK_LOGIN")),
    "another host": (lambda _: elsewhere, (4, "NETWORK_REFUSED")),
    "no timestamp": (lambda _: lambda handler: answer(handler, 404, b""), (4, "NOT_FOUND")),
    "a false signature": (forged, (3, "TRUST_SIGNATURE")),
}


@pytest.mark.parametrize("command", ["search", "info quiz_master", "install quiz_master"])
@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_of_another_kind_is_never_replaced(known, what, command):
    make, refusal = ANSWERS[what]
    known.tricks[TIMESTAMP] = make(known)
    done = known.client.run(*command.split())
    assert (done.code, f"error[{refusal[1]}]" in done.err) == (refusal[0], True), done.err
    assert "as of" not in done.out + done.err


@pytest.mark.attack("T1", (3, "TRUST_DIGEST"))
@pytest.mark.parametrize(
    ("command", "place"),
    [("search", "catalog/head.json"), ("install quiz_master", "pkg/quiz_master.json")],
)
def test_what_is_known_was_changed(known, command, place):
    (state,) = known.client.state.iterdir()
    (state / place).write_bytes((state / place).read_bytes() + b" ")
    settings = known.client.home / "config/config.toml"
    before = settings.read_text()
    block(known)
    assert known.client.refused(*command.split()) == (3, "TRUST_DIGEST")
    settings.write_text(before)


@pytest.fixture
def team(known):
    """A team's registry beside the usual one, which both have been read; then it is blocked."""
    team = Simulator(log=True, registry_id="f" * 32)
    team.release("tool", data=b"of the team").release("plan", data=b"of the team").publish()
    known.registry.release("tool", data=b"of a stranger").publish()
    known.learned()
    settings = known.client.home / "config/config.toml"
    before = settings.read_text()

    def table(url, names=""):
        text = f'\n[registries.team]\nurl = "{url}"\nroot_sha256 = "{team.pin}"\n{names}'
        settings.write_text(before + text)

    with serving(team.files) as server:
        table(server.url)
        assert known.client.run("search").code == 0
        assert known.client.run("install", "plan").code == 0
        yield SimpleNamespace(client=known.client, table=table, server=server, registry=team)
    settings.write_text(before)


@pytest.mark.attack("T17", (4, "NETWORK"), (1, "NAME_OF_TWO_REGISTRIES"))
def test_one_of_two_registries_is_blocked(team):
    """Who blocks a team's registry cannot let another one answer for its names."""
    team.table(NOWHERE)
    for command in ("install tool", "info tool", "show tool"):
        assert team.client.refused(*command.split()) == (4, "NETWORK")
    team.table(team.server.url)
    assert team.client.run("install", "tool", "--registry", "team").code == 0
    team.table(NOWHERE)
    assert team.client.refused("install", "tool") == (1, "NAME_OF_TWO_REGISTRIES")


def test_two_registries_are_blocked(team, known):
    team.table("http://127.0.0.1:1")
    block(known)
    for command in ("install quiz_master", "info quiz_master"):
        told = team.client.run(*command.split()).err
        assert "cannot read http://127.0.0.1:1/" in told
        assert f"cannot read {NOWHERE}/" in told
        assert (
            told.count("`quiz_master` is not kept") == told.count("bind the name with `names`") == 1
        )


def test_the_other_registry_answers_as_ever(team):
    """Only the one that is blocked is as of a day."""
    team.table(NOWHERE)
    found = team.client.run("search", "--format", "json").json
    assert [(each["url"] == NOWHERE, bool(each["as_of"])) for each in found["registries"]] == [
        (False, False),
        (True, True),
    ]
    assert {"quiz_master", "tool", "plan"} <= {each["name"] for each in found["results"]}
    shown = team.client.run("search").err.splitlines()
    assert [NOWHERE in line and "; answered as of " in line for line in shown] == [True]
    newest = team.client.run("info", "quiz_master", "--registry", "main")
    assert ("1.1.0" in newest.out, newest.err) == (True, "")


def test_a_bound_name_stays_bound(team):
    """The record that is kept answers, and never the other registry."""
    assert team.client.run("install", "tool", "--registry", "team").code == 0
    team.table(NOWHERE, 'names = ["tool", "plan"]\n')
    done = team.client.run("install", "tool", "quiz_master")
    assert done.code == 0, done.err
    assert f"cannot read {NOWHERE}" in done.err
    assert "already installed tool 1.0.0" in done.out
    assert "quiz_master 1.1.0" in done.out
    shown = team.client.run("info", "tool", "--format", "json").json["registry"]
    assert (shown["url"], bool(shown["as_of"])) == (NOWHERE, True)
    never = team.client.run("info", "plan_b")
    assert (never.code, NOWHERE in never.err) == (4, False)


@pytest.mark.attack("T17", (4, "NETWORK"))
@pytest.mark.parametrize("command", ["add plan@1.0.0", "lock", "update", "sync"])
def test_what_writes_a_lock_asks_all_registries(team, command):
    assert team.client.run("add", "quiz_master").code == 0
    manifest = team.client.place / "psreg.toml"
    manifest.write_text(manifest.read_text() + 'plan = "^1.0.0"\n')
    team.table(NOWHERE, 'names = ["plan"]\n')
    assert team.client.refused(*command.split()) == (4, "NETWORK")
