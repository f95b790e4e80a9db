"""A registry announces another address: who may, what a client does about it, and what it sends."""

from __future__ import annotations

import pytest

from simulator import METADATA, PAST, Simulator
from support.loopback import answer, serving

OTHER = "fedcba98" * 4
ELSEWHERE = "https://elsewhere.example"


def announce(registry, url, pin, signer="root"):
    """Serve a next root that announces a move, signed with one key."""
    registry.root.version += 1
    psreg = registry.root.unrecognized_fields["psreg"]
    registry.root.unrecognized_fields["psreg"] = {
        **psreg,
        "moved_to": {"url": url, "root_sha256": pin},
    }
    path = f"{METADATA}{registry.root.version}.root.json"
    registry.files[path] = registry.signed(registry.root, signer)


def move(attack, *options, **env):
    return attack.client.run("registry", "move", "main", *options, **env)


@pytest.fixture
def new():
    """Another registry, with keys and an id of its own."""
    return Simulator(registry_id=OTHER).release().publish()


def test_a_move_is_told_and_followed_only_if_a_person_says_so(attack, new):
    with serving(new.files) as server:
        announce(attack.registry, server.url, new.pin)
        installed = attack.client.run("install", "quiz_master")
        told = f"the registry {attack.server.url} has moved to {server.url} (root sha256 {new.pin})"
        assert installed.code == 0
        assert f"{told}; run `psreg registry move {attack.server.url}`" in installed.err
        assert not server.asked
        assert told in attack.client.run("search", "quiz").err
        assert told in attack.client.run("search", "quiz", "--offline").err
        assert attack.client.run("verify").code == 0
        assert not server.asked
        moved = move(attack)
        assert (moved.code, server.url in moved.out) == (0, True)
        listed = attack.client.run("registry", "list", "--format", "json").json["registries"]
        assert [(each["name"], each["url"], each["root_sha256"]) for each in listed] == [
            ("main", server.url, new.pin)
        ]
        assert "has moved" not in attack.client.run("search", "quiz").err
        again = attack.client.run("registry", "move", "main", "--format", "json")
        assert again.refusal == (4, "NOT_MOVED")


@pytest.mark.attack("T7", (3, "TRUST_SIGNATURE"))
@pytest.mark.parametrize("key", ["online", "stamp"])
def test_a_key_that_publishes_cannot_announce_a_move(attack, key):
    announce(attack.registry, ELSEWHERE, attack.registry.pin, key)
    assert attack.install() == (3, "TRUST_SIGNATURE")
    done = move(attack)
    assert done.code == 3
    assert ELSEWHERE not in done.err
    del attack.registry.files[f"{METADATA}2.root.json"]
    attack.registry.root.version = 1


@pytest.mark.attack("T7", (4, "NOT_MOVED"))
@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "releases"])
def test_only_a_root_announces_a_move(attack, role):
    binding = {"id": attack.registry.registry_id, "role": role}
    said = {"url": ELSEWHERE, "root_sha256": attack.registry.pin}
    signed = getattr(attack.registry, role)
    signed.unrecognized_fields["psreg"] = {**binding, "moved_to": said}
    attack.registry.publish()
    done = attack.client.run("install", "quiz_master")
    assert ELSEWHERE not in done.err
    assert move(attack).code == 4
    signed.unrecognized_fields["psreg"] = binding


@pytest.mark.attack("T2", (4, "NOT_MOVED"))
def test_an_announcement_that_was_withdrawn_does_not_come_back(attack):
    first = attack.registry.root.unrecognized_fields["psreg"]
    announce(attack.registry, ELSEWHERE, attack.registry.pin)
    attack.registry.root.version += 1
    attack.registry.root.unrecognized_fields["psreg"] = first
    attack.registry.write_root()
    attack.client.run("install", "quiz_master")
    withdrawn = attack.registry.files.pop(f"{METADATA}3.root.json")
    shown = attack.client.run("install", "quiz_master")
    assert ELSEWHERE not in shown.err
    assert move(attack).code == 4
    attack.registry.files[f"{METADATA}3.root.json"] = withdrawn


@pytest.mark.attack("T1", (3, "TRUST_PIN"))
def test_another_root_at_the_announced_address_is_refused(attack, new):
    with serving(new.files) as server:
        announce(attack.registry, server.url, "0" * 64)
        assert move(attack).code == 3
    listed = attack.client.run("registry", "list").out
    assert attack.server.url in listed


