"""Yanks of a claimed name count only once an owner has signed them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.actions.withdrawal import SignedYank
from psreg.registry.owners.claim import Claim, read_claim
from psreg.registry.owners.to_sign import yank_to_sign
from psreg.registry.owners.yank import YankState
from psreg.registry.publish import PublishResult
from psreg.registry.records import PackageRecord, ReleaseRecord
from support.claims import ALPHA, claim, claimed, given_to, owned, record_of
from support.owners import ANA, BEN, CEM, Owner, entry_toml, place_of
from support.publishing import NOW, Tree, change_record, release, state_of

DAY = timedelta(days=1)
WHY = "The second question has no answer."


def yanked(tree: Tree, reason: str | None = WHY, *owners: Owner) -> Tree:
    """Return a tree in which 1.0.0 is yanked for a reason, or not."""
    table = f'[yanked]\n"1.0.0" = "{reason}"\n' if reason else ""
    return tree | {ALPHA: entry_toml(*(owners or (ANA,))) + table.encode()}


def signed(registry: Path, tree: Tree, *owners: Owner) -> Tree:
    """Return a tree in which owners sign whether 1.0.0 is yanked."""
    alpha = next(each for each in RegistryTree(tree).entries if each.name == "alpha")
    found = yank_to_sign(alpha, "1.0.0", state_of(registry))
    assert found.title == "whether alpha 1.0.0 is yanked"
    what = f"yank.1.0.0.{found.place.name.split('.')[4]}"
    message = found.statement.message
    numbered = enumerate(owners, start=1)
    return tree | {
        place_of("alpha", what, n): each.sign(message, "yank@psreg") for n, each in numbered
    }


def row_of(registry: Path) -> ReleaseRecord:
    row = record_of(registry).release("1.0.0")
    assert row is not None
    return row


def check(registry: Path, **members: Any) -> None:
    """Check the record as a client does, with other members in the row."""
    state, record = state_of(registry), record_of(registry)
    data = record.to_json()
    row = {**data["releases"][0], **members}
    data["releases"][0] = {key: value for key, value in row.items() if value != "gone"}
    read_claim(state.owners["alpha"], "alpha").check_yanks(
        PackageRecord.from_json(data), state.registry_id
    )


def refused(registry: Path, **members: Any) -> str:
    with pytest.raises(TrustError) as caught:
        check(registry, **members)
    assert caught.value.code == "TRUST_STATEMENT"
    return caught.value.message


def waits(result: PublishResult) -> list[tuple[str, str | None, bool]]:
    return [(each.name, each.version, each.yank) for each in result.waiting]


def test_a_yank_waits_for_an_owner(home: Path, registry: Path) -> None:
    tree = yanked(claimed(home, registry))
    assert waits(release(home, registry, tree, NOW + DAY)) == [("alpha", "1.0.0", True)]
    assert (row_of(registry).yanked, row_of(registry).yank) == (None, None)
    by_ben = signed(registry, tree, BEN)
    result = release(home, registry, by_ben, NOW + DAY)
    assert (len(result.waiting), len(result.ignored)) == (1, 1)
    tree = signed(registry, tree, ANA)
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    row = row_of(registry)
    assert (row.yanked, row.yank and row.yank.number) == (WHY, 1)
    assert PackageRecord.from_json(record_of(registry).to_json()) == record_of(registry)
    check(registry)
    again = yanked(tree, None)
    assert waits(release(home, registry, again, NOW + 2 * DAY)) == [("alpha", "1.0.0", True)]
    assert row_of(registry).yanked == WHY
    release(home, registry, signed(registry, again, ANA), NOW + 2 * DAY)
    row = row_of(registry)
    assert (row.yanked, row.yank and row.yank.number) == (None, 2)
    check(registry)


def test_what_the_publishing_keys_say_alone(home: Path, registry: Path) -> None:
    tree = yanked(claimed(home, registry))
    assert "is yanked, and its owners did not sign" in refused(registry, yanked=WHY)
    release(home, registry, signed(registry, tree, ANA), NOW + DAY)
    link = row_of(registry).to_json()["yank"]
    assert "signed something else" in refused(registry, yanked=None)
    assert "signed something else" in refused(registry, yanked="Another reason.")
    assert "signed something else" in refused(registry, yank={**link, "number": 2})
    assert "not signed" in refused(registry, yank={**link, "statement": None})
    assert "is yanked, and" in refused(registry, yank="gone")


def test_a_malformed_yank(home: Path, registry: Path) -> None:
    claimed(home, registry)
    for number in (0, "1", None):
        with pytest.raises(ValueError, match="number"):
            check(registry, yank={"number": number, "statement": None})
    extra = SignedYank.from_json({"number": 1, "statement": None, "more": 2})
    assert extra.to_json()["more"] == 2


def test_a_claim_says_what_was_yanked_before(home: Path, registry: Path) -> None:
    tree = yanked(owned("1.0.0"))
    release(home, registry, tree)
    (made,) = claim(home, registry, tree, "alpha")
    assert made.claim.yanks == {"1.0.0": YankState(0, WHY)}
    assert Claim.from_json(made.claim.to_json()) == made.claim
    check(registry)
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    assert "is not yanked any more" in refused(registry, yanked=None)
    release(home, registry, signed(registry, yanked(tree, None), ANA), NOW + DAY)
    assert row_of(registry).yanked is None
    check(registry)


def test_a_claim_counts_nothing_that_nobody_signed(home: Path, registry: Path) -> None:
    """With the keys that publish, the number could be the last one, so that no yank can follow."""
    tree = yanked(owned("1.0.0"))
    release(home, registry, tree)
    fake = {"number": 2**53 - 2, "statement": None}
    change_record(home, registry, lambda rows: rows[0].update(yank=fake))
    (made,) = claim(home, registry, tree, "alpha")
    assert made.claim.yanks == {"1.0.0": YankState(0, WHY)}
    release(home, registry, tree, NOW + DAY)
    assert row_of(registry).yank is None
    release(home, registry, signed(registry, yanked(tree, None), ANA), NOW + DAY)
    assert (row_of(registry).yanked, row_of(registry).yank is not None) == (None, True)
    check(registry)


def test_the_next_owners_take_it_over(home: Path, registry: Path) -> None:
    tree = yanked(claimed(home, registry))
    tree = signed(registry, tree, ANA)
    release(home, registry, tree, NOW + DAY)
    tree = given_to(registry, tree, BEN)
    tree |= {ALPHA: yanked(tree, WHY, BEN)[ALPHA]}
    (made,) = claim(home, registry, tree, "alpha", now=NOW + DAY)
    assert made.claim.yanks == {"1.0.0": YankState(1, WHY)}
    check(registry)
    assert release(home, registry, tree, NOW + DAY).waiting == ()
    assert "is not yanked any more" in refused(registry, yanked=None)
    tree = yanked(tree, None, BEN)
    release(home, registry, signed(registry, tree, ANA), NOW + DAY)
    assert row_of(registry).yanked == WHY
    release(home, registry, signed(registry, tree, BEN), NOW + DAY)
    assert row_of(registry).yanked is None
    check(registry)


def test_there_is_nothing_to_sign(home: Path, registry: Path) -> None:
    tree = owned("1.0.0", by=(ANA, CEM))
    release(home, registry, tree)
    with pytest.raises(FindingsError, match="nobody has to sign"):
        signed(registry, yanked(tree), ANA)
    claim(home, registry, tree)
    with pytest.raises(FindingsError, match="nobody has to sign"):
        signed(registry, tree, ANA)
    alpha = next(each for each in RegistryTree(tree).entries if each.name == "alpha")
    with pytest.raises(UnavailableError, match="not released alpha"):
        yank_to_sign(alpha, "9.0.0", state_of(registry))
    wanted = yanked(tree, WHY, ANA, CEM)
    wanted = signed(registry, wanted, ANA)
    alpha = next(each for each in RegistryTree(wanted).entries if each.name == "alpha")
    found = yank_to_sign(alpha, "1.0.0", state_of(registry))
    assert (found.signed_by, found.place.name) == ({"github:1"}, "yank.1.0.0.1.2.txt")
    assert found.command == "psreg sign --yank alpha@1.0.0"
    assert found.title == "whether alpha 1.0.0 is yanked"


def test_names_that_nobody_claimed_are_yanked_as_before(home: Path, registry: Path) -> None:
    tree = owned("1.0.0")
    release(home, registry, tree)
    release(home, registry, yanked(tree), NOW + DAY)
    assert (row_of(registry).yanked, row_of(registry).yank) == (WHY, None)
