"""Who stole the keys that publish lets versions jump to the end, so that nothing newer can follow.

The holders of the root replace the keys: a client then forgets the versions that they signed.
"""

import pytest
from securesystemslib.signer import CryptoSigner

from support.simulated_actions import lift_of, reinstate, rotate, withdraw

ENDS = {"2^31": 2**31 - 2, "2^53": 2**53 - 3}
ROLES = {
    "timestamp": ("timestamp",),
    "snapshot": ("timestamp", "snapshot"),
    "all": ("timestamp", "snapshot", "releases", "bins"),
}


@pytest.fixture(params=ENDS.values(), ids=ENDS)
def jumped(attack, request):
    """Return a function that lets roles jump; the victim then reads them."""
    attack.client.run("install", "quiz_master")

    def jump(roles):
        registry = attack.registry
        for role in roles:
            for each in [*registry.bins.values()] if role == "bins" else [getattr(registry, role)]:
                each.version = request.param
        registry.release("quiz_master", "1.0.1", b"newer").publish()
        assert attack.client.run("install", "quiz_master").code == 0
        return registry

    return jump


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
def test_new_keys_end_it(attack, jumped, roles):
    attack.state = None  # `rotate` is how one recovers
    registry = jumped(roles)
    for each in (registry.timestamp, registry.snapshot, registry.releases, *registry.bins.values()):
        each.version = min(each.version, 9)
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
    rotate(registry)
    registry.publish()
    for command in (["search", "quiz"], ["verify"], ["verify", "--registry", "main"], ["verify"]):
        assert attack.client.run(*command).code == 0, command
    registry.release("quiz_master", "1.1.0", b"newest").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert any("1.1.0" in path for path in attack.client.installed())


@pytest.mark.attack("T2", (3, "TRUST_METADATA"))
@pytest.mark.parametrize("role", ["timestamp", "snapshot", "releases"])
def test_no_reader_of_json_agrees_about_such_a_version(attack, role):
    getattr(attack.registry, role).version = 2**63 - 2
    attack.registry.publish()
    assert attack.install() == (3, "TRUST_METADATA")
    getattr(attack.registry, role).version = 1


@pytest.fixture
def counted(attack):
    """Return a function that counts the record and the catalogue on; the victim has read the end.

    It leaves what TUF counts alone.
    """
    attack.state = None  # `rotate` is how one recovers

    def count(serial, head):
        attack.registry.records["quiz_master"]["serial"] = serial
        attack.registry.head_version = head - 1
        attack.registry.publish()

    count(2**53 - 3, 2**53 - 3)
    attack.client.run("install", "quiz_master")
    attack.client.run("search", "quiz")
    count(5, 5)
    return count


def everything_works(client):
    done = [client.run(*each) for each in (["install", "quiz_master"], ["search", "quiz"])]
    return [each.code for each in done] == [0, 0] and client.run("verify").code == 0


COMMANDS = {"record": ["install", "quiz_master"], "catalogue": ["search", "quiz"]}


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_new_keys_end_what_psreg_counts(attack, counted, command):
    assert attack.client.refused(*command) == (3, "TRUST_ROLLBACK")
    rotate(attack.registry)
    attack.registry.release("quiz_master", "1.1.0", b"newest").publish()
    assert everything_works(attack.client)
    assert any("1.1.0" in path for path in attack.client.installed())
    counted(4, 4)
    assert attack.client.refused(*command) == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_new_keys_of_the_root_do_not(attack, counted):
    registry = attack.registry
    registry.root.add_key(CryptoSigner.generate_ed25519().public_key, "root")
    registry.root.version += 1
    registry.write_root()
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
    assert attack.client.refused("search", "quiz") == (3, "TRUST_ROLLBACK")


TAKEN_BACK = {
    "a version": (lambda rows: rows.pop(), "TRUST_ROLLBACK"),
    "its bytes": (lambda rows: rows[-1].update(sha256="0" * 64), "TRUST_REWRITTEN"),
}


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"), (3, "TRUST_REWRITTEN"))
@pytest.mark.parametrize(("take", "code"), TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_new_keys_take_nothing_else_back(attack, take, code):
    attack.state = None  # nothing that follows is honest
    registry = attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    take(registry.records["quiz_master"]["releases"])
    rotate(registry)
    registry.publish()
    assert attack.install() == (3, code)


@pytest.mark.attack("T2", (3, "TRUST_NAME_MISSING"))
def test_new_keys_let_no_name_vanish(attack):
    attack.state = None  # as above
    attack.registry.release("diary").publish()
    assert attack.client.run("search", "diary").code == 0
    del attack.registry.records["diary"]
    for bin_ in attack.registry.bins.values():
        bin_.targets.pop("pkg/diary.json", None)
    rotate(attack.registry)
    attack.registry.publish()
    assert attack.client.refused("search", "diary") == (3, "TRUST_NAME_MISSING")


TAKEN = [("revoke", (3, "TRUST_REVOKED")), ("purge", (4, "PURGED"))]


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (3, "TRUST_REVOKED"), (4, "PURGED"))
@pytest.mark.parametrize(("kind", "seen"), TAKEN)
@pytest.mark.parametrize("action", [9_999, 2**53 - 2])
def test_a_lift_ends_what_a_thief_took_once_the_keys_are_replaced(attack, kind, seen, action):
    registry, attack.state = attack.registry, None
    withdraw(registry, "1.0.0", kind, action=action)
    registry.publish()
    assert attack.install() == seen
    lift = lift_of(registry, "1.0.0", registry.signers["root"])
    reinstate(registry, "1.0.0", lift)
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
    rotate(registry)
    reinstate(registry, "1.0.0")
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
    reinstate(registry, "1.0.0", lift_of(registry, "1.0.0", registry.signers["online"]))
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")
    reinstate(registry, "1.0.0", lift)
    registry.publish()
    assert attack.client.run("install", "quiz_master").code == 0
    withdraw(registry, "1.0.0", action=3)
    registry.publish()
    assert attack.install() == (3, "TRUST_REVOKED")
    reinstate(registry, "1.0.0", lift)
    registry.publish()
    assert attack.install() == (3, "TRUST_ROLLBACK")


@pytest.mark.attack("T20", (3, "TRUST_ROLLBACK"), (3, "TRUST_REVOKED"), (4, "PURGED"))
@pytest.mark.parametrize(("kind", "seen"), TAKEN)
def test_a_name_goes_on_without_what_a_thief_took(attack, kind, seen):
    """The maintainers revoke the release, too, and release another."""
    registry, attack.state = attack.registry, None
    withdraw(registry, "1.0.0", kind, action=2**53 - 2)
    registry.publish()
    assert attack.install() == seen
    withdraw(registry, "1.0.0", action=1)
    registry.release("quiz_master", "1.0.1", b"the same again").publish()
    assert attack.client.run("install", "quiz_master").code == 0
    assert attack.client.refused("install", "quiz_master@1.0.0") == (3, "TRUST_REVOKED")
