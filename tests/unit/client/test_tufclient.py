"""The client of The Update Framework over the simulated registry."""

from __future__ import annotations

import os
import shutil
from itertools import product

import pytest
from tuf.ngclient.fetcher import exceptions

from psreg.client.tufclient import Fetcher, TufClient, psreg_error
from psreg.core.errors import TrustError, UnavailableError
from simulator import METADATA, PAST, Simulator
from support.walks import sampled

RECORD = "pkg/quiz_master.json"


@pytest.fixture
def registry():
    return Simulator().release().publish()


@pytest.fixture
def said():
    return []


@pytest.fixture
def connect(registry, tmp_path, said):
    return lambda: TufClient(registry, registry.first_root, tmp_path / "state", said.append)


def code_of(action):
    with pytest.raises((TrustError, UnavailableError)) as caught:
        action()
    return caught.value.code


def test_a_cold_client_asks_for_each_file_once(registry, connect):
    assert b"quiz_master" in connect().target(RECORD, 10_000)
    asked = [path.rpartition("/")[2] for path in registry.reads]
    assert asked[:6] == ["2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json", "1.releases.json", "1.r-ec.json"]  # fmt: skip
    assert len(asked) == 7


def test_a_warm_client_asks_only_what_may_have_changed(registry, connect):
    first = connect().target(RECORD, 10_000)
    registry.reads.clear()
    assert connect().target(RECORD, 10_000) == first
    assert registry.reads == [f"{METADATA}2.root.json", f"{METADATA}timestamp.json"]


def test_one_client_refreshes_once(registry, connect):
    client = connect()
    client.target(RECORD, 10_000)
    registry.reads.clear()
    client.target(RECORD, 10_000)
    assert client.target("pkg/absent.json", 10_000) is None
    assert f"{METADATA}timestamp.json" not in registry.reads


def test_versions_and_root_in_force(registry, connect):
    registry.root.version = 2
    registry.write_root()
    registry.release("quiz_master", "1.1.0").publish()
    client = connect()
    assert client.versions() == {"root": 2, "timestamp": 2, "snapshot": 2, "targets": 1}
    assert client.newest_root() == registry.files[f"{METADATA}2.root.json"]


def test_a_changed_record_is_judged_by_the_one_seen_before(registry, connect):
    before = connect().target(RECORD, 10_000)
    registry.release("quiz_master", "1.1.0").publish()
    judged = []
    after = connect().target(RECORD, 10_000, lambda *pair: judged.append(pair))
    assert judged == [(before, after)]
    assert before != after


def test_a_refused_record_does_not_replace_the_one_seen_before(registry, connect):
    connect().target(RECORD, 10_000)
    registry.release("quiz_master", "1.1.0").publish()

    def refuse(*_):
        raise TrustError("TRUST_ROLLBACK", "no")

    for _ in range(2):
        assert code_of(lambda: connect().target(RECORD, 10_000, refuse)) == "TRUST_ROLLBACK"


def test_a_target_without_a_strong_hash_is_refused(registry, connect):
    registry.bins["r-ec"].targets[RECORD].hashes = {"md5": "0" * 32}
    registry.sign_all()
    assert code_of(lambda: connect().target(RECORD, 10_000)) == "TRUST_METADATA"


def test_a_target_over_its_limit_is_refused(connect):
    assert code_of(lambda: connect().target(RECORD, 10)) == "TRUST_METADATA"


def test_a_longer_target_than_listed_is_refused(registry, connect):
    (path,) = (path for path in registry.files if path.endswith(".quiz_master.json"))
    registry.files[path] += b" "
    assert code_of(lambda: connect().target(RECORD, 10_000)) == "TRUST_DIGEST"


def test_a_repository_without_an_identity_is_followed(tmp_path):
    """Any repository of The Update Framework is; its files cannot name what it has not."""
    repository = Simulator(bound=False)
    del repository.root.unrecognized_fields["psreg"]
    repository.write_root()
    repository.release().publish()
    for _ in range(2):
        client = TufClient(repository, repository.first_root, tmp_path / "state", print)
        assert b"quiz_master" in client.target(RECORD, 10_000)
    assert repository.reads.count(f"{METADATA}1.r-ec.json") == 1


def test_three_hundred_rotations_of_the_root_are_followed(registry, connect):
    for version in range(2, 302):
        registry.root.version = version
        registry.write_root()
    assert connect().versions()["root"] == 301
    assert connect().versions()["root"] == 301


def test_a_missing_timestamp_is_not_found(registry, connect):
    del registry.files[f"{METADATA}timestamp.json"]
    assert code_of(connect().refresh) == "NOT_FOUND"


# Client state


def state_of(tmp_path):
    return tmp_path / "state" / "metadata"


KEPT = ("timestamp.json", "snapshot.json", "targets.json", "releases.json")
DAMAGE = (b"", b"\x00\xff", b"{}", b"[1]", b'{"signed":{"version":"x"}}')


