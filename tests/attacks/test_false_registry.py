"""An attacker poses as a registry, or makes a client ask another one."""

from __future__ import annotations

import pytest

from simulator import METADATA, Simulator
from support.loopback import serving


def thief():
    """Return a registry of an attacker."""
    return Simulator(registry_id="e" * 32).release().publish()


def test_an_unpinned_registry_is_refused_with_the_exact_command(client):
    registry = Simulator().release().publish()
    with serving(registry.files) as server:
        said = client.run("install", "quiz_master", "--registry", server.url, "--format", "json")
        assert said.refusal == (3, "TRUST_UNPINNED")
        command = f"psreg registry add {server.url} --root-sha256 {registry.pin}"
        assert said.json["error"]["hint"].endswith(command)
        assert client.run(*command.split()[1:]).code == 0
        assert client.run("install", "quiz_master", "--registry", server.url).code == 0
        assert client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T1", (3, "TRUST_PIN"))
def test_another_root_than_the_pinned_one_is_refused(attack):
    with serving(thief().files) as server:
        pin = attack.registry.pin
        refusal = attack.client.refused("registry", "add", server.url, "--root-sha256", pin)
        assert refusal == (3, "TRUST_PIN")
        assert server.url not in attack.client.run("registry", "list").out


@pytest.mark.attack("T1", (3, "TRUST_PIN"), (3, "TRUST_SIGNATURE"))
def test_another_registry_at_a_pinned_address_is_refused(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    thief = Simulator().release("quiz_master", data=b"evil").publish()
    attack.registry.files.clear()
    attack.registry.files.update(thief.files)
    assert attack.install() == (3, "TRUST_SIGNATURE")
    # Even with its own state lost, the client goes by the pin in its settings.
    for path in attack.client.state.glob("*/1.root.json"):
        path.unlink()
    assert attack.install() == (3, "TRUST_PIN")


@pytest.mark.attack("T1", (3, "TRUST_PIN"))
def test_a_folder_that_claims_a_known_id_is_refused(attack, tmp_path):
    assert attack.client.run("install", "quiz_master").code == 0
    thief = Simulator().release("quiz_master", data=b"evil").publish()
    assert attack.install("--registry", thief.store(tmp_path)) == (3, "TRUST_PIN")


@pytest.mark.attack("T1", (3, "TRUST_PIN"))
def test_a_root_that_changes_the_id_is_refused(attack):
    root = attack.registry.root
    root.version += 1
    root.unrecognized_fields["psreg"] = {"id": "f" * 32, "mode": "production"}
    attack.registry.write_root()
    assert attack.install() == (3, "TRUST_PIN")


@pytest.mark.attack("T1", (3, "TRUST_UNPINNED"))
@pytest.mark.parametrize("file", [".psreg.toml", "psreg.toml"])
def test_a_cloned_project_cannot_make_a_registry_trusted(attack, file):
    client, registry = attack.client, thief()
    with serving(registry.files) as server:
        (client.place / file).write_text(
            'registry = "evil"\n'
            f'[registries.evil]\nurl = "{server.url}"\nroot_sha256 = "{registry.pin}"\n'
        )
        assert client.refused("install", "quiz_master") == (3, "TRUST_UNPINNED")
        assert client.installed() == []
        assert server.asked == [f"{METADATA}1.root.json"]
        assert attack.server.asked == []
        (client.place / file).unlink()


@pytest.mark.attack("T1", (3, "TRUST_SIGNATURE"))
def test_a_root_that_is_not_signed_by_its_own_keys_is_refused(attack, tmp_path):
    registry = thief()
    registry.files[f"{METADATA}1.root.json"] = registry.signed(registry.root, "online")
    folder = registry.store(tmp_path / "registry")
    assert attack.install("--registry", folder) == (3, "TRUST_SIGNATURE")


@pytest.mark.attack("T1", (3, "TRUST_METADATA"))
@pytest.mark.parametrize(
    "psreg",
    [None, {}, {"id": "x", "mode": "dev"}, {"id": "0" * 32, "mode": 5}, {"id": "../../x"}],
)
def test_a_root_that_is_not_of_a_psreg_registry_is_refused(attack, tmp_path, psreg):
    registry = thief()
    registry.root.unrecognized_fields["psreg"] = psreg
    registry.write_root()
    folder = registry.store(tmp_path / "registry")
    assert attack.install("--registry", folder) == (3, "TRUST_METADATA")
