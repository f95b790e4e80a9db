"""Claiming names: the role `owners` begins, and says who signs from then on."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.client.tufclient import TufClient
from psreg.core.errors import FindingsError, PsregError, TrustError, UnavailableError
from psreg.core.ssh_key import SshKey
from psreg.formats.json.canonical import canonical
from psreg.formats.tree import Tree as RegistryTree
from psreg.http.registry_source import FileSource
from psreg.registry.actions.action import REVOKE_KEY
from psreg.registry.baseline import Ports
from psreg.registry.ceremony import sign
from psreg.registry.keys.claiming import claim_names
from psreg.registry.owners.claim import read_claim
from psreg.registry.owners.to_sign import owners_to_sign
from psreg.registry.publish import Change, publish
from psreg.registry.records import PackageRecord
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.reading import read_registry
from psreg.registry.trust.roles import OWNERS, Bins, Target, package_target, target_path
from psreg.registry.withdrawing.taking import key_subject, take
from support.claims import ALPHA, changed_by, claim, claimed, given_to, owned, record_of, signed_by
from support.owners import ANA, BEN, CEM, entry_toml
from support.publishing import (
    CLEAN,
    NOW,
    Died,
    Dying,
    client_reads,
    entry,
    files,
    logless,
    memory_ports,
    ports,
    release,
    renewed,
    signer_of,
    state_of,
    write,
)

DAY = timedelta(days=1)
FEW, MORE = Bins(bits=4, above=OWNERS), Bins(bits=6, above=OWNERS)


def refused(home: Path, registry: Path, tree: dict, code: str, *names: str) -> str:
    """Return the message of a claim that is refused and changes nothing."""
    before = files(registry)
    with pytest.raises(PsregError) as caught:
        claim(home, registry, tree, *names)
    assert caught.value.code == code
    assert files(registry) == before
    return str(caught.value)


def test_the_first_claim_begins_the_role(home: Path, registry: Path, tmp_path: Path) -> None:
    tree = owned("1.0.0")
    published = release(home, registry, tree)
    before = state_of(registry)
    assert (dict(before.owners), OWNERS in before.documents) == ({}, False)
    (made,) = claim(home, registry, tree)
    assert (made.changed, made.before, made.claim.since) == (True, None, 2)
    after = state_of(registry)
    assert read_claim(after.owners["alpha"], "alpha") == made.claim
    assert after.bins_below == {"releases": Bins(bits=4), OWNERS: FEW}
    assert {role: after.versions[role] for role in ("targets", "releases", OWNERS)} == {
        "targets": 2,
        "releases": 1,
        OWNERS: 1,
    }
    key = home / "keys" / published.registry_id / "owners.pem"
    assert key.stat().st_mode & 0o777 == 0o600
    root, targets = after.root.signed, after.documents["targets"].signed
    (owners_key,) = targets.delegations.roles[OWNERS].keyids
    assert owners_key not in root.keys
    assert targets.delegations.roles[OWNERS].terminating
    assert client_reads(registry, tmp_path / "client", "alpha") == after.packages["alpha"]
    assert psreg_reads(registry, tmp_path / "state") == after.owners["alpha"]


def psreg_reads(registry: Path, state: Path, name: str = "alpha") -> bytes | None:
    """Return the claim that psreg's own client accepts."""
    root = (registry / "metadata/1.root.json").read_bytes()
    client = TufClient(FileSource(registry.parent), root, state, lambda _: None)
    return client.target(f"owners/{name}.json", 10**6)


