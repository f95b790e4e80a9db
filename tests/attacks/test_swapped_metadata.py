"""A signed file is shown in place of another one with the same version and key."""

from __future__ import annotations

import shutil

import pytest

from simulator import METADATA, Simulator
from support.loopback import serving

BIN = f"{METADATA}1.r-ec.json"
"""The bin that lists quiz_master."""

EMPTY = f"{METADATA}1.r-00.json"
RELEASES = f"{METADATA}1.releases.json"


def catalog_bin(registry):
    """Return the path of the bin that lists the catalogue."""
    shard = "catalog/interactive_engine.json"
    role = registry.releases.delegations.succinct_roles.get_role_for_target(shard)
    return f"{METADATA}1.{role}.json"


@pytest.mark.parametrize("place", ["bin", "releases"])
def test_an_empty_bin_does_not_hide_a_name(attack, place):
    files, path = attack.registry.files, BIN if place == "bin" else RELEASES
    honest = files[path]
    files[path] = files[EMPTY]
    assert attack.install() == (3, "TRUST_ROLE")
    assert attack.client.refused("info", "quiz_master") == (3, "TRUST_ROLE")
    files[path] = honest
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.parametrize("path", [BIN, RELEASES])
def test_an_empty_bin_does_not_pass_a_verification(attack, path):
    assert attack.client.run("install", "quiz_master").code == 0
    for state in attack.client.state.iterdir():
        shutil.rmtree(state)
    attack.registry.files[path] = attack.registry.files[EMPTY]
    assert attack.client.refused("verify") == (3, "TRUST_ROLE")


@pytest.mark.parametrize("place", ["catalogue", "releases"])
def test_an_empty_bin_does_not_hide_the_catalogue(attack, place):
    files = attack.registry.files
    path = RELEASES if place == "releases" else catalog_bin(attack.registry)
    honest = files[path]
    files[path] = files[EMPTY]
    assert attack.client.refused("search", "quiz") == (3, "TRUST_ROLE")
    files[path] = honest
    assert "quiz_master" in attack.client.run("search", "quiz").out


def test_an_empty_bin_in_the_cache_is_not_believed(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "r-ec.json").write_bytes(attack.registry.files[EMPTY])
    (metadata / "releases.json").write_bytes(attack.registry.files[EMPTY])
    said = attack.client.run("install", "quiz_master")
    assert said.code == 0
    assert "has been rebuilt" in said.err


@pytest.mark.parametrize("role", ["timestamp", "2.snapshot"])
def test_a_file_of_another_registry_with_the_same_keys_is_refused(attack, role):
    registry = attack.registry
    other = Simulator(registry_id="f" * 32, signers=registry.signers)
    other.sign_all().sign_all()
    registry.sign_all()
    registry.files[f"{METADATA}{role}.json"] = other.files[f"{METADATA}{role}.json"]
    assert attack.install() == (3, "TRUST_ROLE")


def test_metadata_that_no_longer_names_its_role_is_refused(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    attack.registry.bound = False
    attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.install() == (3, "TRUST_ROLE")
    # Not even after a part of what the client knows was lost.
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "timestamp.json").unlink()
    assert attack.install() == (3, "TRUST_ROLE")


def test_one_file_without_its_role_is_refused_at_first_sight(attack):
    registry = attack.registry
    registry.bound = False
    registry.files[BIN] = registry.signed(registry.bins["r-00"], "online")
    assert attack.install() == (3, "TRUST_ROLE")


# A registry whose metadata does not yet name its roles


@pytest.fixture
def older(client):
    """A registry as older versions of psreg signed it, and the client that trusts it."""
    registry = Simulator(bound=False).release().publish()
    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        yield registry


def test_an_older_registry_is_used(client, older):
    assert client.run("install", "quiz_master").code == 0
    older.bound = True
    for signed in (older.releases, older.targets, *older.bins.values()):
        signed.version += 1
    older.release("quiz_master", "1.1.0", b"newer").publish()
    assert "1.1.0" in client.run("install", "quiz_master").out


@pytest.mark.parametrize("path", [BIN, RELEASES])
def test_an_older_registry_is_believed_again(client, older, path):
    honest = older.files[path]
    older.files[path] = older.files[EMPTY]
    assert client.run("install", "quiz_master").code != 0
    older.files[path] = honest
    assert client.run("install", "quiz_master").code == 0


def test_a_name_that_was_seen_is_not_hidden(client, older):
    assert client.run("info", "quiz_master").code == 0
    older.files[BIN] = older.files[EMPTY]
    assert client.refused("install", "quiz_master") == (3, "TRUST_NAME_MISSING")
    assert client.refused("info", "quiz_master") == (3, "TRUST_NAME_MISSING")


# A key holder hides a name


def hide(registry, *paths):
    """Sign a state in which nothing lists `paths`."""
    for path in paths:
        role = registry.releases.delegations.succinct_roles.get_role_for_target(path)
        del registry.bins[role].targets[path]
        registry.bins[role].version += 1
    registry.sign_all()


RECORD = "pkg/quiz_master.json"
SHARD = "catalog/interactive_engine.json"


@pytest.mark.parametrize("paths", [[RECORD], [RECORD, SHARD]])
def test_a_name_that_was_installed_does_not_vanish(attack, paths):
    assert attack.client.run("install", "quiz_master").code == 0
    hide(attack.registry, *paths)
    assert attack.install() == (3, "TRUST_NAME_MISSING")
    for state in attack.client.state.iterdir():
        shutil.rmtree(state)
    assert attack.install() == (3, "TRUST_NAME_MISSING")
    assert attack.client.refused("verify") == (3, "TRUST_NAME_MISSING")
    if SHARD in paths:
        assert attack.client.refused("search") == (3, "TRUST_NAME_MISSING")


def test_a_name_in_the_catalogue_has_a_record(attack):
    hide(attack.registry, RECORD)
    assert attack.install() == (3, "TRUST_NAME_MISSING")


def test_a_name_does_not_vanish_from_the_search(attack):
    attack.registry.release("quiz_maker").publish()
    assert attack.client.run("search").code == 0
    del attack.registry.records["quiz_master"]
    hide(attack.registry.publish(), RECORD)
    for _ in range(2):  # what is refused is not kept
        assert attack.client.refused("search") == (3, "TRUST_NAME_MISSING")


def test_the_whole_catalogue_does_not_vanish(attack):
    assert attack.client.run("search").code == 0
    hide(attack.registry, SHARD, RECORD)
    assert attack.client.refused("search", "quiz") == (3, "TRUST_NAME_MISSING")


def test_a_name_without_a_release_to_show_leaves_the_catalogue(attack):
    """Its record is still there, which says what became of it."""
    assert attack.client.run("install", "quiz_master").code == 0
    assert attack.client.run("search").code == 0
    hide(attack.registry, SHARD)
    said = attack.client.run("search", "quiz")
    assert (said.code, said.out) == (0, "")


def test_a_catalogue_of_another_class_is_refused(attack):
    registry = attack.registry
    registry.target("catalog/prompt.json", registry_shard(registry))
    registry.sign_all()
    assert attack.client.refused("search") == (3, "TRUST_METADATA")


def registry_shard(registry):
    """Return the bytes of the catalogue of interactive engines."""
    (path,) = (path for path in registry.files if path.endswith(".interactive_engine.json"))
    return registry.files[path]
