"""Recovering names: announced in the log, open to objections for a week, and then completed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.actions.action import REVOKE_KEY
from psreg.registry.baseline import Ports
from psreg.registry.doctor.examine import examine
from psreg.registry.doctor.facts import Facts
from psreg.registry.keys.claiming import Claimed, claim_names
from psreg.registry.owners.claim import Claim, read_claim
from psreg.registry.owners.ownership import text_of
from psreg.registry.owners.recoveries import (
    COMPLETED,
    OBJECTED,
    PENDING,
    WITHDRAWN,
    recoveries_of,
    standing,
)
from psreg.registry.owners.to_sign import objection_to_sign
from psreg.registry.publish import Change, publish
from psreg.registry.withdrawing.taking import key_subject, take
from support.claims import ALPHA, claim, claimed, given_to, owned, record_of
from support.owners import ANA, BEN, CEM, Owner, entry_toml, place_of
from support.publishing import (
    CLEAN,
    NOW,
    QuickDir,
    Tree,
    dying,
    entry,
    files,
    memory_ports,
    ports,
    release,
    renewed,
    state_of,
)

DAY = timedelta(days=1)
WHY = "a laptop was lost"


def recover(
    home: Path, registry: Path, tree: Tree, now: datetime = NOW, reason: str = WHY
) -> Claimed:
    """Claim `alpha` as its entry.toml asks, although nobody signed that."""
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    (made,) = claim_names([alpha], now, ports(home, registry), recover=reason)
    return made


@pytest.fixture
def asked(home: Path, registry: Path) -> Tree:
    """The files of a registry in which ANA has claimed `alpha`; entry.toml asks for BEN."""
    return claimed(home, registry) | {ALPHA: entry_toml(BEN)}


def claim_in(registry: Path) -> Claim:
    return read_claim(state_of(registry).owners["alpha"], "alpha")


def states(registry: Path) -> list[str]:
    state = state_of(registry)
    found = standing(record_of(registry), claim_in(registry), state.registry_id)
    return [each.state for each in found]


def told(registry: Path, now: datetime) -> str:
    """Return what the doctor says about recoveries."""
    facts = Facts(production=False, now=now, state=state_of(registry))
    (found,) = (each for each in examine(facts) if each.id == "recoveries")
    assert ("psreg keys owners alpha" in found.advice) == ("since" in found.found)
    return found.found


def refused(home: Path, registry: Path, tree: Tree, now: datetime) -> str:
    """Return why a recovery is not completed; nothing is changed."""
    before = files(registry)
    with pytest.raises(TrustError) as caught:
        claim(home, registry, tree, "alpha", now=now)
    assert caught.value.code == "RECOVERY_REFUSED"
    assert files(registry) == before
    return caught.value.message


def objecting(registry: Path, tree: Tree, owner: Owner, number: int = 1) -> Tree:
    """Return a tree with an owner's objection."""
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    found = objection_to_sign(alpha, state_of(registry))
    assert found.place.name.startswith("owners.1.")
    assert found.title.startswith("an objection to the recovery of alpha of ")
    assert found.command == "psreg sign --object alpha"
    signed = owner.sign(found.statement.message, found.statement.namespace)
    return tree | {place_of("alpha", "owners.1", number): signed}


def test_others_own_a_name_after_a_week(home: Path, registry: Path, asked: Tree) -> None:
    made = recover(home, registry, asked)
    assert (made.pending, made.claim.recovery is None) == (True, False)
    assert replace(made.claim, recovery=None) == claim_in(registry)
    with pytest.raises(TrustError, match="0 of 1 owners signed"):
        claim(home, registry, asked, "alpha", now=NOW + 30 * DAY)
    result = release(home, registry, asked, NOW + DAY)
    (logged,) = result.recoveries
    assert (logged.state, logged.due) == (PENDING, text_of(NOW + 8 * DAY))
    assert logged.line == f"recovery of alpha pending until {logged.due[:10]}: {WHY}"
    assert (states(registry), [*claim_in(registry).keys.values()]) == ([PENDING], ["github:1"])
    assert release(home, registry, asked, NOW + 2 * DAY).recoveries == ()
    assert told(registry, NOW + 2 * DAY) == f"alpha can get other owners on {logged.due[:10]}"
    assert told(registry, NOW + 9 * DAY) == f"alpha can get other owners since {logged.due[:10]}"
    assert renewed(home, registry, after=2 * DAY).completable == ()
    assert [each.name for each in renewed(home, registry, after=8 * DAY).completable] == ["alpha"]
    why = refused(home, registry, asked, NOW + 8 * DAY - timedelta(seconds=1))
    assert f"may take effect on {logged.due}, and not before" in why
    (done,) = claim(home, registry, asked, "alpha", now=NOW + 8 * DAY)
    assert (done.pending, [*done.claim.keys.values()]) == (False, ["github:2"])
    assert done.claim.owner_changes[0]["recovery"]["reason"] == WHY
    assert states(registry) == [COMPLETED]
    assert told(registry, NOW + 9 * DAY) == "no recovery is pending"


def test_a_name_that_nobody_claimed_is_claimed_for_those_before(home: Path, registry: Path) -> None:
    tree = owned("1.0.0", by=(ANA, CEM), threshold=2)
    release(home, registry, tree)
    tree |= {ALPHA: entry_toml(BEN)}
    recover(home, registry, tree)
    begun = claim_in(registry)
    assert ([*begun.keys.values()], begun.threshold) == (["github:1", "github:3"], 2)
    assert begun.recovery is None
    release(home, registry, tree)
    assert states(registry) == [PENDING]
    claim(home, registry, tree, "alpha", now=NOW + 7 * DAY)
    assert states(registry) == [COMPLETED]