def test_the_next_claim_signs_one_bin(home: Path, registry: Path, tmp_path: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0") | {PurePosixPath("pbes/prompt/beta/entry.toml"): entry_toml(BEN)}
    before = files(registry)
    first, second = claim(home, registry, tree, now=NOW + DAY)
    assert (first.changed, second.changed) == (False, True)
    new = files(registry).keys() - before.keys()
    roles = {path.split(".")[1] for path in new if path.startswith("metadata/")}
    assert roles == {FEW.of("owners/beta.json"), "snapshot"}
    assert psreg_reads(registry, tmp_path / "state", "beta") == state_of(registry).owners["beta"]
    before = files(registry)
    assert [each.changed for each in claim(home, registry, tree, now=NOW + DAY)] == [False, False]
    assert files(registry) == before


def test_other_owners_need_the_signatures_of_those_before(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    release(home, registry, tree, NOW + DAY)
    told = refused(home, registry, tree | {ALPHA: entry_toml(BEN)}, "OWNERS_NOT_SIGNED")
    assert "0 of 1 owners signed that alpha gets other owners" in told
    tree = given_to(registry, tree, BEN)
    (changed,) = claim(home, registry, tree, now=NOW + 2 * DAY)
    (link,) = changed.claim.owner_changes
    assert [each["account"] for each in link["owners"]] == ["github:2"]
    assert changed.before is not None
    assert (changed.before.since, changed.claim.since) == (2, 3)
    assert [*changed.claim.keys.values()] == ["github:2"]
    more = owned("1.0.0", "1.1.0", "1.2.0", by=(BEN,))
    more |= {path: data for path, data in tree.items() if "signatures" in path.parts}
    release(home, registry, tree, NOW + 2 * DAY)
    by_ana = signed_by(registry, more, "1.2.0", ANA)
    assert release(home, registry, more | by_ana, NOW + 3 * DAY).released == ()
    by_ben = signed_by(registry, more, "1.2.0", BEN)
    (new,) = release(home, registry, more | by_ben, NOW + 3 * DAY).released
    assert new.version == "1.2.0"


def test_several_owners_follow_each_other(home: Path, registry: Path) -> None:
    tree = claimed(home, registry, by=(ANA, BEN), threshold=2)
    tree = given_to(registry, tree, CEM, by=(ANA,))
    refused(home, registry, tree, "OWNERS_NOT_SIGNED")
    tree |= changed_by(registry, tree, ANA, BEN)
    claim(home, registry, tree, now=NOW + DAY)
    tree = given_to(registry, tree, ANA, by=(CEM,))
    (made,) = claim(home, registry, tree, now=NOW + 2 * DAY)
    assert [each["threshold"] for each in made.claim.owner_changes] == [1, 1]
    login = tree | {ALPHA: entry_toml(ANA).replace(b"o1", b"ana")}
    (made,) = claim(home, registry, login, now=NOW + 3 * DAY)
    assert (made.changed, len(made.claim.owner_changes)) == (True, 2)


def test_a_void_key_gives_no_name_away(home: Path, registry: Path) -> None:
    """It was revoked after its thief had signed; what another key of the owner signs counts."""
    tree = claimed(home, registry, by=(ANA, BEN))
    given = given_to(registry, tree, CEM, by=(ANA,))
    real = ports(home, registry)
    void = key_subject(SshKey.parse(ANA.line).fingerprint, None, real)
    take(REVOKE_KEY, void, "it was stolen", NOW, real)
    told = refused(home, registry, given, "OWNERS_NOT_SIGNED")
    assert "0 of 1 owners signed" in told
    claim(home, registry, given | changed_by(registry, given, BEN, first=2), now=NOW + DAY)


def test_only_keys_that_count_are_asked_for(home: Path, registry: Path) -> None:
    tree = claimed(home, registry, by=(ANA, BEN))
    real = ports(home, registry)
    void = key_subject(SshKey.parse(ANA.line).fingerprint, None, real)
    actions = (take(REVOKE_KEY, void, "it was stolen", NOW, real).action,)
    publish(tree, CLEAN, NOW + DAY, real, change=Change(actions=actions))
    (alpha, _) = RegistryTree(given_to(registry, tree, CEM, by=(ANA,))).entries
    found = owners_to_sign(alpha, state_of(registry))
    assert ([*found.keys.values()], found.signed) == (["github:2"], frozenset())


def test_a_claim_continues_what_was_signed_before_it(home: Path, registry: Path) -> None:
    tree = owned("1.0.0")
    release(home, registry, tree)
    tree = given_to(registry, tree, BEN)
    release(home, registry, tree, NOW + DAY)
    (made,) = claim(home, registry, tree, now=NOW + DAY)
    assert made.claim.owner_changes == record_of(registry).owner_changes
    assert len(made.claim.owner_changes) == 1


def forge(home: Path, registry: Path, record: PackageRecord) -> None:
    """Sign a record as anyone with the keys that publish can."""
    data = canonical(record.to_json())
    target = Target.of(data)
    (registry / target_path(package_target(record.name), target.sha256)).write_bytes(data)
    state = state_of(registry)
    changes = {package_target(record.name): target}
    write(registry, issue(state, changes, signer_of(home, registry)))


def test_a_forged_release_is_never_taken_over_into_a_claim(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    release(home, registry, tree, NOW + DAY)
    record = record_of(registry)
    (old, new) = record.releases
    unsigned = PackageRecord.from_json(
        record.to_json()
        | {
            "releases": [old.to_json(), new.to_json() | {"statement": None}],
            "serial": record.serial + 1,
        }
    )
    forge(home, registry, unsigned)
    told = refused(home, registry, given_to(registry, tree, BEN), "TRUST_STATEMENT")
    assert "alpha 1.1.0" in told


@pytest.mark.parametrize("change", [b"other", None], ids=["changed", "gone"])
def test_what_was_released_must_be_there(home: Path, registry: Path, change: bytes | None) -> None:
    tree = owned("1.0.0")
    release(home, registry, tree)
    artifact = PurePosixPath("pbes/prompt/alpha/1.0.0/alpha.prompt")
    tree |= {artifact: change} if change else {}
    if change is None:
        del tree[artifact]
    assert str(artifact) in refused(home, registry, tree, "CLAIM_REFUSED")


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        (b'owners = [{forge = "github", id = 1}]\n', "0 owners have a key"),
        (entry_toml(ANA, threshold=2), "`threshold` is 2, and 1 owners have a key"),
        (b'owners = [{forge = "github", id = 1, keys = ["ssh-dss AAAA"]}]\n', "ssh-ed25519"),
    ],
    ids=["no key", "one key for two", "not a key"],
)
def test_owners_who_could_not_sign(home: Path, registry: Path, toml: bytes, why: str) -> None:
    tree = owned("1.0.0") | {ALPHA: toml}
    release(home, registry, tree)
    assert why in refused(home, registry, tree, "CLAIM_REFUSED")


def test_there_must_be_a_release(home: Path, registry: Path) -> None:
    tree = owned("1.0.0")
    assert "nothing is published yet" in refused(home, registry, tree, "NOT_PUBLISHED")
    release(home, registry, entry("beta", "1.0.0"))
    assert "alpha" in refused(home, registry, tree, "NOT_PUBLISHED")


def test_there_must_be_a_log(home: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logless(monkeypatch)
    release(home, registry, owned("1.0.0"))
    refused(home, registry, owned("1.0.0"), "NO_LOG")


def test_more_names_get_more_bins_with_the_next_claim(
    home: Path, registry: Path, tmp_path: Path
) -> None:
    claimed(home, registry)
    many = owned("1.0.0") | {p: d for n in range(256) for p, d in entry(f"n{n}", "1.0.0").items()}
    release(home, registry, many, NOW + DAY)
    assert state_of(registry).bins_below == {"releases": Bins(bits=6), OWNERS: FEW}
    assert psreg_reads(registry, tmp_path / "state") is not None
    many |= {PurePosixPath("pbes/prompt/beta/entry.toml"): entry_toml(BEN)}
    claim(home, registry, many, "beta", now=NOW + 2 * DAY)
    state = state_of(registry)
    assert state.bins_below[OWNERS] == MORE
    assert {*state.owners} == {"alpha", "beta"}
    for name in ("alpha", "beta"):
        assert psreg_reads(registry, tmp_path / "state", name) == state.owners[name]
    assert release(home, registry, many, NOW + 2 * DAY).waiting == ()


# The key


def owners_key(home: Path, registry: Path) -> Path:
    return home / "keys" / state_of(registry).registry_id / "owners.pem"


def test_the_key_may_be_elsewhere(home: Path, registry: Path) -> None:
    claimed(home, registry)
    tree = owned("1.0.0", "1.1.0")
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    owners_key(home, registry).rename(home / "owners.pem")
    assert len(release(home, registry, tree, NOW + DAY).released) == 1
    (changed,) = claim(home, registry, given_to(registry, tree, BEN), now=NOW + DAY)
    assert changed.pending
    assert read_claim(state_of(registry).owners["alpha"], "alpha") == changed.before
    (home / "owners.pem").rename(owners_key(home, registry))
    assert [each.complete for each in sign(ports(home, registry))] == [True]
    release(home, registry, tree, NOW + 2 * DAY)
    assert read_claim(state_of(registry).owners["alpha"], "alpha") == changed.claim


def test_the_role_is_renewed_where_its_key_is(home: Path, registry: Path) -> None:
    claimed(home, registry)
    key = owners_key(home, registry)
    key.rename(home / "owners.pem")
    tree = owned("1.0.0")
    for day in range(10, 300, 10):
        renewed(home, registry, timedelta(days=day))
    result = release(home, registry, tree, NOW + 300 * DAY)
    assert {due.role for due in result.due} >= {OWNERS, *FEW.roles}
    assert state_of(registry).versions[OWNERS] == 1
    (home / "owners.pem").rename(key)
    result = renewed(home, registry, 301 * DAY)
    state = state_of(registry)
    assert {state.versions[role] for role in (OWNERS, *FEW.roles)} == {2}
    assert result.due == ()


def test_an_expired_role_stops_what_publishes(home: Path, registry: Path) -> None:
    claimed(home, registry)
    owners_key(home, registry).unlink()
    for day in range(10, 360, 10):
        renewed(home, registry, timedelta(days=day))
    with pytest.raises(TrustError) as caught:
        release(home, registry, owned("1.0.0"), NOW + 366 * DAY)
    assert caught.value.code == "KEY_MISSING"


@pytest.mark.unmeasured
def test_dying_while_a_name_is_claimed() -> None:
    """Clients read the state before or after; claiming again makes the same registry."""
    first = memory_ports()
    publish(owned("1.0.0"), CLEAN, NOW, first)

    def claim_alpha(to: Ports) -> None:
        alpha = RegistryTree(owned("1.0.0")).entries[0]
        claim_names([alpha], NOW + DAY, to)

    whole = deepcopy(first)
    claim_alpha(whole)
    last, died = 0, True
    while died:
        real = deepcopy(first)
        before = dict(real.store.files)  # type: ignore[attr-defined]
        try:
            claim_alpha(Dying(real, last, torn=True))  # type: ignore[arg-type]
            died = False
        except Died:
            pass
        state = read_registry(real.store.read)
        assert state is not None
        if "alpha" not in state.owners:
            assert state.packages == read_registry(before.get).packages  # type: ignore[union-attr]
        claim_alpha(real)
        assert real.store.files == whole.store.files, last  # type: ignore[attr-defined]
        last += 1
    assert last > 20


def test_a_role_that_delegates_to_unknown_bins(home: Path, registry: Path) -> None:
    claimed(home, registry)
    state, signer = state_of(registry), signer_of(home, registry)
    odd = signer.first_owners(Bins(bits=6, above="releases"), state.documents["targets"])
    successor = signer.renewed(odd, state.documents["targets"])
    snapshot = signer.next_snapshot([successor], state.root, state.documents["snapshot"])
    timestamp = signer.next_timestamp(snapshot, state.root, state.documents["timestamp"])
    write(registry, [successor, snapshot, timestamp])
    with pytest.raises(TrustError, match="owners does not delegate to bins"):
        state_of(registry)


def test_refusals_are_of_their_kind(home: Path, registry: Path) -> None:
    with pytest.raises(UnavailableError):
        claim(home, registry, owned("1.0.0"))
    release(home, registry, owned("1.0.0"))
    with pytest.raises(FindingsError):
        claim(home, registry, owned("1.0.0") | {ALPHA: b'owners = [{forge = "x", id = 1}]\n'})
