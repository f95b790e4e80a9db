"""Reading a registry: any change made without the keys is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from securesystemslib.signer import CryptoSigner, SSlibKey
from tuf.api.metadata import Metadata, MetaFile, SuccinctRoles, TargetFile

from psreg.core.errors import TrustError
from psreg.registry.publish import publish
from psreg.registry.trust.metadata import info_of, root_info
from psreg.registry.trust.reading import open_registry, read_registry, read_roots
from psreg.registry.trust.roles import Bins
from psreg.registry.trust.signing_keys import generate_key, key_from_pem
from support.publishing import CLEAN, FIRST, NOW, SECOND, memory_ports

PORTS = memory_ports()
publish(FIRST, CLEAN, NOW, PORTS)
OLD = dict(PORTS.store.files)
publish(SECOND, CLEAN, NOW + timedelta(hours=1), PORTS)
NEW = dict(PORTS.store.files)

KEYS = {name: CryptoSigner(key_from_pem(pem)) for name, pem in PORTS.keys.made.items()}

ALPHA_BIN = f"metadata/2.{Bins(bits=4).of('pkg/alpha.json')}.json"
"""The bin that lists alpha, changed by the second publish."""

ONE_OF_EACH = {
    "root": "metadata/1.root.json",
    "timestamp": "metadata/timestamp.json",
    "snapshot": "metadata/2.snapshot.json",
    "targets": "metadata/1.targets.json",
    "releases": "metadata/2.releases.json",
    "bin": ALPHA_BIN,
}

Files = dict[str, bytes]


@pytest.fixture
def there() -> Files:
    return dict(NEW)


def record_path(name: str) -> str:
    state = read_registry(NEW.get)
    assert state is not None
    digest = hashlib.sha256(state.packages[name]).hexdigest()
    return f"targets/pkg/{digest}.{name}.json"


def forge(there: Files, path: str, key: str, change: Callable[[Any], object]) -> None:
    """Change a metadata file as anyone with the key `key` can."""
    metadata = Metadata[Any].from_bytes(there[path])
    change(metadata.signed)
    metadata.sign(KEYS[key])
    there[path] = metadata.to_bytes()


def refused(there: Files, code: str, words: str = "") -> None:
    with pytest.raises(TrustError) as caught:
        read_registry(there.get)
    assert (caught.value.code, words in caught.value.message) == (code, True), caught.value


def test_what_was_published_is_read() -> None:
    state = read_registry(NEW.get)
    assert state is not None
    assert set(state.packages) == {"alpha", "beta", "gamma"}
    assert set(state.catalog) == {"head"}
    assert state.catalog["head"].data == NEW[state.catalog["head"].path]
    assert (state.registry_id, state.mode, state.newer_snapshot) == ("f" * 32, "dev", False)
    assert state.root_sha256 == hashlib.sha256(NEW["metadata/1.root.json"]).hexdigest()
    assert state.versions["snapshot"] == state.versions["timestamp"] == 2
    assert state.root.version == 1
    assert state.documents["timestamp"].expires == NOW + timedelta(days=14, hours=1)


def test_nothing_published() -> None:
    assert read_registry({}.get) is None
    assert read_roots({}.get) is None
    assert read_registry({"metadata/1.root.json": NEW["metadata/1.root.json"]}.get) is None


# Nobody without the keys


@pytest.mark.parametrize("path", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_flipped_signature_attack(there: Files, path: str) -> None:
    value = json.loads(there[path])
    signature = value["signatures"][0]["sig"]
    value["signatures"][0]["sig"] = ("0" if signature[0] != "0" else "1") + signature[1:]
    there[path] = json.dumps(value).encode()
    refused(there, "TRUST_SIGNATURE")


@pytest.mark.parametrize("path", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_longer_life_attack(there: Files, path: str) -> None:
    value = json.loads(there[path])
    value["signed"]["expires"] = "2999-01-01T00:00:00Z"
    there[path] = json.dumps(value).encode()
    refused(there, "TRUST_SIGNATURE")


@pytest.mark.parametrize("path", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_duplicate_key_attack(there: Files, path: str) -> None:
    there[path] = there[path].replace(b'"signed":{', b'"signed":{"version":999,', 1)
    refused(there, "TRUST_METADATA", "twice")


@pytest.mark.parametrize("path", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
@pytest.mark.parametrize("data", [b"", b"<html>", b"{}", b'{"signatures":[],"signed":{}}'])
def test_something_else_in_its_place(there: Files, path: str, data: bytes) -> None:
    there[path] = data
    refused(there, "TRUST_METADATA")


@pytest.mark.parametrize("path", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_another_role_in_its_place(there: Files, path: str) -> None:
    other = "metadata/1.root.json" if path != "metadata/1.root.json" else "metadata/timestamp.json"
    there[path] = there[other]
    refused(there, "TRUST_METADATA")


@pytest.mark.parametrize("path", [p for n, p in ONE_OF_EACH.items() if n != "timestamp"])
def test_missing_file(there: Files, path: str) -> None:
    del there[path]
    refused(there, "TRUST_MIXED", path.rpartition("/")[2] if "root" in path else path)


def test_foreign_key_attack(there: Files) -> None:
    thief = CryptoSigner(key_from_pem(generate_key()))
    metadata = Metadata[Any].from_bytes(there["metadata/timestamp.json"])
    metadata.sign(thief)
    there["metadata/timestamp.json"] = metadata.to_bytes()
    refused(there, "TRUST_SIGNATURE")


@pytest.mark.parametrize(("one", "other"), [("1.r4-1", "1.r4-0"), ("2.releases", ALPHA_BIN[9:-5])])
def test_swapped_bins_attack(there: Files, one: str, other: str) -> None:
    """All bins and `releases` have the same key; an empty bin lists nothing that gives it away."""
    there[f"metadata/{one}.json"] = there[f"metadata/{other}.json"]
    refused(there, "TRUST_ROLE", f"the metadata of {one[2:]} names the role '{other[2:]}'")


def unbind(signed: Any) -> None:
    del signed.unrecognized_fields["psreg"]


@pytest.mark.parametrize("role", ["snapshot", "targets", "releases", "bin"])
def test_a_file_without_a_role_among_others(there: Files, role: str) -> None:
    forge(there, ONE_OF_EACH[role], "root" if role == "targets" else "online", unbind)
    refused(there, "TRUST_ROLE", "does not name its role")


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "releases", "bin"])
@pytest.mark.parametrize(
    ("psreg", "words"),
    [
        ([], "does not name its role"),
        ({"id": "f" * 32}, "does not name its role"),
        ({"id": "f" * 32, "role": "targets"}, "names the role 'targets'"),
        ({"id": "0" * 32, "role": None}, "is of the registry '000"),
    ],
)
def test_a_role_of_another_registry(there: Files, role: str, psreg: Any, words: str) -> None:
    path = ONE_OF_EACH[role]
    if isinstance(psreg, dict) and psreg.get("role", "") is None:
        name = path.removeprefix("metadata/").removesuffix(".json").rpartition(".")[2]
        psreg = psreg | {"role": name}
    forge(there, path, "timestamp" if role == "timestamp" else "online", set_psreg(psreg))
    refused(there, "TRUST_ROLE", words)


def test_a_root_that_names_another_role(there: Files) -> None:
    psreg = {"id": "f" * 32, "mode": "dev", "role": "targets"}
    forge(there, "metadata/1.root.json", "root", set_psreg(psreg))
    refused(there, "TRUST_ROLE", "names the role 'targets'")


def test_old_bin_attack(there: Files) -> None:
    there[ALPHA_BIN] = OLD[ALPHA_BIN.replace("/2.", "/1.")]
    refused(there, "TRUST_MIXED", "version 1, but 2 is listed")


def test_old_snapshot_attack(there: Files) -> None:
    there["metadata/2.snapshot.json"] = there["metadata/1.snapshot.json"]
    refused(there, "TRUST_MIXED", "snapshot is version 1")


def test_swapped_record_attack(there: Files) -> None:
    there[record_path("alpha")] = there[record_path("gamma")]
    refused(there, "TRUST_DIGEST", "alpha")


def test_old_record_attack(there: Files) -> None:
    old = read_registry(OLD.get)
    assert old is not None
    there[record_path("alpha")] = old.packages["alpha"]
    refused(there, "TRUST_DIGEST")


@pytest.mark.parametrize("more", [b" ", b"\n{}"])
def test_longer_record_attack(there: Files, more: bytes) -> None:
    there[record_path("alpha")] += more
    refused(there, "TRUST_DIGEST")


def test_missing_record(there: Files) -> None:
    del there[record_path("alpha")]
    refused(there, "TRUST_MIXED", record_path("alpha"))


FLIPPED = [path for path in NEW if not path.startswith("metadata/1.r4-") and path not in OLD]


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(FLIPPED), st.integers(0, 10**6), st.integers(0, 7))
def test_any_flipped_bit_is_refused_or_means_nothing(path: str, place: int, bit: int) -> None:
    data = bytearray(NEW[path])
    data[place % len(data)] ^= 1 << bit
    there = NEW | {path: bytes(data)}
    try:
        state = read_registry(there.get)
    except TrustError:
        return
    assert state is not None
    assert dict(state.packages) == dict(read_registry(NEW.get).packages)  # type: ignore[union-attr]


def test_rolled_back_timestamp_attack(there: Files) -> None:
    there["metadata/timestamp.json"] = OLD["metadata/timestamp.json"]
    state = read_registry(there.get)
    assert state is not None
    # One step back is what a publish that was cut short looks like; the publisher knows better.
    assert state.newer_snapshot
    forge_third_snapshot(there)
    refused(there, "TRUST_ROLLBACK")


def forge_third_snapshot(there: Files) -> None:
    there["metadata/3.snapshot.json"] = there["metadata/2.snapshot.json"]
    forge(there, "metadata/3.snapshot.json", "online", lambda s: setattr(s, "version", 3))


@pytest.mark.parametrize("junk", [b"junk", NEW["metadata/2.snapshot.json"]])
def test_files_that_nobody_signed_do_not_overtake(there: Files, junk: bytes) -> None:
    there["metadata/3.snapshot.json"] = there["metadata/4.snapshot.json"] = junk
    state = read_registry(there.get)
    assert state is not None
    assert not state.newer_snapshot


# Those who hold a key, and make a mistake


def test_lists_a_digest_of_another_snapshot(there: Files) -> None:
    entry = MetaFile(2, hashes={"sha256": "0" * 64})
    forge(
        there, "metadata/timestamp.json", "timestamp", lambda s: setattr(s, "snapshot_meta", entry)
    )
    refused(there, "TRUST_DIGEST", "snapshot")


def test_a_snapshot_that_forgets_a_role(there: Files) -> None:
    forge(there, "metadata/2.snapshot.json", "online", lambda s: s.meta.pop("releases.json"))
    refused(there, "TRUST_MIXED", "does not list releases")


def test_targets_that_delegate_nothing(there: Files) -> None:
    forge(there, "metadata/1.targets.json", "root", lambda s: setattr(s, "delegations", None))
    refused(there, "TRUST_SIGNATURE")


def without_bins(signed: Any) -> None:
    signed.delegations = None


def other_bins(signed: Any) -> None:
    signed.delegations.succinct_roles.name_prefix = "x"


def odd_bins(signed: Any) -> None:
    old = signed.delegations.succinct_roles
    signed.delegations.succinct_roles = SuccinctRoles(old.keyids, old.threshold, 5, "r5")


@pytest.mark.parametrize("change", [without_bins, other_bins, odd_bins])
def test_releases_without_the_bins(there: Files, change: Callable[[Any], None]) -> None:
    forge(there, "metadata/2.releases.json", "online", change)
    refused(there, "TRUST_METADATA", "bins")


def listing(path: str, algorithm: str = "sha256") -> Callable[[Any], None]:
    def change(signed: Any) -> None:
        signed.targets[path] = TargetFile(1, {algorithm: "0" * 64}, path)

    return change


@pytest.mark.parametrize("path", ["pkg/../../x.json", "pkg/beta.json", "elsewhere/alpha.json"])
def test_a_bin_that_lists_what_is_not_its_own(there: Files, path: str) -> None:
    forge(there, ALPHA_BIN, "online", listing(path))
    refused(there, "TRUST_METADATA", path)


def test_a_target_without_a_sha256(there: Files) -> None:
    forge(there, ALPHA_BIN, "online", listing("pkg/alpha.json", "sha512"))
    refused(there, "TRUST_METADATA", "SHA-256")


# Roots


def next_root(there: Files, change: Callable[[Any], object] = lambda _: None) -> None:
    there["metadata/2.root.json"] = there["metadata/1.root.json"]
    forge(there, "metadata/2.root.json", "root", lambda s: (setattr(s, "version", 2), change(s)))


def test_the_newest_root_counts(there: Files) -> None:
    next_root(there, lambda s: setattr(s, "expires", NOW + timedelta(days=700)))
    state = read_registry(there.get)
    assert state is not None
    assert state.root.version == 2
    assert state.root_sha256 == hashlib.sha256(there["metadata/1.root.json"]).hexdigest()
    assert state.root.expires == NOW + timedelta(days=700)


def test_a_root_that_skips_a_version(there: Files) -> None:
    next_root(there, lambda s: setattr(s, "version", 3))
    refused(there, "TRUST_MIXED", "followed by root 3")


def test_a_first_root_that_is_not_the_first(there: Files) -> None:
    forge(there, "metadata/1.root.json", "root", lambda s: setattr(s, "version", 2))
    refused(there, "TRUST_MIXED", "1.root.json is version 2")


def set_psreg(value: object) -> Callable[[Any], None]:
    return lambda signed: signed.unrecognized_fields.update(psreg=value)


def test_a_root_of_another_registry(there: Files) -> None:
    next_root(there, set_psreg({"id": "0" * 32, "mode": "dev"}))
    refused(there, "TRUST_MIXED", "another registry")


@pytest.mark.parametrize(
    "psreg",
    [
        None,
        {},
        {"mode": "dev"},
        {"id": 1, "mode": "dev"},
        {"id": "F" * 32, "mode": "dev"},
        {"id": "f" * 32, "mode": "test"},
        {"id": "f" * 32, "mode": []},
    ],
)
def test_a_root_that_does_not_say_whose_it_is(there: Files, psreg: object) -> None:
    forge(there, "metadata/1.root.json", "root", set_psreg(psreg))
    refused(there, "TRUST_METADATA", "does not name its registry")


@pytest.mark.parametrize("log", ["a key", {"0": "a key"}, 1, [1], [None], [["a key"]]])
def test_a_root_that_does_not_list_the_keys_of_its_log(there: Files, log: object) -> None:
    forge(there, "metadata/1.root.json", "root", set_psreg({**PSREG, "log": log}))
    refused(there, "TRUST_METADATA", "keys of its log")


PSREG = {"id": "f" * 32, "mode": "dev"}


def test_the_keys_of_the_log_only_grow(there: Files) -> None:
    (key,) = root_info(there["metadata/1.root.json"]).log
    next_root(there, set_psreg({**PSREG, "log": ["a new key", key]}))
    state = read_registry(there.get)
    assert state is not None
    assert info_of(state.root).log == ("a new key", key)
    for fewer in ({}, {"log": []}, {"log": ["a new key"]}):
        next_root(there, set_psreg(PSREG | fewer))
        refused(there, "TRUST_MIXED", "drops a key of the log")


def test_a_root_without_consistent_snapshots(there: Files) -> None:
    forge(there, "metadata/1.root.json", "root", lambda s: setattr(s, "consistent_snapshot", False))
    refused(there, "TRUST_METADATA", "consistent")


def test_a_root_signed_by_the_old_keys_only(there: Files) -> None:
    thief = CryptoSigner(key_from_pem(generate_key()))

    def new_key(signed: Any) -> None:
        (old,) = signed.roles["root"].keyids
        signed.add_key(thief.public_key, "root")
        signed.revoke_key(old, "root")

    next_root(there, new_key)
    refused(there, "TRUST_SIGNATURE")


def test_a_root_signed_by_the_new_keys_only_attack(there: Files) -> None:
    thief = CryptoSigner(key_from_pem(generate_key()))
    next_root(there)
    metadata = Metadata[Any].from_bytes(there["metadata/2.root.json"])
    metadata.signed.add_key(thief.public_key, "root")
    metadata.sign(thief)
    there["metadata/2.root.json"] = metadata.to_bytes()
    refused(there, "TRUST_SIGNATURE")


def test_a_key_with_two_ids(there: Files) -> None:
    def add(signed: Any) -> None:
        (key,) = (signed.keys[keyid] for keyid in signed.roles["root"].keyids)
        signed.add_key(SSlibKey("f" * 64, key.keytype, key.scheme, key.keyval), "root")

    forge(there, "metadata/1.root.json", "root", add)
    refused(there, "TRUST_KEY_TWICE")


def test_root_info() -> None:
    data = NEW["metadata/1.root.json"]
    info = root_info(data)
    assert (info.id, info.mode, info.version) == ("f" * 32, "dev", 1)
    assert info.sha256 == hashlib.sha256(data).hexdigest()
    with pytest.raises(TrustError, match="not signed"):
        root_info(data.replace(b'"mode":"dev"', b'"mode":"production"'))


def test_a_state_is_read_as_far_as_it_is_asked_for() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return NEW.get(path)

    state = open_registry(read)
    assert state is not None
    assert not any(".r4-" in path or path.startswith("targets/") for path in asked)
    assert state.versions[Bins(bits=4).of("pkg/alpha.json")] == 2
    assert "alpha" in state.packages
    assert sum(".r4-" in path for path in asked) == 1
    assert not {"omega", "no name", "alpha.json/../x"} & state.packages.keys()
    assert "alpha" not in state.catalog


def test_the_mappings_of_a_state_list_what_they_have() -> None:
    state = read_registry(NEW.get)
    assert state is not None
    mappings = (state.documents, state.targets, state.packages, state.catalog)
    for mapping in mappings:
        assert len(mapping) == len(set(mapping)) == len(dict(mapping))
    assert set(state.documents) == set(state.versions)
    assert set(state.packages) == {"alpha", "beta", "gamma"}
    assert set(state.catalog) == {"head"}
    assert state.documents.get("r-xx") is None
    assert state.targets.get("../x") is None
