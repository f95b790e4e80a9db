"""Who owns a name, and who may follow: only whom those before have signed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.registry.owners.ownership import (
    NAMESPACE,
    Ownership,
    change_after,
    check_succession,
    keys_of,
    ownership_of,
)
from psreg.registry.trust.ssh_signature import SshSignature
from support.owners import ANA, BEN, CEM, Owner

ID = "a" * 32


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What says who owns `alpha`."""

    name: str = "alpha"
    owners: tuple[dict[str, Any], ...] = ()
    threshold: int = 1
    owner_changes: tuple[dict[str, Any], ...] = ()


def of(*owners: Owner, threshold: int = 1, changes: tuple[Any, ...] = ()) -> Entry:
    rows = tuple({"forge": "github", "id": each.number, "keys": [each.line]} for each in owners)
    return Entry(owners=rows, threshold=threshold, owner_changes=changes)


def after(before: Entry, now: Entry, *signers: Owner, registry_id: str = ID) -> Entry:
    """Return `now` with one more link, which some owners have signed."""
    change = change_after(before, ownership_of(now), registry_id)
    assert change is not None
    made = [SshSignature.parse(each.sign(change.message, NAMESPACE)) for each in signers]
    return replace(now, owner_changes=(*before.owner_changes, change.link(made)))


def refused(before: Entry, now: Entry) -> str:
    with pytest.raises(TrustError) as caught:
        check_succession(before, now, ID)
    assert caught.value.code == "TRUST_STATEMENT"
    return caught.value.message


def test_an_owner_may_have_no_key() -> None:
    assert keys_of(({"forge": "github", "id": 1},)) == {}
    assert keys_of(({"forge": "github", "id": 1, "keys": [ANA.line] * 2},)) == {
        SshKey.parse(ANA.line): "github:1"
    }


@pytest.mark.parametrize(
    "owner",
    [
        {"id": 1},
        {"forge": "github", "id": "1"},
        {"forge": "github", "id": True},
        {"forge": "github", "id": 1, "keys": "ssh-dss AAAA"},
        {"forge": "github", "id": 1, "keys": [1]},
    ],
)
def test_owners_that_cannot_be_read_have_no_keys(owner: dict[str, Any]) -> None:
    assert Ownership.of((*of(ANA).owners, owner), 1) == Ownership(keys={}, threshold=0)


def test_a_key_has_one_account() -> None:
    twice = ({"forge": "github", "id": 2, "keys": [ANA.line]}, *of(ANA).owners)
    with pytest.raises(ValueError, match="two owners have the key"):
        keys_of(twice)


@pytest.mark.parametrize(("asked", "needed"), [(-1, 1), (0, 1), (1, 1), (2, 2), (9, 2)])
def test_a_threshold_can_be_reached(asked: int, needed: int) -> None:
    assert ownership_of(of(ANA, BEN, threshold=asked)).threshold == needed


def test_what_is_written_can_be_read() -> None:
    found = ownership_of(of(BEN, ANA, threshold=2))
    assert Ownership.from_json({**found.to_json(), "more": 1}) == found
    assert found.digest == ownership_of(of(ANA, BEN, threshold=2)).digest
    assert [line.split(" SHA256:")[0] for line in found.lines] == ["github:1", "github:2"]
    nobody = Ownership(keys={}, threshold=0)
    assert Ownership.from_json(nobody.to_json()) == nobody


@pytest.mark.parametrize(
    "members",
    [
        {"threshold": 0},
        {"threshold": 3},
        {"threshold": True},
        {"owners": []},
        {"owners": [{"account": "github:1"}]},
        {"owners": [{"account": "github:1", "key": ANA.line}]},
        {"owners": [{"account": "github:1", "key": " ".join(ANA.line.split()[:2])}] * 2},
    ],
)
def test_what_is_not_written_so_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"owner|threshold|key"):
        Ownership.from_json({**ownership_of(of(ANA, BEN, threshold=2)).to_json(), **members})


def test_the_next_owners_are_signed() -> None:
    first, second = of(ANA), after(of(ANA), of(BEN), ANA)
    check_succession(first, first, ID)
    check_succession(first, second, ID)
    third = after(second, of(CEM), BEN)
    for before in (first, second, third):
        check_succession(before, third, ID)
    with pytest.raises(TrustError):
        check_succession(first, third, "b" * 32)


def test_nobody_signs_what_stays_the_same() -> None:
    assert change_after(of(ANA), ownership_of(of(ANA, threshold=5)), ID) is None
    assert change_after(of(), ownership_of(of(ANA)), ID) is None


def test_a_change_says_what_it_is() -> None:
    change = change_after(of(ANA), ownership_of(of(BEN)), ID)
    assert change is not None
    assert change.title == "change 1 of the owners of alpha"


def test_who_follows_without_a_signature() -> None:
    assert "did not sign who follows" in refused(of(ANA), of(BEN))
    assert "did not sign who follows" in refused(of(ANA), of(ANA, BEN))
    assert "0 of the 1 signatures" in refused(of(ANA), after(of(ANA), of(BEN), BEN))
    second = after(of(ANA), of(BEN), ANA)
    assert "did not sign" in refused(of(ANA), replace(second, owners=of(CEM).owners))


def test_a_void_key_signs_no_change() -> None:
    fingerprint = SshKey.parse(ANA.line).fingerprint
    second = after(of(ANA), of(BEN), ANA)
    check_succession(second, after(second, of(CEM), BEN), ID, {fingerprint})
    for before, now in ((of(ANA), second), (of(ANA), of(BEN))):
        with pytest.raises(TrustError):
            check_succession(before, now, ID, {fingerprint})
    both = after(of(ANA, BEN), of(CEM), ANA, BEN)
    check_succession(of(ANA, BEN), both, ID, {fingerprint})


def test_a_chain_that_is_cut() -> None:
    second = after(of(ANA), of(BEN), ANA)
    assert "is missing" in refused(second, of(BEN))
    assert "is missing" in refused(second, replace(second, owner_changes=({"threshold": 1},)))


def test_a_link_that_cannot_be_read() -> None:
    (link,) = after(of(ANA), of(BEN), ANA).owner_changes
    assert "is malformed" in refused(of(ANA), of(BEN, changes=({**link, "threshold": 2},)))
    assert "is not signed" in refused(of(ANA), of(BEN, changes=({**link, "statement": None},)))


def test_where_nobody_has_a_key_anyone_follows() -> None:
    check_succession(of(), of(BEN), ID)
    gone = after(of(ANA), of(), ANA)
    check_succession(of(ANA), gone, ID)
    check_succession(of(ANA), replace(of(CEM), owner_changes=gone.owner_changes), ID)
    later = after(replace(of(BEN), owner_changes=gone.owner_changes), of(CEM), BEN)
    check_succession(of(ANA), later, ID)