@pytest.mark.parametrize(
    ("name", "damage"), sampled([*product(KEPT, DAMAGE)], 7, kinds=lambda case: case)
)
def test_garbage_is_rebuilt_and_said(connect, tmp_path, said, name, damage):
    connect().target(RECORD, 10_000)
    (state_of(tmp_path) / name).write_bytes(damage)
    assert connect().target(RECORD, 10_000)
    assert len(said) == 1
    assert "damaged and has been rebuilt" in said[0]
    assert connect().target(RECORD, 10_000)
    assert len(said) == 1


def _folder(path):
    path.unlink()
    (path / "x").mkdir(parents=True)


def _link(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def _pipe(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [_folder, _link, _pipe])
@pytest.mark.parametrize("name", ["snapshot.json", "r-ec.json", "root_history/1.root.json"])
def test_what_is_no_file_is_rebuilt_and_said(connect, tmp_path, said, name, damage):
    connect().target(RECORD, 10_000)
    damage(state_of(tmp_path) / name)
    assert connect().target(RECORD, 10_000)
    assert len(said) == 1


def test_a_folder_for_the_root_link_is_rebuilt(connect, tmp_path, said):
    connect().refresh()
    _folder(state_of(tmp_path) / "root.json")
    connect().refresh()
    assert len(said) == 1


@pytest.mark.parametrize("name", [".", "root_history"])
def test_a_file_for_a_folder_is_rebuilt(connect, tmp_path, said, name):
    connect().refresh()
    shutil.rmtree(state_of(tmp_path) / name)
    (state_of(tmp_path) / name).write_text("a file")
    connect().refresh()
    assert len(said) == 1


def test_a_garbage_root_never_becomes_the_anchor(registry, connect, tmp_path, said):
    connect().refresh()
    history = state_of(tmp_path) / "root_history"
    (history / "2.root.json").write_bytes(Simulator().first_root)
    connect().refresh()
    (history / "1.root.json").write_bytes(b"garbage")
    connect().refresh()
    assert (history / "1.root.json").read_bytes() == registry.first_root
    assert len(said) == 1


def test_a_damaged_kept_record_is_fetched_again(connect, tmp_path):
    good = connect().target(RECORD, 10_000)
    (tmp_path / "state" / RECORD).write_bytes(b"garbage")
    assert connect().target(RECORD, 10_000) == good
    assert (tmp_path / "state" / RECORD).read_bytes() == good


def test_an_expired_kept_timestamp_still_protects(registry, connect, tmp_path):
    old = registry.files[f"{METADATA}timestamp.json"]
    connect().refresh()
    registry.timestamp.expires = PAST
    registry.sign_all()
    assert code_of(connect().refresh) == "TRUST_FROZEN"
    # What was good when it was kept may have expired since.
    (state_of(tmp_path) / "timestamp.json").write_bytes(registry.files[f"{METADATA}timestamp.json"])
    registry.files[f"{METADATA}timestamp.json"] = old
    assert code_of(connect().refresh) == "TRUST_ROLLBACK"


def test_a_state_folder_that_cannot_be_made(registry, tmp_path):
    (tmp_path / "file").write_text("")
    client = TufClient(registry, registry.first_root, tmp_path / "file" / "state", print)
    assert code_of(client.refresh) == "CANNOT_WRITE"


def test_a_lock_that_is_a_folder_is_set_aside(connect, tmp_path):
    (tmp_path / "state" / "lock").mkdir(parents=True)
    connect().refresh()
    assert (tmp_path / "state" / "lock").is_file()
    assert (tmp_path / "state" / "lock.damaged").is_dir()


# Errors


def test_the_fetcher_obeys_the_trust_client(registry):
    fetcher = Fetcher(registry)
    assert b"".join(fetcher.fetch(f"{METADATA}timestamp.json"))
    with pytest.raises(exceptions.DownloadHTTPError) as caught:
        fetcher.fetch(f"{METADATA}9.root.json")
    assert caught.value.status_code == 404


@pytest.mark.parametrize(
    ("error", "name", "code"),
    [
        (exceptions.DownloadError("x"), "timestamp.json", "NETWORK"),
        (exceptions.RepositoryError("x"), "", "TRUST_METADATA"),
        (ValueError("x"), "1.targets.json", "TRUST_METADATA"),
        (exceptions.BadVersionNumberError("x"), "2.root.json", "TRUST_ROLLBACK"),
        (exceptions.BadVersionNumberError("x"), "timestamp.json", "TRUST_ROLLBACK"),
        (exceptions.BadVersionNumberError("x"), "3.snapshot.json", "TRUST_MIXED"),
    ],
)
def test_errors_of_the_trust_client_have_stable_codes(error, name, code):
    assert psreg_error(error, name, b"").code == code
