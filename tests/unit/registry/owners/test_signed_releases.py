"""Releases of claimed names wait for their owners, and what owners sign is in the record."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.core.errors import PsregError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.core.ssh_key import SshKey
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.owners.signed_releases import Waiting
from psreg.registry.owners.to_sign import owners_to_sign, to_sign
from support.claims import ALPHA, changed_by, claim, claimed, owned, record_of, signed_by
from support.owners import ANA, BEN, CEM, Owner, entry_toml, place_of
from support.publishing import NOW, entry, files, founded, logless, release, state_of

DAY = timedelta(days=1)
NEXT = ReleaseId(entry_class="prompt", name="alpha", version="1.1.0")


def signers(registry: Path, version: str) -> list[str]:
    """Return the fingerprints in the envelope of a release."""
    row = record_of(registry).release(version)
    assert row is not None
    return [each["keyid"] for each in row.statement["signatures"]] if row.statement else []


def fingerprint(owner: Owner) -> str:
    return SshKey.parse(owner.line).fingerprint


def test_a_release_waits_until_an_owner_signs_it(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0") | entry("gamma", "1.0.0")
    result = release(home, registry, tree, NOW + DAY)
    assert [each.name for each in result.released] == ["gamma"]
    assert result.waiting == (Waiting(name="alpha", version="1.1.0", signed=0, threshold=1),)
    assert record_of(registry).release("1.1.0") is None
    assert release(home, registry, tree, NOW + DAY).written == 0
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    result = release(home, registry, tree, NOW + 2 * DAY)
    assert (result.released, result.waiting, result.ignored) == ((NEXT,), (), ())
    row = record_of(registry).release("1.1.0")
    assert row is not None
    assert row.log is not None
    payload = b64decode(row.statement["payload"])
    assert row.log.statement == hashlib.sha256(payload).hexdigest()
    assert json.loads(payload)["predicate"]["registry"] == state_of(registry).registry_id
    assert signers(registry, "1.1.0") == [fingerprint(ANA)]
    assert release(home, registry, tree, NOW + 2 * DAY).written == 0


OTHER = Owner(8)
TWO_KEYS = ANA.toml.replace('"]}', f'", "{OTHER.line}"]}}')


@pytest.mark.parametrize(
    ("by", "signed"),
    [
        ((ANA,), 1),
        ((ANA, ANA), 1),
        ((ANA, OTHER), 1),
        ((ANA, CEM), 1),
        ((CEM,), 0),
        ((ANA, BEN), 2),
    ],
    ids=["one", "one twice", "two keys of one", "one and a stranger", "a stranger", "two"],
)
def test_a_threshold_counts_owners(
    home: Path, registry: Path, by: tuple[Owner, ...], signed: int
) -> None:
    toml = {ALPHA: f"owners = [{TWO_KEYS}, {BEN.toml}]\nthreshold = 2\n".encode()}
    release(home, registry, owned("1.0.0") | toml)
    claim(home, registry, owned("1.0.0") | toml)
    tree = owned("1.0.0", "1.1.0") | toml
    tree |= signed_by(registry, tree, "1.1.0", *by)
    result = release(home, registry, tree, NOW + DAY)
    if signed == 2:
        assert (result.released, result.waiting) == ((NEXT,), ())
    else:
        assert result.waiting == (
            Waiting(name="alpha", version="1.1.0", signed=signed, threshold=2),
        )
        assert result.released == ()


def test_what_is_no_signature_of_it_is_ignored(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    (right,) = signed_by(registry, tree, "1.1.0", ANA).values()
    wrong = [
        b"words\n",
        CEM.sign(b"another message"),
        ANA.sign(b"another message"),
        right.replace(b"SSH SIGNATURE", b"PGP SIGNATURE"),
    ]
    bad = {place_of("alpha", "1.1.0", n): data for n, data in enumerate(wrong, start=1)}
    result = release(home, registry, tree | bad, NOW + DAY)
    assert result.waiting == (Waiting(name="alpha", version="1.1.0", signed=0, threshold=1),)
    assert len(result.ignored) == len(wrong)
    assert all(str(path) in line for path, line in zip(bad, result.ignored, strict=True))
    tree |= bad | {place_of("alpha", "1.1.0", 9): right}
    result = release(home, registry, tree, NOW + 2 * DAY)
    assert (result.released, len(result.ignored)) == ((NEXT,), len(wrong))


def test_a_name_that_is_not_claimed_can_be_signed(home: Path, registry: Path) -> None:
    release(home, registry, owned("1.0.0"))
    tree = owned("1.0.0", "1.1.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    result = release(home, registry, tree, NOW + DAY)
    assert (result.released, result.waiting) == ((NEXT,), ())
    assert signers(registry, "1.1.0") == [fingerprint(ANA)]


def test_a_signature_that_comes_later(home: Path, registry: Path) -> None:
    """It changes the record and never the log; a key that leaves entry.toml has still signed."""
    release(home, registry, owned("1.0.0"))
    before = record_of(registry)
    tree = owned("1.0.0")
    tree |= signed_by(registry, tree, "1.0.0", ANA)
    release(home, registry, tree, NOW + DAY)
    after = record_of(registry)
    assert signers(registry, "1.0.0") == [fingerprint(ANA)]
    assert after.serial == before.serial + 1
    assert after.releases[0].log == before.releases[0].log
    assert after.releases[0].log is not None
    assert after.releases[0].log.statement is None
    left = owned("1.0.0", by=(BEN,)) | {p: d for p, d in tree.items() if "signatures" in p.parts}
    left |= changed_by(registry, left, ANA)
    release(home, registry, left, NOW + 2 * DAY)
    left |= {
        place_of("alpha", "1.0.0", 2): next(iter(signed_by(registry, left, "1.0.0", BEN).values()))
    }
    release(home, registry, left, NOW + 3 * DAY)
    assert signers(registry, "1.0.0") == [fingerprint(ANA), fingerprint(BEN)]


def test_owners_whose_keys_cannot_be_read_have_none(home: Path, registry: Path) -> None:
    toml = b'owners = [{forge = "github", id = 1, keys = ["ssh-dss AAAA"]}]\n'
    release(home, registry, owned("1.0.0") | {ALPHA: toml})
    tree = owned("1.0.0", "1.1.0") | {ALPHA: toml}
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    result = release(home, registry, tree, NOW + DAY)
    assert result.released == (NEXT,)
    assert len(result.ignored) == 1
    assert signers(registry, "1.1.0") == []


def test_two_versions_at_once_follow_each_other(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0", "1.2.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    tree |= signed_by(registry, tree, "1.2.0", ANA)
    result = release(home, registry, tree, NOW + DAY)
    assert [each.version for each in result.released] == ["1.1.0", "1.2.0"]
    first, second = (record_of(registry).release(v) for v in ("1.1.0", "1.2.0"))
    assert first is not None
    assert second is not None
    assert first.log is not None
    payload = json.loads(b64decode(second.statement["payload"]))
    assert payload["predicate"]["previous"] == first.log.statement


def test_a_registry_without_a_log_has_no_statements(
    home: Path, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logless(monkeypatch)
    release(home, registry, owned("1.0.0"))
    signed = {place_of("alpha", "1.0.0"): ANA.sign(b"")}
    result = release(home, registry, owned("1.0.0") | signed, NOW + DAY)
    assert (result.ignored, result.waiting) == ((), ())
    assert signers(registry, "1.0.0") == []
    (alpha, _) = RegistryTree(owned("1.0.0")).entries
    with pytest.raises(UnavailableError) as caught:
        to_sign(alpha, "1.0.0", state_of(registry), NOW)
    assert caught.value.code == "NO_LOG"


def test_nothing_is_signed_before_the_first_publish(home: Path, registry: Path) -> None:
    tree = owned("1.0.0") | {place_of("alpha", "1.0.0"): ANA.sign(b"")}
    assert release(home, registry, tree).ignored == ()


# Owners who change


def rows(registry: Path) -> list[str]:
    """Return the accounts that own `alpha`, as its record says."""
    return [f"{each['forge']}:{each['id']}" for each in record_of(registry).owners]


def test_owners_change_when_those_before_have_signed(home: Path, registry: Path) -> None:
    release(home, registry, owned("1.0.0", by=(ANA, BEN), threshold=2))
    tree = owned("1.0.0", "1.1.0", by=(CEM,))
    result = release(home, registry, tree, NOW + DAY)
    assert result.released == (NEXT,)
    assert result.waiting == (Waiting(name="alpha", version=None, signed=0, threshold=2),)
    assert (rows(registry), record_of(registry).threshold) == (["github:1", "github:2"], 2)
    tree |= changed_by(registry, tree, ANA, CEM)
    result = release(home, registry, tree, NOW + DAY)
    assert result.waiting == (Waiting(name="alpha", version=None, signed=1, threshold=2),)
    assert len(result.ignored) == 1
    assert record_of(registry).owner_changes == ()
    tree |= changed_by(registry, tree, BEN, first=3)
    result = release(home, registry, tree, NOW + DAY)
    assert (result.waiting, len(result.ignored)) == ((), 1)
    (link,) = record_of(registry).owner_changes
    assert [each["account"] for each in link["owners"]] == ["github:3"]
    assert rows(registry) == ["github:3"]
    assert release(home, registry, tree, NOW + DAY).written == 0
    back = owned("1.0.0", "1.1.0", by=(ANA,))
    back |= {path: data for path, data in tree.items() if "signatures" in path.parts}
    back |= changed_by(registry, back, CEM)
    assert release(home, registry, back, NOW + 2 * DAY).ignored == ()
    assert [each["threshold"] for each in record_of(registry).owner_changes] == [1, 1]
    assert rows(registry) == ["github:1"]


@pytest.mark.parametrize(
    "toml",
    [
        entry_toml(ANA).replace(b"o1", b"ana"),
        entry_toml(ANA, threshold=2),
        entry_toml(ANA).replace(b"owners = [", b'owners = [{forge = "github", id = 7}, '),
    ],
    ids=["another login", "a threshold that none can reach", "an owner without a key"],
)
def test_changes_that_nobody_has_to_sign(home: Path, registry: Path, toml: bytes) -> None:
    release(home, registry, owned("1.0.0"))
    tree = owned("1.0.0") | {ALPHA: toml}
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    assert record_of(registry).owner_changes == ()
    assert refused_to_sign(registry, tree) == "NOTHING_TO_SIGN"
    release(home, registry, owned("1.0.0", by=(BEN,)), NOW + 2 * DAY)
    assert rows(registry)[-1] == "github:1"


def refused_to_sign(registry: Path, tree: dict[PurePosixPath, bytes]) -> str:
    alpha, _ = RegistryTree(tree).entries
    with pytest.raises(PsregError) as caught:
        owners_to_sign(alpha, state_of(registry))
    return caught.value.code


def test_owners_without_keys_follow_each_other(home: Path, registry: Path) -> None:
    release(home, registry, owned("1.0.0", by=()))
    assert release(home, registry, owned("1.0.0", by=(BEN,)), NOW + DAY).waiting == ()
    assert rows(registry) == ["github:2"]
    result = release(home, registry, owned("1.0.0", by=(ANA,)), NOW + DAY)
    assert result.waiting == (Waiting(name="alpha", version=None, signed=0, threshold=1),)


def test_a_registry_without_a_log_has_owners_too(
    home: Path, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logless(monkeypatch)
    release(home, registry, owned("1.0.0"))
    tree = owned("1.0.0", by=(BEN,))
    tree |= changed_by(registry, tree, ANA)
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    assert len(record_of(registry).owner_changes) == 1


def test_the_owners_of_a_claimed_name_are_those_of_its_claim(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", by=(BEN,))
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    assert record_of(registry).owner_changes == ()
    alpha, _ = RegistryTree(tree).entries
    found = owners_to_sign(alpha, state_of(registry))
    assert [*found.keys.values()] == ["github:1"]


def test_what_owners_sign_of_a_change(home: Path, registry: Path) -> None:
    release(home, registry, owned("1.0.0"))
    tree = owned("1.0.0", by=(ANA, BEN), threshold=2)
    alpha, _ = RegistryTree(tree).entries
    found = owners_to_sign(alpha, state_of(registry))
    assert (found.name, found.version, found.threshold) == ("alpha", None, 1)
    assert (found.title, found.command) == ("the owners of alpha", "psreg sign --owners alpha")
    assert found.place == PurePosixPath("pbes/prompt/alpha/signatures/owners.1.1.txt")
    said = json.loads(found.statement.payload)
    assert (said["predicateType"], said["predicate"]["number"]) == ("psreg:owners/1", 1)
    assert said["predicate"]["registry"] == state_of(registry).registry_id
    assert said["predicate"]["threshold"] == 2
    tree |= changed_by(registry, tree, ANA)
    alpha, _ = RegistryTree(tree).entries
    again = owners_to_sign(alpha, state_of(registry))
    assert again.signed_by == {"github:1"}
    assert again.place.name == "owners.1.2.txt"
    release(home, registry, tree, NOW + DAY)
    assert refused_to_sign(registry, tree) == "NOTHING_TO_SIGN"


def test_owners_of_a_name_that_is_not_published(home: Path, registry: Path) -> None:
    founded(home, registry)
    tree = entry("delta", "1.0.0")
    (delta,) = RegistryTree(tree).entries
    with pytest.raises(UnavailableError) as caught:
        owners_to_sign(delta, state_of(registry))
    assert caught.value.code == "NOT_PUBLISHED"


# What there is to sign


def test_what_owners_sign(home: Path, registry: Path) -> None:
    claimed(home, registry, by=(ANA, BEN), threshold=2)
    tree = owned("1.0.0", "1.1.0", by=(ANA, BEN), threshold=2)
    alpha, _ = RegistryTree(tree).entries
    found = to_sign(alpha, "1.1.0", state_of(registry), NOW + DAY)
    assert (found.threshold, found.signed) == (2, frozenset())
    assert sorted(found.keys.values()) == ["github:1", "github:2"]
    assert found.place == PurePosixPath("pbes/prompt/alpha/signatures/1.1.0.1.txt")
    tree |= {found.place: ANA.sign(found.statement.message)}
    alpha, _ = RegistryTree(tree).entries
    again = to_sign(alpha, "1.1.0", state_of(registry), NOW + DAY)
    assert again.statement == found.statement
    assert [key.fingerprint for key in again.signed] == [fingerprint(ANA)]
    assert again.place == PurePosixPath("pbes/prompt/alpha/signatures/1.1.0.2.txt")
    tree |= {again.place: BEN.sign(again.statement.message)}
    assert release(home, registry, tree, NOW + DAY).released == (NEXT,)


def test_what_owners_sign_of_a_new_name(home: Path, registry: Path) -> None:
    founded(home, registry)
    tree = entry("delta", "1.0.0") | {
        PurePosixPath("pbes/prompt/delta/entry.toml"): f"owners = [{ANA.toml}]\n".encode()
    }
    (delta,) = RegistryTree(tree).entries
    found = to_sign(delta, "1.0.0", state_of(registry), NOW)
    assert (found.threshold, found.statement.previous) == (0, None)
    assert [*found.keys.values()] == ["github:1"]


def test_a_version_without_an_artifact(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    tree.pop(PurePosixPath("pbes/prompt/alpha/1.1.0/alpha.prompt"))
    alpha, _ = RegistryTree(tree).entries
    with pytest.raises(UnavailableError) as caught:
        to_sign(alpha, "1.1.0", state_of(registry), NOW)
    assert caught.value.code == "NOT_FOUND"


def test_what_is_written_is_the_same_again(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    release(home, registry, tree, NOW + DAY)
    before = files(registry)
    assert release(home, registry, tree, NOW + DAY).written == 0
    assert files(registry) == before