@pytest.mark.attack("T1", (3, "TRUST_PIN"))
def test_another_root_with_the_same_id_is_refused(attack):
    thief = Simulator(registry_id=attack.registry.registry_id).release().publish()
    with serving(thief.files) as server:
        announce(attack.registry, server.url, thief.pin)
        assert attack.client.run("install", "quiz_master").code == 0
        assert move(attack).code == 3
    assert attack.server.url in attack.client.run("registry", "list").out


@pytest.mark.attack("T17", (3, "TRUST_INSECURE"))
def test_an_address_without_encryption_is_refused(attack):
    announce(attack.registry, "http://elsewhere.example", attack.registry.pin)
    done = attack.client.run("install", "quiz_master")
    assert done.code == 0
    assert "announces a move that is refused: http://elsewhere.example is not encrypted" in done.err
    assert move(attack).code == 3


@pytest.mark.attack("T17", (3, "TRUST_METADATA"))
@pytest.mark.parametrize(
    "url",
    ["ftp://elsewhere.example", "https://user@elsewhere.example", "/tmp/registry", "file:///tmp"],
)
def test_what_is_not_an_address_is_refused(attack, url):
    announce(attack.registry, url, attack.registry.pin)
    assert attack.client.run("install", "quiz_master").code == 0
    assert move(attack).code == 3


def with_login(client):
    """Let the settings say how to log in."""
    settings = client.home / "config" / "config.toml"
    settings.write_text(settings.read_text() + 'header_env = {Authorization = "TEAM_LOGIN"}\n')


class Listening(dict):
    """Answers every path of a registry, and notes the header that logs in."""

    def __init__(self, files):
        super().__init__()
        self.files, self.seen = files, []

    def get(self, path, _default=None):
        if path not in self.files:
            return None

        def told(handler):
            self.seen.append(handler.headers.get("Authorization"))
            answer(handler, 200, self.files[path])

        return told


@pytest.mark.parametrize(("options", "sent"), [((), None), (("--keep-login",), "Bearer s3cret")])
def test_what_logs_in_is_not_sent_to_the_new_address_unasked(attack, new, options, sent):
    with_login(attack.client)
    listening = Listening(new.files)
    with serving({}, listening) as server:
        announce(attack.registry, server.url, new.pin)
        done = move(attack, *options, TEAM_LOGIN="Bearer s3cret")
        assert done.code == 0
        assert ("is not sent to" in done.err) is (sent is None)
        assert attack.client.run("install", "quiz_master", TEAM_LOGIN="Bearer s3cret").code == 0
    assert {*listening.seen} == {sent}


def test_who_agrees_on_a_terminal_logs_in_at_the_new_address(attack, new):
    with_login(attack.client)
    listening = Listening(new.files)
    with serving({}, listening) as server:
        announce(attack.registry, server.url, new.pin)
        words = ("registry", "move", "main")
        question = "Type yes to log in"
        done = attack.client.asked(
            *words, question=question, typed="yes", TEAM_LOGIN="Bearer s3cret"
        )
        assert done.code == 0
    assert {*listening.seen} == {"Bearer s3cret"}


def test_an_old_address_that_is_gone_still_tells_where_to_go(attack, new):
    with serving(new.files) as server:
        announce(attack.registry, server.url, new.pin)
        assert attack.client.run("install", "quiz_master").code == 0
        attack.registry.files.clear()
        attack.server.server.shutdown()
        attack.server.server.server_close()
        shown = attack.client.run("search", "quiz")
        assert f"has moved to {server.url}" in shown.err
        assert move(attack).code == 0
        assert attack.client.run("search", "quiz").code == 0


@pytest.mark.attack("T3", (3, "TRUST_FROZEN"))
def test_an_old_registry_that_expired_still_tells_where_to_go(attack, new):
    with serving(new.files) as server:
        announce(attack.registry, server.url, new.pin)
        attack.registry.timestamp.expires = PAST
        attack.registry.sign_all()
        shown = attack.client.run("install", "quiz_master")
        assert shown.code == 3
        assert f"has moved to {server.url}" in shown.err
        assert move(attack).code == 0
    attack.state = None
