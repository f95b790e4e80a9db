"""A signed file is shown in place of another one with the same version and key."""

from __future__ import annotations

import shutil

import pytest

from simulator import METADATA, Simulator, encode

BIN = f"{METADATA}1.r-ec.json"
"""The bin that lists quiz_master."""

EMPTY = f"{METADATA}1.r-00.json"
HEAD = "catalog/head.json"
RELEASES = f"{METADATA}1.releases.json"


def catalog_bin(registry):
    """Return the path of the bin that lists the catalogue."""
    role = registry.releases.delegations.succinct_roles.get_role_for_target(HEAD)
    return f"{METADATA}1.{role}.json"


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
@pytest.mark.parametrize("place", ["bin", "releases"])
def test_an_empty_bin_does_not_hide_a_name(attack, place):
    files, path = attack.registry.files, BIN if place == "bin" else RELEASES
    honest = files[path]
    files[path] = files[EMPTY]
    assert attack.install() == (3, "TRUST_ROLE")
    assert attack.client.refused("info", "quiz_master") == (3, "TRUST_ROLE")
    files[path] = honest
    assert attack.client.run("install", "quiz_master").code == 0


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
@pytest.mark.parametrize("path", [BIN, RELEASES])
def test_an_empty_bin_does_not_pass_a_verification(attack, path):
    assert attack.client.run("install", "quiz_master").code == 0
    for state in attack.client.state.iterdir():
        shutil.rmtree(state)
    attack.registry.files[path] = attack.registry.files[EMPTY]
    assert attack.client.refused("verify", "--registry", "main") == (3, "TRUST_ROLE")


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
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


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
@pytest.mark.parametrize("role", ["timestamp", "2.snapshot"])
def test_a_file_of_another_registry_with_the_same_keys_is_refused(attack, role):
    registry = attack.registry
    other = Simulator(registry_id="f" * 32, signers=registry.signers)
    other.sign_all().sign_all()
    registry.sign_all()
    registry.files[f"{METADATA}{role}.json"] = other.files[f"{METADATA}{role}.json"]
    assert attack.install() == (3, "TRUST_ROLE")


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
def test_metadata_that_no_longer_names_its_role_is_refused(attack):
    assert attack.client.run("install", "quiz_master").code == 0
    attack.registry.bound = False
    attack.registry.release("quiz_master", "1.1.0", b"newer").publish()
    assert attack.install() == (3, "TRUST_ROLE")
    # Not even after a part of what the client knows was lost.
    (metadata,) = attack.client.state.glob("*/metadata")
    (metadata / "timestamp.json").unlink()
    assert attack.install() == (3, "TRUST_ROLE")


@pytest.mark.attack("T17", (3, "TRUST_ROLE"))
def test_one_file_without_its_role_is_refused_at_first_sight(attack):
    registry = attack.registry
    registry.bound = False
    registry.files[BIN] = registry.signed(registry.bins["r-00"], "online")
    assert attack.install() == (3, "TRUST_ROLE")


# A registry whose metadata does not yet name its roles


@pytest.fixture
def older(attack):
    """A registry as older versions of psreg signed it."""
    attack.registry.bound = False
    attack.registry.publish()
    attack.learned()
    return attack.registry


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


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
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


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
@pytest.mark.parametrize("paths", [[RECORD], [RECORD, HEAD]])
def test_a_name_that_was_installed_does_not_vanish(attack, paths):
    assert attack.client.run("install", "quiz_master").code == 0
    hide(attack.registry, *paths)
    assert attack.install() == (3, "TRUST_NAME_MISSING")
    for state in attack.client.state.iterdir():
        shutil.rmtree(state)
    assert attack.install() == (3, "TRUST_NAME_MISSING")
    assert attack.client.refused("verify", "--registry", "main") == (3, "TRUST_NAME_MISSING")
    if HEAD in paths:
        assert attack.client.refused("search") == (3, "TRUST_NAME_MISSING")


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
def test_a_name_in_the_catalogue_has_a_record(attack):
    hide(attack.registry, RECORD)
    assert attack.install() == (3, "TRUST_NAME_MISSING")


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
def test_a_name_does_not_vanish_from_the_search(attack):
    attack.registry.release("quiz_maker").publish()
    assert attack.client.run("search").code == 0
    del attack.registry.records["quiz_master"]
    hide(attack.registry.publish(), RECORD)
    for _ in range(2):  # what is refused is not kept
        assert attack.client.refused("search") == (3, "TRUST_NAME_MISSING")


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
def test_the_whole_catalogue_does_not_vanish(attack):
    assert attack.client.run("search").code == 0
    hide(attack.registry, HEAD, RECORD)
    assert attack.client.refused("search", "quiz") == (3, "TRUST_NAME_MISSING")