class Reading(QuickDir):
    """A folder that tells which claims and records are read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.seen: set[str] = set()

    def read(self, path: str) -> bytes | None:
        folder, _, file = path.rpartition("/")
        if folder in ("targets/pkg", "targets/owners"):
            self.seen.add(f"{folder}/{file.partition('.')[2]}")
        return super().read(path)


def test_no_other_claim_or_record_is_read(home: Path, registry: Path) -> None:
    """However many names are claimed: a publish learns of a recovery from what people sign."""
    tree = owned("1.0.0")
    names = [f"name_{number}" for number in range(20)]
    for name in names:
        tree |= entry(name, "1.0.0") | {
            place_of(name, "").parent.parent / "entry.toml": entry_toml(ANA)
        }
    release(home, registry, tree)
    claim(home, registry, tree)
    tree |= {ALPHA: entry_toml(BEN)}
    recover(home, registry, tree)
    store, real = Reading(registry), ports(home, registry)
    result = publish({}, CLEAN, NOW, replace(real, store=store), change=Change(names=()))
    assert [each.name for each in result.recoveries] == ["alpha"]
    assert store.seen == {"targets/owners/alpha.json", "targets/pkg/alpha.json"}
    assert (record_of(registry).serial, states(registry)) == (2, [PENDING])


def test_repeating_it_begins_no_other_week(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    again = recover(home, registry, asked, NOW + DAY, "once more")
    assert (again.changed, again.claim) == (False, claim_in(registry))
    other = recover(home, registry, asked | {ALPHA: entry_toml(CEM)}, NOW + DAY)
    assert other.changed


def test_it_is_withdrawn(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    (made,) = claim(home, registry, asked | {ALPHA: entry_toml(ANA)}, "alpha")
    assert (made.changed, made.claim.recovery) == (True, None)
    assert states(registry) == [WITHDRAWN]


def test_owners_who_find_their_keys_sign_it(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    tree = given_to(registry, asked, BEN)
    (made,) = claim(home, registry, tree, "alpha", now=NOW + DAY)
    assert "statement" in made.claim.owner_changes[0]
    assert states(registry) == [WITHDRAWN]


def test_an_owner_objects(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    (said,) = release(home, registry, objecting(registry, asked, ANA), NOW + DAY).recoveries
    assert (said.name, said.state) == ("alpha", OBJECTED)
    assert "recovery of alpha refused, because an owner objected" in said.line
    assert states(registry) == [OBJECTED]
    tree = objecting(registry, asked, ANA)
    assert release(home, registry, tree, NOW + 2 * DAY).recoveries == ()
    assert "github:1 objected to" in refused(home, registry, tree, NOW + 30 * DAY)
    second = recover(home, registry, tree, NOW + 30 * DAY)
    assert second.changed
    release(home, registry, tree, NOW + 30 * DAY)
    assert states(registry) == [OBJECTED, PENDING]
    claim(home, registry, tree, "alpha", now=NOW + 37 * DAY)
    assert states(registry) == [OBJECTED, COMPLETED]


@pytest.mark.parametrize("owner", [BEN, CEM])
def test_others_cannot_object(home: Path, registry: Path, asked: Tree, owner: Owner) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    tree = objecting(registry, asked, owner)
    assert release(home, registry, tree, NOW + DAY).recoveries == ()
    claim(home, registry, tree, "alpha", now=NOW + 7 * DAY)
    assert states(registry) == [COMPLETED]


def test_a_thief_objects_until_the_key_is_revoked(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked)
    tree = objecting(registry, asked, ANA)
    release(home, registry, tree, NOW + DAY)
    real, key = ports(home, registry), SshKey.parse(ANA.line)
    subject = key_subject(key.fingerprint, None, real)
    action = take(REVOKE_KEY, subject, "stolen", NOW + 2 * DAY, real).action
    release(home, registry, tree, NOW + 2 * DAY, change=Change(actions=(action,)))
    assert states(registry) == [PENDING]
    claim(home, registry, tree, "alpha", now=NOW + 7 * DAY)
    assert states(registry) == [COMPLETED]


def test_what_the_record_keeps_of_it(home: Path, registry: Path, asked: Tree) -> None:
    recover(home, registry, asked)
    release(home, registry, asked, NOW + DAY)
    (found,) = recoveries_of(record_of(registry))
    predicate = found.statement["predicate"]
    assert predicate | {"before": "", "registry": ""} == {
        "name": "alpha", "registry": "", "number": 1, "before": "", "threshold": 1, "reason": WHY,
        "owners": [{"account": "github:2", "key": " ".join(BEN.line.split()[:2])}],
        "date": text_of(NOW), "not_before": text_of(NOW + 7 * DAY),
    }  # fmt: skip
    assert found.date == text_of(NOW + DAY)


def test_dying_while_it_is_announced() -> None:
    """The next publish goes on, and announces it once."""
    tree, given = owned("1.0.0"), owned("1.0.0", by=(BEN,))

    def begun() -> Ports:
        real = memory_ports()
        publish(tree, CLEAN, NOW, real)
        claim_names([RegistryTree(tree).entries[0]], NOW, real)
        claim_names([RegistryTree(given).entries[0]], NOW, real, recover=WHY)
        return real

    go_on, whole, deaths = partial(publish, given, CLEAN, NOW + DAY), begun(), 0
    go_on(whole)
    for deaths, real in enumerate(dying(begun, go_on)):
        go_on(real)
        assert real.store.files == whole.store.files, deaths  # type: ignore[attr-defined]
    assert deaths > 10
