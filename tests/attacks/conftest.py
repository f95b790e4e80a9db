"""What the attack tests share: a simulated registry behind HTTP, and a client that trusts it.

The mark `attack` says which threat a test is an example of, and how psreg answers: the test has
seen just these refusals. After each of them the honest registry is believed again.
"""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from simulator import lasting
from support.clients import OUTCOMES, Client
from support.loopback import serving


@pytest.fixture
def client(tmp_path):
    """A person with an empty home."""
    return Client(tmp_path / "client")


@pytest.fixture
def signer():
    """What signs the registry that is attacked; it has published nothing yet."""
    return lasting()


@pytest.fixture
def attack(client, signer, request):
    """`attack.registry` is served with `attack.tricks`; `attack.install()` is the victim's move.

    `attack.learned()` says that what the registry shows now is honest, and was seen. `attack.state`
    is None where the key of the root was stolen: a client recovers from that by a new pin.
    """
    registry = signer.release().publish()
    tricks = {}
    with serving(registry.files, tricks) as server:
        client.trust(server.url, registry.pin)
        attack = SimpleNamespace(
            registry=registry,
            tricks=tricks,
            server=server,
            client=client,
            install=lambda *options: client.refused("install", "quiz_master", *options),
            learned=lambda: setattr(attack, "state", registry.state()),
        )
        attack.learned()
        yield attack
        if attack.state and request.node.get_closest_marker("attack"):
            tricks.clear()
            registry.restore(attack.state)
            done = client.run("install", "quiz_master")
            assert done.code == 0, f"the honest registry is refused after the attack: {done.err}"


@pytest.fixture(autouse=True)
def answered_as_expected(request):
    """Check that a test saw the refusals that its mark says, and no other ones."""
    OUTCOMES.clear()
    yield
    if mark := request.node.get_closest_marker("attack"):
        _, *expected = mark.args
        seen = {(code, error) for code, error in OUTCOMES if error} or {*OUTCOMES}
        assert seen
        assert seen <= {*expected}, f"the mark says {expected}"


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own; yield a function that remounts it with options."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "psreg-tests", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")

    def remount(options):
        subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
        return folder

    yield remount
    subprocess.run(["umount", folder], check=True)