def test_a_name_without_a_release_to_show_leaves_the_catalogue(attack):
    """Its record is still there, which says what became of it."""
    assert attack.client.run("install", "quiz_master").code == 0
    assert attack.client.run("search").code == 0
    hide(attack.registry, HEAD)
    said = attack.client.run("search", "quiz")
    assert (said.code, said.out) == (0, "")


@pytest.mark.attack("T2", (3, "TRUST_ROLLBACK"))
def test_an_older_head_is_refused_though_it_is_signed(attack):
    registry = attack.registry
    assert attack.client.run("search").code == 0
    registry.head_version = 0
    registry.records["quiz_master"]["deprecated"] = {"reason": "x"}
    registry.publish().head_version = -1
    assert attack.client.run("search").code == 0  # version 1 again
    registry.publish()
    assert attack.client.refused("search") == (3, "TRUST_ROLLBACK")


@pytest.mark.parametrize("data", [b"", b"{}", None], ids=["cut", "other", "missing"])
def test_a_segment_is_the_one_that_the_head_lists(attack, data):
    files = attack.registry.files
    (path,) = (path for path in files if "/segments/" in path)
    honest = files.pop(path)
    if data is not None:
        files[path] = data
    code = attack.client.run("search", "quiz").code
    assert code == (4 if data is None else 3)
    files[path] = honest
    assert "quiz_master" in attack.client.run("search", "quiz").out
    del files[path]  # it is kept by its digest
    assert "quiz_master" in attack.client.run("search", "quiz").out
    (kept,) = attack.client.state.glob("*/targets/segments/*.json")
    kept.write_bytes(b"x" * len(honest))
    assert attack.client.run("search", "quiz").code == 4
    files[path] = honest
    assert "quiz_master" in attack.client.run("search", "quiz").out


def test_what_no_head_lists_is_not_kept(attack):
    assert attack.client.run("search").code == 0
    attack.registry.release("quiz_maker").publish()
    assert attack.client.run("search").code == 0
    assert len([*attack.client.state.glob("*/targets/segments/*.json")]) == 1


@pytest.mark.attack("T17", (3, "TRUST_NAME_MISSING"))
def test_the_former_layout_is_read_and_left(attack):
    """A registry that an older psreg published has a target per class, and no head."""
    registry = attack.registry
    hide(registry, HEAD)
    value = registry.segment() | {"schema": "psreg.catalog/1", "shard": "interactive_engine"}
    registry.target("catalog/interactive_engine.json", encode(value))
    registry.sign_all()
    assert "quiz_master" in attack.client.run("search", "quiz").out
    hide(registry, "catalog/interactive_engine.json", RECORD)
    assert attack.client.refused("search") == (3, "TRUST_NAME_MISSING")
    registry.publish()
    assert "quiz_master" in attack.client.run("search", "quiz").out


def test_a_newer_layout_names_the_psreg_that_reads_it(attack):
    registry = attack.registry
    registry.target("catalog/head.json", encode({"schema": "psreg.head/2", "needs": "9.1.0"}))
    registry.sign_all()
    said = attack.client.run("search")
    assert said.code == 4
    assert "NEWER_FORMAT" in said.err
    assert "psreg 9.1.0 or newer" in said.err
