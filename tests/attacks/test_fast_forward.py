"""Who stole the keys that publish lets versions jump to the end, so that nothing newer can follow.

The holders of the root replace the keys: a client then forgets the versions that they signed.
"""

import pytest
from securesystemslib.signer import CryptoSigner

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


def rotate(registry):
    """Replace both keys that publish, as `psreg keys rotate online` does."""
    for name, roles in (("online", ("snapshot",)), ("stamp", ("timestamp",))):
        old = registry.signers[name].public_key
        registry.signers[name] = CryptoSigner.generate_ed25519()
        new = registry.signers[name].public_key
        for role in roles:
            registry.root.revoke_key(old.keyid, role)
            registry.root.add_key(new, role)
        if name == "online":
            for delegations in (registry.targets.delegations, registry.releases.delegations):
                delegations.keys.clear()
                delegations.keys[new.keyid] = new
                for each in (delegations.roles or {}).values():
                    each.keyids = [new.keyid]
                if delegations.succinct_roles:
                    delegations.succinct_roles.keyids = [new.keyid]
    registry.root.version += 1
    registry.targets.version += 1
    registry.write_root()
