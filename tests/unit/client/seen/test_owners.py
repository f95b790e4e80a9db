"""What a client says about owners who are not those that it has seen."""

from __future__ import annotations

from typing import Any

import pytest

from psreg.client.seen.owners import check_owners, check_unclaimed, seen_claim, seen_record
from psreg.core.errors import TrustError
from psreg.formats.json.canonical import canonical
from psreg.registry.owners.claim import Claim
from psreg.registry.records import PackageRecord
from support.owners import ANA, BEN, Owner
from support.simulated_owners import change, owned_by

ID, DAY = "a" * 32, "2026-11-21"


def record(*owners: Owner, **members: Any) -> PackageRecord:
    found = {"name": "alpha", "entry_class": "prompt", "serial": 1, "rows": ()}
    said = owned_by(*owners)
    return PackageRecord(**{**found, **said, "owners": tuple(said["owners"]), **members})


def said(before: PackageRecord, now: PackageRecord, *, accepted: bool = False) -> list[str]:
    return [*check_owners(before, now, now, ID, DAY, accepted=accepted)]


def test_nothing_is_said_of_what_stays() -> None:
    assert said(record(ANA), record(ANA)) == []
    login = ({**owned_by(ANA)["owners"][0], "login": "ana"},)
    assert said(record(ANA), record(owners=login)) == []


def test_a_signed_change_is_said() -> None:
    link = change({"name": "alpha"}, ID, before=(ANA,), after=(BEN,), signers=(ANA,))
    (line,) = said(record(ANA), record(BEN, owner_changes=(link,)))
    assert line.startswith("the owners of alpha changed: github:2 SHA256:")


def test_other_accounts_without_keys_are_said() -> None:
    nobody, somebody = record(), record(owners=({"forge": "github", "id": 7},))
    assert said(nobody, somebody) == ["the owners of alpha changed: github:7"]
    assert said(somebody, nobody) == ["the owners of alpha changed: none"]


def test_others_are_refused_until_they_are_accepted() -> None:
    with pytest.raises(TrustError) as caught:
        said(record(ANA), record(BEN))
    error = caught.value
    assert error.code == "TRUST_OWNER_CHANGED"
    assert f"saw on {DAY}: the owners of alpha before did not sign" in error.message
    assert [line.split(" SHA256:")[0] for line in error.details] == [
        "then: github:1",
        "now: github:2",
    ]
    (line,) = said(record(ANA), record(), accepted=True)
    assert line == "the owners of alpha changed, and you accept it: nobody has a key"


def test_a_claim_is_not_taken_back() -> None:
    claim = Claim(
        name="alpha", owners=record(ANA).owners, threshold=1, since=0, released="0" * 64
    )  # fmt: skip
    data = canonical(claim.to_json())
    with pytest.raises(TrustError) as caught:
        [*check_unclaimed(data, "alpha", DAY, accepted=False)]
    assert caught.value.code == "TRUST_OWNER_CHANGED"
    assert caught.value.details[-1] == "now: nobody has a key"
    assert [*check_unclaimed(data, "alpha", DAY, accepted=True)]
    assert [*check_unclaimed(data, "beta", DAY, accepted=False)] == []


def test_what_is_damaged_says_nothing() -> None:
    claim = Claim(name="alpha", owners=record(BEN).owners, threshold=1, since=0, released="0" * 64)
    data, known = canonical(claim.to_json()), canonical(record(ANA).to_json())
    assert seen_claim("alpha", data) == claim
    assert seen_record("alpha", known) == record(ANA)
    assert (seen_claim("beta", data), seen_record("beta", known)) == (None, None)
    assert (seen_claim("alpha", b""), seen_record("alpha", b"{")) == (None, None)
